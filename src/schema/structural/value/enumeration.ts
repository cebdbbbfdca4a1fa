import { oncePerObject } from '../../../machinery/once-per-object.ts'
import { canonicalJson, isNumber, isTree } from '../../../machinery/json-value.ts'
import { exactValue, isInteger } from './numbers.ts'

/** So much text of a list of supported values is reported; upstream reports all of it, for each value that is not supported. */
const MOST_TEXT = 64 * 1024

/** The values that `enum` lists. There may be as many of them as there are values to be looked up. */
export class Enumeration {
  readonly #allowed: readonly unknown[]
  /** Texts, booleans and the values of numbers. */
  readonly #scalars = new Set<unknown>()
  readonly #integers = new Set<unknown>()
  /** Lists and objects, as `keyOf` spells them. */
  readonly #composites = new Set<string>()
  #detail: string | undefined

  constructor(allowed: readonly unknown[]) {
    this.#allowed = allowed
    for (const item of allowed) {
      if (isNumber(item)) {
        this.#scalars.add(exactValue(item))
        if (isInteger(item)) this.#integers.add(exactValue(item))
      } else if (isComposite(item)) this.#composites.add(keyOf(item))
      else if (item !== null) this.#scalars.add(item)
    }
  }

  /**
   * Is the value one of those that are listed? As upstream compares in Go: numbers by value, a fraction being cut where the
   * list has an integer; within lists and objects an integer and a float are never the same. Null is never listed.
   */
  allows(value: unknown): boolean {
    if (isComposite(value)) return this.#composites.size > 0 && this.#composites.has(knownKeyOf(value))
    if (!isNumber(value)) return this.#scalars.has(value)
    const number = exactValue(value)
    return this.#scalars.has(number) || (!isInteger(value) && this.#integers.has(Math.trunc(Number(number))))
  }

  /** The values in the order of the schema, for a message; those that are not strings as JSON. */
  get detail(): string {
    this.#detail ??= `supported values: ${this.#list()}`
    return this.#detail
  }

  #list(): string {
    const listed: string[] = []
    let length = 0
    for (const item of this.#allowed) {
      if (length > MOST_TEXT) return `${listed.join(', ')}, and ${this.#allowed.length - listed.length} more`
      const text = JSON.stringify(typeof item === 'string' ? item : JSON.stringify(item))
      listed.push(text)
      length += text.length
    }
    return listed.join(', ')
  }
}

const isComposite = (value: unknown): value is object => Array.isArray(value) || isTree(value)

/** Each alternative of a schema may list values to hold the same one against. */
const knownKeyOf = oncePerObject((value: object): string => keyOf(value))

const keyOf = (value: object): string =>
  canonicalJson(value, (number) => `${isInteger(number) ? '' : 'float '}${exactValue(number)}`)
