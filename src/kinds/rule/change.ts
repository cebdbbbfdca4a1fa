import { isObject, type JsonObject } from '../../machinery/object.ts'
import { absent, blank } from '../../machinery/read.ts'

/**
 * A rewrite of an object that shares whatever it does not touch, and gives the same object back if nothing changes.
 * It adds, replaces or removes optional fields only, which is why the type of the object stays (the casts below).
 */
export type Change = <T extends JsonObject>(value: T) => T

/** The object with one field set. */
export function set<T extends JsonObject>(object: T, key: keyof T & string, value: unknown): T {
  return object[key] === value ? object : { ...object, [key]: value }
}

/** The object without some of its fields. */
export function without<T extends JsonObject>(object: T, ...keys: readonly (keyof T & string)[]): T {
  if (!keys.some((key) => key in object)) return object
  const rest: Record<string, unknown> = { ...object }
  for (const key of keys) delete rest[key]
  return rest as T
}

/** The object with one field set, or removed if the value is undefined. */
export const setOrDrop = <T extends JsonObject>(object: T, key: keyof T & string, value: unknown): T =>
  value === undefined ? without(object, key) : set(object, key, value)

/** Sets each of these fields where it is absent or ''. */
export const fill = (defaults: JsonObject): Change => filling(Object.entries(defaults), blank)

/** Sets each of these fields where it is absent: for fields that are pointers upstream, where '' is a value. */
export const fillAbsent = (defaults: JsonObject): Change => filling(Object.entries(defaults), absent)

/** As `fill`, and 0 counts as absent too: for numbers that are not pointers upstream. */
export const fillZero = (defaults: JsonObject): Change =>
  filling(Object.entries(defaults), (value) => value === 0 || blank(value))

function filling(defaults: readonly (readonly [string, unknown])[], isMissing: (value: unknown) => boolean): Change {
  return (value) => {
    let copy: Record<string, unknown> | undefined
    for (const [key, fallback] of defaults) {
      if (isMissing(value[key])) {
        copy ??= { ...value }
        copy[key] = fallback
      }
    }
    return copy === undefined ? value : (copy as typeof value)
  }
}

/** Sets these lists to null where they are absent: Go writes a list so that is not optional. An empty list belongs to its writer and stays. */
export const nullAbsent =
  (...lists: readonly string[]): Change =>
  (value) =>
    lists.reduce((changed, list) => (absent(changed[list]) ? set(changed, list, null) : changed), value)

/** Changes the object in a field, if there is one. */
export const at =
  (key: string, change: Change): Change =>
  (value) => {
    const inner = value[key]
    return isObject(inner) ? set(value, key, change(inner)) : value
  }

/** Changes the object in a field, starting from an empty one if it is absent. */
export const within =
  (key: string, change: Change): Change =>
  (value) => {
    const inner = value[key]
    if (isObject(inner)) return set(value, key, change(inner))
    return absent(inner) ? set(value, key, change({})) : value
  }

/** Changes every object of the list in a field, if there is one. */
export const each =
  (key: string, change: Change): Change =>
  (value) => {
    const inner = value[key]
    if (!Array.isArray(inner)) return value
    let copy: unknown[] | undefined
    for (let index = 0; index < inner.length; index++) {
      const before: unknown = inner[index]
      if (!isObject(before)) continue
      const after = change(before)
      if (after !== before) {
        copy ??= [...inner]
        copy[index] = after
      }
    }
    return copy === undefined ? value : set(value, key, copy)
  }

/** One change after the other. */
export const all =
  (...changes: readonly Change[]): Change =>
  (value) => {
    let result = value
    for (const change of changes) result = change(result)
    return result
  }

/** The change, only where the condition holds. */
export const when =
  (condition: (value: JsonObject) => boolean, change: Change): Change =>
  (value) =>
    condition(value) ? change(value) : value
