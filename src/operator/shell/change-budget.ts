/** So many changes of one namespace come at once … */
const MOST_AT_ONCE = 8
/** … and then one after each of these times. */
const REFILL_MS = 2_000
/** Beyond so many namespaces those are forgotten whose changes were long ago. */
const MOST_REMEMBERED = 1_000

/** How often each namespace may have rules changed. What no single namespace needs is not bounded here. */
export class ChangeBudget {
  /** When the budget of a namespace is whole again. */
  readonly #wholeAt = new Map<string, number>()

  /** Takes a change of a namespace from its budget; false where nothing is left of it. `owner`: '' for no single one. */
  take(owner: string, now: number): boolean {
    if (owner === '') return true
    if (this.freeAt(owner, now) > now) return false
    if (this.#wholeAt.size >= MOST_REMEMBERED)
      for (const [other, at] of this.#wholeAt) if (at <= now) this.#wholeAt.delete(other)
    this.#wholeAt.set(owner, Math.max(this.#wholeAt.get(owner) ?? 0, now) + REFILL_MS)
    return true
  }

  /** When the next change may be taken. */
  freeAt(owner: string, now: number): number {
    const wholeAt = owner === '' ? now : (this.#wholeAt.get(owner) ?? now)
    return Math.max(now, wholeAt - (MOST_AT_ONCE - 1) * REFILL_MS)
  }
}
