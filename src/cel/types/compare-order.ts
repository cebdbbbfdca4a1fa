import { CelDuration, CelTimestamp, CelUint, Failure, noSuchOverload } from './scalar.ts'
import type { CelValue } from './value.ts'

const notOrdered = new Failure('NaN values cannot be ordered')

type Order = -1 | 0 | 1

function order<T extends bigint | number | string | boolean>(left: T, right: T): Order {
  if (left < right) return -1
  return left > right ? 1 : 0
}

/** How two values are ordered: numbers of all types with one another, all else with its own type. */
export function compareValues(left: CelValue, right: CelValue): Order | Failure {
  if (typeof left === 'string') return typeof right === 'string' ? compareText(left, right) : noSuchOverload
  const leftNumber = numberOf(left)
  if (leftNumber !== undefined) {
    const rightNumber = numberOf(right)
    if (rightNumber === undefined) return noSuchOverload
    // oxlint-disable-next-line no-self-compare -- a bigint or number that differs from itself is NaN
    if (leftNumber !== leftNumber || rightNumber !== rightNumber) return notOrdered
    // An integer beside a double is taken as a double, as cel-go does, though that may lose digits.
    return typeof leftNumber === typeof rightNumber
      ? order<bigint | number>(leftNumber, rightNumber)
      : order(Number(leftNumber), Number(rightNumber))
  }
  if (typeof left === 'boolean') return typeof right === 'boolean' ? order(left, right) : noSuchOverload
  if (left instanceof CelTimestamp)
    return right instanceof CelTimestamp ? order(left.nanos, right.nanos) : noSuchOverload
  if (left instanceof CelDuration) return right instanceof CelDuration ? order(left.nanos, right.nanos) : noSuchOverload
  if (left instanceof Uint8Array) return right instanceof Uint8Array ? compareBytes(left, right) : noSuchOverload
  return noSuchOverload
}

function numberOf(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value
  return value instanceof CelUint ? value.value : undefined
}

const SURROGATE = /[\ud800-\udfff]/

/** By code points, as UTF-8 sorts; UTF-16 units sort otherwise behind U+D800. */
function compareText(left: string, right: string): Order {
  if (left === right) return 0
  if (!SURROGATE.test(left) && !SURROGATE.test(right)) return order(left, right)
  let at = 0
  while (left.charCodeAt(at) === right.charCodeAt(at)) at++
  const a = left.charCodeAt(at)
  const b = right.charCodeAt(at)
  if (Number.isNaN(a)) return -1
  if (Number.isNaN(b)) return 1
  return order(rank(a), rank(b))
}

/** Surrogates stand for what comes after all other units. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit)

function compareBytes(left: Uint8Array, right: Uint8Array): Order {
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const one = order(left[at] ?? 0, right[at] ?? 0)
    if (one !== 0) return one
  }
  return order(left.length, right.length)
}
