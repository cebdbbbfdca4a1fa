/** Who holds of something bounded. */
export interface Holder {
  readonly name: string
  /** Can a tenant make as many of this kind as it likes? All of them together leave something to others. */
  readonly isMinted: boolean
}

/** How much all may hold together, and how much each of them. */
export interface ShareBounds {
  readonly all: number
  readonly each: number
  /** How much all minted ones may hold together; left out: as much as all. */
  readonly minted?: number
}

/** Why nothing was taken: the account holds all that it may, or what is left is kept for others. */
export type Refused = 'own' | 'others'

/**
 * Something bounded that accounts share. No account may hold more than stays free for others, but for its first part. So neither one of them nor
 * a few can take all of it.
 */
export class Shares {
  readonly #bounds: ShareBounds
  readonly #held = new Map<string, number>()
  #total = 0
  #minted = 0

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds
  }

  /** Takes an amount for an account, which must be given back. Gives the reason where nothing was taken. */
  take(account: Holder, amount = 1): Refused | undefined {
    const held = this.heldBy(account.name)
    const free = this.#freeFor(account) - amount
    if (held + amount > this.#bounds.each) return 'own'
    if (free < 0 || (held > 0 && held + amount > free)) return 'others'
    this.#add(account, amount)
    return undefined
  }

  give(account: Holder, amount = 1): void {
    this.#add(account, -amount)
  }

  /** Gives one part of an account to another. */
  move(from: Holder, to: Holder): void {
    this.#add(from, -1)
    this.#add(to, 1)
  }

  /** Do minted ones hold all that they may? */
  get isMintedFull(): boolean {
    return this.#minted >= (this.#bounds.minted ?? Infinity)
  }

  heldBy(name: string): number {
    return this.#held.get(name) ?? 0
  }

  get total(): number {
    return this.#total
  }

  #freeFor({ isMinted }: Holder): number {
    const free = this.#bounds.all - this.#total
    return isMinted ? Math.min(free, (this.#bounds.minted ?? Infinity) - this.#minted) : free
  }

  #add({ name, isMinted }: Holder, amount: number): void {
    const held = this.heldBy(name) + amount
    if (held > 0) this.#held.set(name, held)
    else this.#held.delete(name)
    this.#total += amount
    if (isMinted) this.#minted += amount
  }
}
