import { isInt64Text, isRawNumber } from '../../machinery/json-value.ts'
import type { Type } from './type.ts'

/** A field's name, a map's key, or a place in a list. */
export type PathSegment = string | number

/** A value that its Go type cannot take; `message` follows `Pod in version "v1" cannot be handled as a Pod: `. */
export class DecodeError extends Error {
  /** Where, as `spec.containers[0].image`; empty for the object as a whole. */
  readonly path: string
  /** The kind of value that was found and the Go type that was expected, where the types differ. */
  readonly mismatch: Mismatch | undefined
  constructor(message: string, path: string, mismatch?: Mismatch) {
    super(message)
    this.name = 'DecodeError'
    this.path = path
    this.mismatch = mismatch
  }
}

export interface Mismatch {
  readonly value: unknown
  readonly expected: Expected
}

interface Expected {
  readonly kind?: Type['kind']
  readonly goType: string
}

/** `spec.containers[0].image`, the form in which the strict decoder names fields. */
export function pathText(path: readonly PathSegment[]): string {
  let text = ''
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`
    else text += text === '' ? segment : `.${segment}`
  }
  return text
}

/**
 * The error of Go's `encoding/json` for a value of the wrong type. It names the innermost struct and the fields that
 * lead there, without list places and map keys. `shown` replaces the value's kind: `number 1.5`.
 */
export function unmarshalError(
  root: Type,
  path: readonly PathSegment[],
  value: unknown,
  expected: Expected,
  shown = kindOf(value),
): DecodeError {
  let at: Type | undefined = root
  let struct = ''
  const names: string[] = []
  for (const segment of path) {
    if (at?.kind === 'object') {
      struct = at.struct
      names.push(String(segment))
      at = at.fields.get(String(segment))?.type
    } else if (at?.kind === 'list') at = at.items
    else if (at?.kind === 'map') at = at.values
  }
  const place = struct === '' ? 'Go value' : `Go struct field ${struct}.${names.join('.')}`
  return new DecodeError(`json: cannot unmarshal ${shown} into ${place} of type ${expected.goType}`, pathText(path), {
    value,
    expected,
  })
}

/**
 * The same error as Go reports it where no text is read: an object that is already a tree of maps and lists is converted.
 * Of other mistakes it has no words of its own.
 */
export function conversionError({ message, mismatch }: DecodeError): string {
  if (mismatch === undefined)
    return message.startsWith('illegal base64') ? `error decoding from json: ${message}` : message
  const { kind, goType } = mismatch.expected
  const found = goKindOf(mismatch.value)
  if (kind === 'list' || kind === 'bytes' || goType.startsWith('[]')) return `cannot restore slice from ${found}`
  if (kind === 'map' || goType.startsWith('map[')) return `cannot restore map from ${found}`
  if (!BASIC.test(goType)) return `cannot restore struct from: ${found}`
  // Go takes a whole number for a character, and any number for one of another size.
  const converts = goType === 'string' ? found === 'int64' : goType !== 'bool' && found === 'float64'
  return converts ? `cannot convert ${found} to ${goType}` : `unrecognized type: ${goType}`
}

const BASIC = /^(?:string|bool|u?int\d*|float\d+)$/

/** Returns the name of Go's `reflect` for the kind of a decoded value. */
function goKindOf(value: unknown): string {
  if (Array.isArray(value)) return 'slice'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  if (isRawNumber(value)) return isInt64Text(value.rawJSON) ? 'int64' : 'float64'
  return typeof value === 'object' ? 'map' : typeof value === 'boolean' ? 'bool' : 'string'
}

/** Returns the name of `encoding/json` for a JSON value of this kind. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number' || isRawNumber(value)) return 'number'
  if (typeof value === 'boolean') return 'bool'
  return typeof value === 'string' ? 'string' : 'object'
}
