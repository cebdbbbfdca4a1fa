import { isNumber, jsonEqual, type NumberEquality } from '../json-value.ts'
import { exactValue, isInteger } from './numbers.ts'

/**
 * Is the value one of those that `enum` lists? As upstream compares in Go: numbers by value, a fraction being cut where
 * the list has an integer; within lists and objects an integer and a float are never the same.
 */
export function isAllowed(value: unknown, allowed: readonly unknown[]): boolean {
  return allowed.some((item) => item === value || (item !== null && typeof item !== 'string' && isSame(value, item)))
}

const isSame = (value: unknown, item: unknown): boolean =>
  isNumber(value) && isNumber(item) ? isConverted(value, item) : jsonEqual(value, item, isSameTyped)

const isConverted: NumberEquality = (value, item) => {
  const number = exactValue(value)
  if (number === exactValue(item)) return true
  return isInteger(item) && !isInteger(value) && Math.trunc(Number(number)) === exactValue(item)
}

const isSameTyped: NumberEquality = (value, item) =>
  exactValue(value) === exactValue(item) && isInteger(value) === isInteger(item)
