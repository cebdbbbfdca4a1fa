import { type FieldError, duplicate, invalid } from '../../../machinery/field-error.ts'
import { canonicalJson, isTree } from '../../../machinery/json-value.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import type { StructuralSchema } from './structural-schema.ts'

/**
 * The errors in the lists of type set, whose items must differ, and of type map, whose items' keys must. Of a value
 * that occurs several times only the first repetition is reported, as upstream (`ValidateListSetsAndMaps`).
 */
export function checkKeyedLists(schema: StructuralSchema, object: unknown): readonly FieldError[] {
  const errors: FieldError[] = []
  if (schema.holds.keyedLists) check(schema, object, '', errors)
  return errors
}

function check(schema: StructuralSchema, value: unknown, path: string, errors: FieldError[]): void {
  if (!schema.holds.keyedLists) return
  if (Array.isArray(value)) {
    if (schema.listType === 'set') checkSet(value, path, errors)
    else if (schema.listType === 'map') checkMap(schema.listMapKeys, value, path, errors)
    const { items } = schema
    if (items !== undefined) value.forEach((item, at) => check(items, item, `${path}[${at}]`, errors))
  } else if (isTree(value)) {
    for (const [key, member] of Object.entries(value)) {
      const known = schema.properties.get(key)
      if (known !== undefined) check(known, member, path === '' ? key : `${path}.${key}`, errors)
      else if (typeof schema.additionalProperties === 'object') {
        check(schema.additionalProperties, member, `${path}[${key}]`, errors)
      }
    }
  }
}

function checkSet(list: readonly unknown[], path: string, errors: FieldError[]): void {
  for (const at of firstRepetitions(list)) errors.push(duplicate(`${path}[${at}]`, list[at]))
}

function checkMap(keys: readonly string[], list: readonly unknown[], path: string, errors: FieldError[]): void {
  if (keys.length === 1 && haveOwnTexts(list, keys[0] ?? '')) return
  const odd = list.findIndex((item) => item !== null && !isTree(item))
  if (odd !== -1) {
    errors.push(invalid(`${path}[${odd}]`, list[odd], 'must be an object for an array of list-type map'))
    return
  }
  const places = new Map(keys.map((key, place) => [key, place]))
  const keyed = list.map((item) => (isTree(item) ? pick(item, places) : {}))
  for (const at of firstRepetitions(keyed)) errors.push(duplicate(`${path}[${at}]`, keyed[at]))
}

/** The common case: a text as the only key, another one in each item. */
function haveOwnTexts(list: readonly unknown[], key: string): boolean {
  const seen = new Set<unknown>()
  return list.every((item) => {
    const text = isTree(item) && Object.hasOwn(item, key) ? item[key] : undefined
    return typeof text === 'string' && !seen.has(text) && seen.add(text)
  })
}

/** The item's keys in their order. A schema may name more of them than an item has members, or the other way round. */
function pick(item: JsonObject, places: ReadonlyMap<string, number>): JsonObject {
  const own =
    places.size <= FEW
      ? [...places.keys()].filter((key) => Object.hasOwn(item, key))
      : Object.keys(item)
          .filter((key) => places.has(key))
          .toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0))
  return Object.fromEntries(own.map((key) => [key, item[key]]))
}

const FEW = 16

function firstRepetitions(list: readonly unknown[]): readonly number[] {
  if (list.length < 2) return []
  const times = new Map<string, number>()
  const found: number[] = []
  list.forEach((item, at) => {
    const text = typeof item === 'string' ? JSON.stringify(item) : canonicalJson(item)
    const before = times.get(text) ?? 0
    times.set(text, before + 1)
    if (before === 1) found.push(at)
  })
  return found
}
