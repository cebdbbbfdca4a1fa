/** An address is taken for one of an API server so long after the last probe that came from it. */
export const PROOF_MS = 600_000
/**
 * The number of consecutive probes from known addresses after which other addresses count as strangers. If a balancer
 * picks one of five API servers at random, so many probes miss one in 1 of 200 cases. A missed one is probed again.
 */
export const ENOUGH_PROBES = 24
/** More addresses than any set of API servers and networks in between has. */
const MOST_ADDRESSES = 1000

/**
 * `stranger`: it is no API server's. `late`: it was not shown to be one in time. `unprovable`: nobody knows, as no probes arrive, or each from another address.
 */
export type CallerVerdict = 'proven' | 'stranger' | 'late' | 'unprovable'

/** The addresses from which probes of this operator have arrived, which only API servers can send. */
export class ProvenCallers {
  /** When the last probe came from an address; the one that has been silent for longest first. */
  readonly #proofs = new Map<string, number>()
  #probes = 0
  /** How many probes had arrived when the last address was learnt. */
  #learntAt = 0
  #allKnownAt: number | undefined
  readonly #enough: number

  /**
   * `enough`: the consecutive probes from known addresses that prove all addresses known. One API server needs fewer
   * than `ENOUGH_PROBES`.
   */
  constructor(enough: number = ENOUGH_PROBES) {
    this.#enough = enough
  }

  /** How many probes have arrived. */
  get probes(): number {
    return this.#probes
  }

  /** A probe that nobody else can have sent has arrived from this address. `isFurther`: after another webhook was asked about the same probe. */
  arrived(address: string, now: number, isFurther = false): void {
    // One API server asks all webhooks about a probe, so the further calls say nothing about the others.
    if (!isFurther) this.#probes++
    if (!this.isProven(address, now)) this.#learntAt = this.#probes
    this.#proofs.delete(address)
    this.#proofs.set(address, now)
    const [oldest] = this.#proofs.keys()
    if (this.#proofs.size > MOST_ADDRESSES && oldest !== undefined) this.#proofs.delete(oldest)
    if (this.#probes - this.#learntAt >= this.#enough) this.#allKnownAt = now
  }

  isProven(address: string, now: number): boolean {
    const at = this.#proofs.get(address)
    return at !== undefined && now - at < PROOF_MS
  }

  /** Reports whether recent probes have shown that all addresses of API servers are known. */
  areAllKnown(now: number): boolean {
    return this.#allKnownAt !== undefined && now - this.#allKnownAt < PROOF_MS
  }

  /** The number of addresses that are taken for those of API servers. */
  count(now: number): number {
    return [...this.#proofs.values()].filter((at) => now - at < PROOF_MS).length
  }

  /**
   * Decides about a caller that has waited since `from` probes had arrived; undefined: it has to wait for more. `isOver`: it cannot wait longer.
   */
  verdict(address: string, from: number, now: number, isOver: boolean): CallerVerdict | undefined {
    if (this.isProven(address, now)) return 'proven'
    if (this.#probes - Math.max(from, this.#learntAt) >= this.#enough) return 'stranger'
    if (!isOver) return undefined
    return this.areAllKnown(now) ? 'late' : 'unprovable'
  }
}
