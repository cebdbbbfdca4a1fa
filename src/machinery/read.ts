import { isRawNumber } from './json-value.ts'
import { isObject, type JsonObject, type KubeObject } from './object.ts'

const NOTHING: JsonObject = Object.freeze({})
const NONE: readonly never[] = Object.freeze([])

/** Neither there nor null: what Go decodes as nil. */
export const absent = (value: unknown): value is undefined | null => value === undefined || value === null

/** Absent, or the empty text, from which a Go string without pointer does not differ. */
export const blank = (value: unknown): boolean => value === undefined || value === null || value === ''

/** The object, or an empty one for anything else. */
export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : NOTHING)

/** The list, or an empty one for anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : NONE)

/** The list's elements, read as objects: mostly the very list. */
export function objectsOf(value: unknown): readonly JsonObject[] {
  if (!Array.isArray(value)) return NONE
  const list: readonly unknown[] = value
  return areObjects(list) ? list : list.map(objectOf)
}

function areObjects(list: readonly unknown[]): list is readonly JsonObject[] {
  for (let index = 0; index < list.length; index++) if (!isObject(list[index])) return false
  return true
}

/** The text, or '' for anything else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The list's elements, read as texts. */
export const textsOf = (value: unknown): readonly string[] => listOf(value).map(textOf)

/**
 * The number, if it is one. One beyond 2^53 is rounded, which is good for comparing it with a bound; what is computed with,
 * shown or stored is the value itself, or its `wholeNumber`.
 */
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : isRawNumber(value) ? Number(value.rawJSON) : undefined

/** The number, or 0 for anything else; rounded as `numberOf` rounds it. */
export const countOf = (value: unknown): number => numberOf(value) ?? 0

/** A map's entries whose values are texts, such as labels. */
export const textEntries = (value: unknown): readonly (readonly [string, string])[] =>
  Object.entries(objectOf(value)).map(([key, text]) => [key, textOf(text)] as const)

/** Does the map hold anything? */
export const isEmptyMap = (value: unknown): boolean => {
  for (const _ in objectOf(value)) return false
  return true
}

/** The value at a path of keys, undefined where there is none. */
export function valueAt(value: unknown, ...path: readonly string[]): unknown {
  let here = value
  for (const key of path) here = isObject(here) ? here[key] : undefined
  return here
}

/** The text at a path of keys, '' where there is none. */
export const textAt = (value: unknown, ...path: readonly string[]): string => textOf(valueAt(value, ...path))

export const specOf = (object: KubeObject): JsonObject => objectOf(object.spec)
export const statusOf = (object: KubeObject): JsonObject => objectOf(object.status)
