import { CelList, CelMap, CelOptional, type CelValue, type Result } from '../types/value.ts'
import { JsonMap, noSuchKey } from '../types/map-value.ts'
import { CelDuration, CelTimestamp, CelUint, Failure } from '../types/scalar.ts'
import { typeOfValue } from '../types/value-type.ts'

/** A key or index as messages give it. */
export function showKey(key: CelValue): string {
  if (typeof key === 'object' && key !== null) return key instanceof CelUint ? String(key.value) : typeOfValue(key).name
  return String(key)
}

/** Returns the member with a name: `undefined` where there is none, and for values without members. */
export function namedMember(value: CelValue, name: string): Result | undefined {
  if (value instanceof JsonMap) return value.get(name)
  return memberOf(value, name)
}

/** Returns the member at a key or index, as `namedMember` does. */
export function memberOf(value: CelValue, key: CelValue): Result | undefined {
  if (value instanceof CelMap) return value.find(key)
  if (!(value instanceof CelList)) return undefined
  const index = indexOf(key)
  if (index === undefined) return new Failure(`unsupported index type '${typeOfValue(key).name}' in list`)
  return index >= 0 && index < value.size ? value.at(index) : undefined
}

function indexOf(key: CelValue): number | undefined {
  if (typeof key === 'bigint') return Number(key)
  if (key instanceof CelUint) return Number(key.value)
  return typeof key === 'number' && Number.isInteger(key) ? key : undefined
}

/** The failure for what is not there. */
export function missing(value: CelValue, key: CelValue): Failure {
  return value instanceof CelList ? new Failure(`index out of bounds: ${showKey(key)}`) : noSuchKey(showKey(key))
}

/** An optional of what is at a key of a value, or of an optional's value. */
export function optionalMember(value: CelValue, key: CelValue): Result {
  const held = value instanceof CelOptional ? value.value : value
  if (held === undefined) return CelOptional.none
  const found = memberOf(held, key)
  if (found === undefined) return CelOptional.none
  return found instanceof Failure ? found : CelOptional.of(found)
}

/** Returns Go's name for the type of a value that cannot be iterated. */
export function goTypeOf(value: CelValue): string {
  if (value === null) return 'types.Null'
  if (typeof value === 'string') return 'types.String'
  if (typeof value === 'bigint') return 'types.Int'
  if (typeof value === 'boolean') return 'types.Bool'
  if (typeof value === 'number') return 'types.Double'
  if (value instanceof CelUint) return 'types.Uint'
  if (value instanceof Uint8Array) return 'types.Bytes'
  if (value instanceof CelTimestamp) return 'types.Timestamp'
  if (value instanceof CelDuration) return 'types.Duration'
  return value instanceof CelOptional ? '*types.Optional' : typeOfValue(value).name
}
