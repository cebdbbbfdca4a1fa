/** Something that holds a parsed object which it can make again from its text. */
export interface Parsed {
  readonly text: string
  /** Lets go of the object that came with the write. */
  release(): void
  /** Lets go of the parsed object unless it was used after generation `than`. */
  forgetOlder(than: number): void
}

/** Characters of text whose objects stay parsed after they were written: some batches, for readers that react to a write. */
const freshBudget = 256 * 1024

/**
 * Bounds the memory of parsed objects, which live for as long as they are used. There are two generations. When the
 * young one has grown to `budget` characters of text, objects that are only in the old one are dropped. The young one
 * then becomes the old one.
 *
 * Most written objects are not read again soon. Long-lived objects cost the garbage collector more than parsing some of
 * them again. So an object that comes with a write stays for a short while only, in two generations of its own.
 */
export class ObjectCache {
  generation = 1
  readonly budget: number
  /** Deeply freeze parsed objects and insist on plain JSON: for tests. */
  readonly freeze: boolean
  #young: Parsed[] = []
  #old: Parsed[] = []
  #size = 0
  #fresh: Parsed[] = []
  #stale: Parsed[] = []
  #freshSize = 0

  constructor(budget: number, freeze: boolean) {
    this.budget = budget
    this.freeze = freeze
  }

  /** Notes that `parsed` holds an object that came with a write. */
  hold(parsed: Parsed): void {
    if (this.#freshSize > freshBudget) {
      for (const stale of this.#stale) stale.release()
      this.#stale = this.#fresh
      this.#fresh = []
      this.#freshSize = 0
    }
    this.#fresh.push(parsed)
    this.#freshSize += parsed.text.length
  }

  /** Notes that `parsed` is in use, at most once per generation; gives the generation it belongs to now. */
  admit(parsed: Parsed): number {
    if (this.#size > this.budget) this.#rotate()
    this.#young.push(parsed)
    this.#size += parsed.text.length
    return this.generation
  }

  #rotate(): void {
    for (const parsed of this.#old) parsed.forgetOlder(this.generation)
    this.#old = this.#young
    this.#young = []
    this.#size = 0
    this.generation++
  }
}
