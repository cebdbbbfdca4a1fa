import { Quantity } from '../../quantity/quantity.ts'
import { QuantityError } from '../../quantity/error.ts'
import { canonicalBase64 } from '../../machinery/base64.ts'
import { BeyondFloatError, isInt64Text, numberText, refuseBeyondFloat } from '../../machinery/json-value.ts'
import { DecodeError, kindOf, type PathSegment, pathText, unmarshalError } from './decode-error.ts'
import { canonicalMicroTime, canonicalTime } from './go-time.ts'
import type { LeafType, Type } from './type.ts'

const INT32_MAX = 2 ** 31 - 1
const INT32_MIN = -(2 ** 31)

/** Quantities that canonical spelling leaves as they are, because the number has at most three digits. */
const PLAIN_QUANTITY = /^[1-9]\d{0,2}(?:m|[kMGT]|[KMGT]i)?$/

const isByte = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256

/**
 * Reads a scalar other than null into what its Go type writes back; `undefined` for the zero time, which is left out.
 * Throws `DecodeError`; `root` and `path` are for its words.
 */
export function readLeaf(type: LeafType, value: unknown, root: Type, path: readonly PathSegment[]): unknown {
  switch (type.kind) {
    case 'any':
      return readAny(value, path)
    case 'string':
      if (typeof value === 'string') return value
      break
    case 'boolean':
      if (typeof value === 'boolean') return value
      break
    case 'int32':
      if (isInt32(value)) return value
      break
    case 'int64':
      if (isInt64(value)) return value
      break
    case 'double':
      if (typeof value === 'number') return value
      if (numberText(value) !== undefined) return readDouble(type, value, root, path)
      break
    case 'quantity':
      return readQuantity(value, path)
    case 'intOrString':
      if (typeof value === 'string' || isInt32(value)) return value
      // The type unmarshals itself, so that the error knows nothing of the field.
      throw new DecodeError(`json: cannot unmarshal ${shown(value)} into Go value of type int32`, pathText(path))
    case 'time':
      return reworded(path, () => canonicalTime(timeText(value, path)))
    case 'microTime':
      return reworded(path, () => canonicalMicroTime(timeText(value, path)))
    case 'bytes':
      if (typeof value === 'string') return reworded(path, () => canonicalBase64(value))
      // Go takes a list of numbers for bytes too.
      if (Array.isArray(value) && value.every(isByte))
        return btoa(value.map((one) => String.fromCharCode(one)).join(''))
      break
  }
  throw unmarshalError(
    root,
    path,
    value,
    type,
    type.kind === 'int32' || type.kind === 'int64' ? shown(value) : undefined,
  )
}

/** Kinds whose values may be anything keep their text upstream, and a later reader refuses it. Here it is refused at once. */
function readAny(value: unknown, path: readonly PathSegment[]): unknown {
  try {
    refuseBeyondFloat(value)
    return value
  } catch (error) {
    throw error instanceof BeyondFloatError ? new DecodeError(error.message, pathText(path)) : error
  }
}

function isInt32(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value <= INT32_MAX && value >= INT32_MIN
}

function isInt64(value: unknown): boolean {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return true
  const text = numberText(value)
  return text !== undefined && isInt64Text(text)
}

/** Numbers are shown with their text where the value, not its kind, is what does not fit. */
function shown(value: unknown): string {
  const text = numberText(value)
  return text === undefined ? kindOf(value) : `number ${text}`
}

function readDouble(type: LeafType, value: unknown, root: Type, path: readonly PathSegment[]): number {
  const result = Number(numberText(value))
  if (!Number.isFinite(result)) throw unmarshalError(root, path, value, type, shown(value))
  return result
}

function readQuantity(value: unknown, path: readonly PathSegment[]): string {
  if (typeof value === 'string' && PLAIN_QUANTITY.test(value)) return value
  const text = typeof value === 'string' ? value.trim() : (numberText(value) ?? JSON.stringify(value))
  try {
    return Quantity.parse(text).toString()
  } catch (error) {
    if (error instanceof QuantityError) throw new DecodeError(error.message, pathText(path))
    throw error
  }
}

function timeText(value: unknown, path: readonly PathSegment[]): string {
  if (typeof value === 'string') return value
  throw new DecodeError(`json: cannot unmarshal ${kindOf(value)} into Go value of type string`, pathText(path))
}

function reworded<T>(path: readonly PathSegment[], work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof RangeError) throw new DecodeError(error.message, pathText(path))
    throw error
  }
}
