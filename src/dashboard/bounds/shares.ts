/** How much all may hold together, and how much each of them. */
export interface ShareBounds {
  readonly all: number
  readonly each: number
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

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds
  }

  /** Takes an amount for an account, which must be given back. Gives the reason where nothing was taken. */
  take(account: string, amount = 1): Refused | undefined {
    const held = this.heldBy(account)
    const free = this.#bounds.all - this.#total - amount
    if (held + amount > this.#bounds.each) return 'own'
    if (free < 0 || (held > 0 && held + amount > free)) return 'others'
    this.#held.set(account, held + amount)
    this.#total += amount
    return undefined
  }

  give(account: string, amount = 1): void {
    const left = this.heldBy(account) - amount
    if (left > 0) this.#held.set(account, left)
    else this.#held.delete(account)
    this.#total -= amount
  }

  heldBy(account: string): number {
    return this.#held.get(account) ?? 0
  }

  get total(): number {
    return this.#total
  }
}
