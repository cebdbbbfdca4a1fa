import { CelList } from './value.ts'
import { keyOf, membersOf } from './equal.ts'
import { mapKey } from './map-value.ts'
import type { Run } from './run-budget.ts'
import {
  CelDuration,
  CelTimestamp,
  CelUint,
  Failure,
  checkedDuration,
  checkedInt,
  checkedTimestamp,
  checkedUint,
  noSuchOverload,
  concatBytes,
} from './scalar.ts'
import type { CelValue, Result } from './value.ts'

/** `left + right`. */
export function add(left: CelValue, right: CelValue, run: Run): Result {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkedInt(left + right)
  if (typeof left === 'string' && typeof right === 'string') {
    run.work((left.length + right.length) / 10)
    return left + right
  }
  if (typeof left === 'number' && typeof right === 'number') return left + right
  if (left instanceof CelUint && right instanceof CelUint) return checkedUint(left.value + right.value)
  if (left instanceof CelList && right instanceof CelList) return joinLists(left, right, run)
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    run.work((left.length + right.length) / 10)
    return concatBytes([left, right])
  }
  if (left instanceof CelDuration) {
    if (right instanceof CelDuration) return checkedDuration(left.nanos + right.nanos)
    if (right instanceof CelTimestamp) return checkedTimestamp(left.nanos + right.nanos, right.offsetSeconds)
  }
  if (left instanceof CelTimestamp && right instanceof CelDuration) {
    return checkedTimestamp(left.nanos + right.nanos, left.offsetSeconds)
  }
  return noSuchOverload
}

/** Appended; a set takes only what is new, a list of type `map` replaces members with the same keys. */
function joinLists(left: CelList, right: CelList, run: Run): CelList {
  run.work(3 * (left.size + right.size))
  const kind = left.listKind
  if (kind.type !== 'atomic') run.work(9 * (left.size + right.size))
  if (kind.type === 'atomic') return new CelList(left.values().concat(right.values()))
  const values: Result[] = [...left.values()]
  if (kind.type === 'map') {
    const { keys } = kind
    const places = new Map(values.map((value, at) => [keyOf(value, keys), at]))
    for (const value of right.values()) {
      const place = places.get(keyOf(value, keys))
      if (place === undefined) values.push(value)
      else values[place] = value
    }
  } else {
    const members = membersOf(left)
    for (const value of right.values()) {
      const key = value instanceof Failure ? value : (mapKey(value) ?? value)
      if (members.has(key)) continue
      members.add(key)
      values.push(value)
    }
  }
  return new CelList(values, undefined, kind)
}

/** `left - right`. */
export function subtract(left: CelValue, right: CelValue): Result {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkedInt(left - right)
  if (typeof left === 'number' && typeof right === 'number') return left - right
  if (left instanceof CelUint && right instanceof CelUint) return checkedUint(left.value - right.value)
  if (left instanceof CelDuration && right instanceof CelDuration) return checkedDuration(left.nanos - right.nanos)
  if (left instanceof CelTimestamp && right instanceof CelTimestamp) return checkedDuration(left.nanos - right.nanos)
  if (left instanceof CelTimestamp && right instanceof CelDuration) {
    return checkedTimestamp(left.nanos - right.nanos, left.offsetSeconds)
  }
  return noSuchOverload
}

/** `left * right`. */
export function multiply(left: CelValue, right: CelValue): Result {
  if (typeof left === 'bigint' && typeof right === 'bigint') return checkedInt(left * right)
  if (typeof left === 'number' && typeof right === 'number') return left * right
  if (left instanceof CelUint && right instanceof CelUint) return checkedUint(left.value * right.value)
  return noSuchOverload
}

const divisionByZero = new Failure('division by zero')
const modulusByZero = new Failure('modulus by zero')

/** `left / right`, towards zero. */
export function divide(left: CelValue, right: CelValue): Result {
  if (typeof left === 'bigint' && typeof right === 'bigint')
    return right === 0n ? divisionByZero : checkedInt(left / right)
  if (typeof left === 'number' && typeof right === 'number') return left / right
  if (left instanceof CelUint && right instanceof CelUint) {
    return right.value === 0n ? divisionByZero : checkedUint(left.value / right.value)
  }
  return noSuchOverload
}

/** `left % right`, with the sign of the left. */
export function modulo(left: CelValue, right: CelValue): Result {
  if (typeof left === 'bigint' && typeof right === 'bigint') {
    if (right === 0n) return modulusByZero
    // The quotient of the least number by -1 overflows, though the rest would not.
    const quotient = checkedInt(left / right)
    return quotient instanceof Failure ? quotient : left % right
  }
  if (left instanceof CelUint && right instanceof CelUint) {
    return right.value === 0n ? modulusByZero : checkedUint(left.value % right.value)
  }
  return noSuchOverload
}

/** `-value`. */
export function negate(value: CelValue): Result {
  if (typeof value === 'bigint') return checkedInt(-value)
  if (typeof value === 'number') return -value
  return value instanceof CelDuration ? checkedDuration(-value.nanos) : noSuchOverload
}
