import { tooManyRequests } from '../../../machinery/status.ts'

/** A head of up to so many bytes is ordinary and not counted: a token, a path and a dozen fields. */
const ORDINARY_BYTES = 8 * 1024
const MIB = 1024 * 1024

/** How many bytes of memory the large heads of requests that are not over may hold, together and of one user. */
export interface HeadAccountBounds {
  readonly all: number
  readonly user: number
}

export const HEAD_ACCOUNT_BOUNDS: HeadAccountBounds = { all: 256 * MIB, user: 64 * MIB }

/** The heads of known clients: they are in memory until their requests are over, and a watch may last for hours. */
export class HeadAccount {
  readonly #bounds: HeadAccountBounds
  readonly #users = new Map<string, number>()
  #total = 0

  constructor(bounds: HeadAccountBounds = HEAD_ACCOUNT_BOUNDS) {
    this.#bounds = bounds
  }

  /** The bytes of all large heads. */
  get total(): number {
    return this.#total
  }

  /**
   * Counts a head, given as names and values, until `release` is called; undefined for one that is ordinary. Throws 429 when the
   * user's heads, or all, would hold too much.
   */
  hold(user: string, fields: readonly string[], target: string): (() => void) | undefined {
    let bytes = target.length
    for (const text of fields) bytes += text.length
    if (bytes <= ORDINARY_BYTES) return undefined
    const own = (this.#users.get(user) ?? 0) + bytes
    if (own > this.#bounds.user || this.#total + bytes > this.#bounds.all) throw crowded()
    this.#users.set(user, own)
    this.#total += bytes
    return () => this.#release(user, bytes)
  }

  #release(user: string, bytes: number): void {
    const left = (this.#users.get(user) ?? 0) - bytes
    if (left > 0) this.#users.set(user, left)
    else this.#users.delete(user)
    this.#total -= bytes
  }
}

const crowded = (): Error => tooManyRequests('too many requests with large headers wait to be answered', 1)
