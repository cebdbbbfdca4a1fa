import { isInt64Text, isRawNumber } from '../json-value.ts'
import { isObject } from '../object.ts'

/** The kind of a value as Go sees it after decoding JSON; `none` stands for an absent value, unlike `null`. */
export type JsonKind = 'none' | 'null' | 'bool' | 'int' | 'float' | 'string' | 'list' | 'map'

/**
 * Integers that fit into 64 bits are `int`, all other numbers `float`, as apimachinery decodes unstructured objects. A
 * number that does not keep its text as a double comes as a raw number or a bigint.
 */
export function kindOf(value: unknown): JsonKind {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return isInt64(value) ? 'int' : 'float'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'bigint') return isInt64Text(String(value)) ? 'int' : 'float'
  if (value === null) return 'null'
  if (typeof value !== 'object') return 'none'
  if (Array.isArray(value)) return 'list'
  if (!isRawNumber(value)) return 'map'
  return isInt64Text(value.rawJSON) ? 'int' : 'float'
}

/** The number behind a value of kind `int` (a bigint where a double is not exact) or `float` (a number). */
export function exactNumber(value: unknown): number | bigint {
  if (typeof value === 'number') return isInt64(value) && !Number.isSafeInteger(value) ? BigInt(value) : value
  const token = isRawNumber(value) ? value.rawJSON : String(value)
  return isInt64Text(token) ? BigInt(token) : Number(token)
}

/** The member of an object, own and not undefined; `undefined` for whatever has no members. */
export function memberOf(value: unknown, name: string): unknown {
  if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
  return name === 'rawJSON' && isRawNumber(value) ? undefined : value[name]
}

function isInt64(value: number): boolean {
  return Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63
}
