import type { JsonObject } from '../../machinery/object.ts'
import { CelUint, Failure, noSuchOverload } from './scalar.ts'
import { type Adapt, CelMap, type CelValue, type Result } from './value.ts'

type Key = string | boolean | bigint | number

/** Numbers that are equal are the same key, whatever their type. */
export function mapKey(value: CelValue): Key | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  return value instanceof CelUint ? value.value : undefined
}

/** A map that an expression has made. */
export class EntryMap extends CelMap {
  readonly #entries: Map<Key, { readonly key: CelValue; readonly value: CelValue }>

  constructor(entries: Map<Key, { readonly key: CelValue; readonly value: CelValue }>) {
    super()
    this.#entries = entries
  }

  override get size(): number {
    return this.#entries.size
  }

  override find(key: CelValue): Result | undefined {
    const found = mapKey(key)
    return found === undefined ? undefined : this.#entries.get(found)?.value
  }

  override keys(): readonly CelValue[] {
    return [...this.#entries.values()].map(({ key }) => key)
  }
}

/** How the members of a JSON object are seen: which names an expression uses for them, and as what values. */
export interface ObjectView {
  /** Returns the function that turns a member into a value; `undefined` for a member that the schema does not know. */
  adaptOf(property: string): Adapt | undefined
  /** The property that an expression calls by this name; `undefined` where there can be none. */
  propertyOf(name: string): string | undefined
  nameOf(property: string): string
  /** Is a null the same as an absent member? So it is for the properties of a schema. */
  readonly nullIsAbsent: boolean
  /** Does a schema say that keys are texts, so that any other key is wrong and not just absent? */
  readonly typed: boolean
}

/** A JSON object, whose members become values when they are asked for. */
export class JsonMap extends CelMap {
  readonly raw: JsonObject
  readonly view: ObjectView
  // Kept, so that an expression that comes back to an object need not look through it again.
  readonly #children = new Map<string, Result | undefined>()
  #keys: readonly CelValue[] | undefined
  #size: number | undefined

  constructor(raw: JsonObject, view: ObjectView) {
    super()
    this.raw = raw
    this.view = view
  }

  override get size(): number {
    this.#size ??= Object.keys(this.raw).length
    return this.#size
  }

  override find(key: CelValue): Result | undefined {
    if (typeof key === 'string') return this.get(key)
    return this.view.typed ? noSuchOverload : undefined
  }

  /** `find` for a name. */
  get(name: string): Result | undefined {
    const property = this.view.propertyOf(name)
    if (property === undefined || !Object.hasOwn(this.raw, property)) return undefined
    const value = this.raw[property]
    if (value === undefined || (value === null && this.view.nullIsAbsent)) return undefined
    if (typeof value !== 'object') return this.view.adaptOf(property)?.(value)
    const known = this.#children.get(property)
    if (known !== undefined) return known
    const child = this.view.adaptOf(property)?.(value)
    this.#children.set(property, child)
    return child
  }

  override keys(): readonly CelValue[] {
    this.#keys ??= Object.keys(this.raw)
      .filter((one) => this.view.adaptOf(one) !== undefined)
      .map((one) => this.view.nameOf(one))
    return this.#keys
  }
}

const asIs = (name: string): string => name

/** The view of an object whose members are all of one kind and are called as they are. */
export const uniformView = (adapt: Adapt, typed: boolean): ObjectView => ({
  adaptOf: () => adapt,
  propertyOf: asIs,
  nameOf: asIs,
  nullIsAbsent: false,
  typed,
})

/** The failure for a key that is not there. */
export const noSuchKey = (key: string): Failure => new Failure(`no such key: ${key}`)
