/** So much text may defaults add to one object, in UTF-16 units of its JSON: what is larger does not fit into the store. */
export const MOST_ADDED = 1_572_864
/** So much may the defaults of one schema take from those below them: they are kept for as long as it is served. */
export const MOST_KEPT = 256 * 1024

/** The quotes, the colon and the comma of a member. */
const MEMBER_SIGNS = 4

/** The defaults of a schema would add more to a value than is allowed. */
export class TooManyDefaults extends Error {}

/**
 * Counts what defaults add while they are added: a list of a hundred thousand empty objects, each with a thousand fields by
 * default, is a short text. `take` throws `TooManyDefaults` before the bound is passed.
 */
export class DefaultsAllowance {
  readonly #most: number
  #left: number

  constructor(most: number) {
    this.#most = most
    this.#left = most
  }

  /** How much has been added so far. */
  get added(): number {
    return this.#most - this.#left
  }

  takeMember(name: string, size: number): void {
    this.take(name.length + MEMBER_SIGNS + size)
  }

  take(size: number): void {
    if (size > this.#left) throw new TooManyDefaults()
    this.#left -= size
  }
}
