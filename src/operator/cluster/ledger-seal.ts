import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../kube/time/clock.ts'

/** The text of a ledger and the resourceVersion of the ledger that it replaced. */
export interface Unsealed {
  readonly text: string
  readonly base: string
}

/** Stands before the seal. Versions of allot that do not know it keep it, as they keep every record with a capital letter. */
const MARK = '%M/'
const MAC_BYTES = 16
const NAME_DIGITS = 32
/** The key is read again at most so often. */
const LEAST_REST_MS = 1_000

/**
 * Seals the texts of ledgers with a key that all replicas share, so that each of them distinguishes texts of replicas from all
 * others. A seal holds for one ledger of one quota, and for the version that the text replaced.
 */
export class LedgerSeal {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #readKey: (known: Buffer) => Promise<Buffer>
  #key: Buffer
  #readAt: number
  #reading: Promise<void> | undefined

  /** `readKey` gives the key that replicas share now; it is handed the one that is known here. */
  constructor(key: Buffer, readKey: (known: Buffer) => Promise<Buffer>, clock: Pick<Clock, 'monotonic'>) {
    this.#key = key
    this.#readKey = readKey
    this.#clock = clock
    this.#readAt = clock.monotonic()
  }

  /** The key itself, to compare: another one makes other texts valid. */
  get key(): unknown {
    return this.#key
  }

  /** A name for something that nobody can tell without the key. */
  secretName(purpose: string): string {
    return createHmac('sha256', this.#key).update(`name\n${purpose}`).digest('hex').slice(0, NAME_DIGITS)
  }

  /** The text with a seal. `owner` names the ledger and its quota, `base` is the version that the text replaces. */
  seal(owner: string, { text, base }: Unsealed): string {
    return `${text}${MARK}${base}/${this.#mac(owner, { text, base }).toString('base64url')}`
  }

  /** Returns what was sealed for this owner; undefined for any other text. */
  unsealed(owner: string, sealed: string): Unsealed | undefined {
    const parts = partsOf(sealed)
    if (parts === undefined) return undefined
    const mac = Buffer.from(parts.mac, 'base64url')
    return mac.length === MAC_BYTES && timingSafeEqual(mac, this.#mac(owner, parts)) ? parts : undefined
  }

  /**
   * Reads the key again, unless that was done a moment ago: after the Secret with it was lost, another replica made a new key.
   * Rejects as the API server does.
   */
  async refresh(): Promise<void> {
    if (this.#reading === undefined && this.#clock.monotonic() - this.#readAt < LEAST_REST_MS) return
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    await this.#reading
  }

  async #read(): Promise<void> {
    const key = await this.#readKey(this.#key)
    this.#readAt = this.#clock.monotonic()
    if (!key.equals(this.#key)) this.#key = key
  }

  #mac(owner: string, { text, base }: Unsealed): Buffer {
    return createHmac('sha256', this.#key).update([owner, base, text].join('\n')).digest().subarray(0, MAC_BYTES)
  }
}

/** Returns the version that a sealed text says it replaced, whether or not its seal holds; undefined where there is no seal. */
export const baseOf = (sealed: string): string | undefined => partsOf(sealed)?.base

function partsOf(sealed: string): (Unsealed & { readonly mac: string }) | undefined {
  const at = sealed.lastIndexOf(MARK)
  const [base, mac, ...others] = at < 0 ? [] : sealed.slice(at + MARK.length).split('/')
  if (base === undefined || mac === undefined || others.length > 0) return undefined
  return { text: sealed.slice(0, at), base, mac }
}
