import { isTree, jsonEqual } from '../../../machinery/json-value.ts'
import type { StructuralSchema } from './structural-schema.ts'

/**
 * A value of an update beside the old value that it comes from (apiserver's `CorrelatedObject`). Fields correspond by
 * name, the items of a list of type map by their keys; other lists only as a whole.
 */
export class Correlation {
  readonly #schema: StructuralSchema
  readonly #value: unknown
  readonly #old: unknown
  readonly #isRoot: boolean
  #items: ReadonlyMap<string, unknown> | undefined
  #unchanged: boolean | undefined

  constructor(schema: StructuralSchema, value: unknown, old: unknown, isRoot = false) {
    this.#schema = schema
    this.#value = value
    this.#old = old
    this.#isRoot = isRoot
  }

  /** The field's correlation; `undefined` when the old object had no such field or the schema does not know it. */
  field(key: string): Correlation | undefined {
    // Both objects were converted to the same version, so these two would always look unchanged.
    return this.#isRoot && (key === 'apiVersion' || key === 'kind') ? undefined : this.#member(key)
  }

  /** The item's correlation; only lists of type map have any. */
  item(at: number): Correlation | undefined {
    const { items } = this.#schema
    if (items === undefined || !this.#hasKeys() || !Array.isArray(this.#value)) return undefined
    const key = keyOf(this.#schema, this.#value[at])
    if (key === undefined) return undefined
    this.#items ??= itemsByKey(this.#schema, this.#old)
    const old = this.#items.get(key)
    return old === undefined ? undefined : new Correlation(items, this.#value[at], old)
  }

  /** Is the value as it was? Items of a list of type map may have changed places. */
  isUnchanged(): boolean {
    this.#unchanged ??= this.#compare()
    return this.#unchanged
  }

  /** An object with a field that the schema does not know counts as changed, as upstream. */
  #compare(): boolean {
    const value = this.#value
    const old = this.#old
    if (Array.isArray(value) && Array.isArray(old)) {
      if (value.length !== old.length) return false
      if (!this.#hasKeys()) return jsonEqual(value, old)
      return value.every((_, at) => this.item(at)?.isUnchanged() ?? false)
    }
    if (!isTree(value) || !isTree(old)) return jsonEqual(value, old)
    const keys = Object.keys(value)
    if (keys.length !== Object.keys(old).length) return false
    return keys.every((key) => this.#member(key)?.isUnchanged() ?? false)
  }

  #member(key: string): Correlation | undefined {
    const value = this.#value
    const old = this.#old
    if (!isTree(old) || !isTree(value) || !Object.hasOwn(old, key) || !Object.hasOwn(value, key)) return undefined
    const schema = this.#schema.properties.get(key) ?? this.#schema.additionalProperties
    return typeof schema === 'object' ? new Correlation(schema, value[key], old[key]) : undefined
  }

  #hasKeys(): boolean {
    return this.#schema.listType === 'map' && this.#schema.listMapKeys.length > 0
  }
}

function itemsByKey(schema: StructuralSchema, list: unknown): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  if (!Array.isArray(list)) return found
  for (const item of list) {
    const key = keyOf(schema, item)
    if (key !== undefined && !found.has(key)) found.set(key, item)
  }
  return found
}

/** The keys' values as one text; `undefined` unless each is there and a scalar. */
export function keyOf(schema: StructuralSchema, item: unknown): string | undefined {
  if (!isTree(item)) return undefined
  const values: unknown[] = []
  for (const key of schema.listMapKeys) {
    const value = Object.hasOwn(item, key) ? item[key] : null
    // A schema may name more keys than an item has members.
    if (value === null || Array.isArray(value) || isTree(value)) return undefined
    values.push(value)
  }
  return JSON.stringify(values)
}
