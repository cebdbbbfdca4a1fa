import { Matching, TOO_MANY_CHECKS } from './pattern.ts'
import { type FieldError, invalid } from '../../../machinery/field-error.ts'

/** The text that apimachinery prints for an unknown path. */
export const NOWHERE = '<nil>'

/** Bounds what an object that is wrong throughout costs. */
const MAX_ERRORS = 10_000

/**
 * Collects errors. `name` is how upstream's messages call a value, a path from where the schema starts; `prefix` is the path of that start.
 */
export class Findings {
  readonly errors: FieldError[] = []
  /** The pattern matches that are still allowed for this object. */
  readonly matching: Matching
  readonly #prefix: string

  constructor(prefix: string, matching = new Matching()) {
    this.#prefix = prefix
    this.matching = matching
  }

  /** A new, empty collection with the same start. */
  fresh(): Findings {
    return new Findings(this.#prefix, this.matching)
  }

  get isEmpty(): boolean {
    return this.errors.length === 0
  }

  add(name: string, error: Omit<FieldError, 'path'>): void {
    if (this.errors.length < MAX_ERRORS) this.errors.push({ ...error, path: this.#pathOf(name) })
  }

  /** An error of which upstream forgets the path. */
  addNowhere(message: string): void {
    this.add('', invalid('', '', message))
  }

  addAll(other: Findings): void {
    const left = MAX_ERRORS - this.errors.length
    for (const error of other.errors.slice(0, left)) this.errors.push(error)
  }

  /** The errors, each once: the same check may stand in the schema and below `allOf`. */
  distinct(): readonly FieldError[] {
    // Even where no more errors are taken.
    if (this.matching.hasSkippedChecks) this.errors.push(invalid(this.#pathOf(''), '', TOO_MANY_CHECKS))
    if (this.errors.length < 2) return this.errors
    const seen = new Set<string>()
    // Thousands of errors may share one long detail, which is not to be spelled for each of them.
    const details = new Map<string, number>()
    return this.errors.filter(({ code, path, detail }) => {
      const number = details.get(detail) ?? details.size
      details.set(detail, number)
      const key = `${code} ${number} ${path}`
      return !seen.has(key) && seen.add(key)
    })
  }

  #pathOf(name: string): string {
    const relative = name.startsWith('.') ? name.slice(1) : name
    if (relative === '') return this.#prefix === '' ? NOWHERE : this.#prefix
    return this.#prefix === '' ? relative : `${this.#prefix}.${relative}`
  }
}
