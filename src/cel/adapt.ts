import { isInt64Text, isRawNumber } from '../machinery/json-value.ts'
import type { JsonObject } from '../machinery/object.ts'
import { isObject } from '../machinery/object.ts'
import { type Adapt, CelList, type Result } from './types/value.ts'
import { JsonMap, uniformView } from './types/map-value.ts'
import type { ObjectView } from './types/map-value.ts'
import type { SchemaShape } from './types/schema-shape.ts'
import { Failure } from './types/scalar.ts'
import { decodeBase64 } from './library/encoding.ts'
import { parseDate, parseDurationField, parseTimestamp } from './library/time-text.ts'
import { escapeField, unescapeField } from './types/field-name.ts'

/**
 * JSON without a schema as a value: a whole number is an `int` where it fits into one, else a `double`. Objects and
 * lists are wrapped, not copied. Also takes a bigint, and `undefined` as null.
 */
export function adaptJson(raw: unknown): Result {
  if (typeof raw === 'string' || typeof raw === 'boolean' || typeof raw === 'bigint') return raw
  if (typeof raw === 'number') return numberOf(raw)
  if (Array.isArray(raw)) return new CelList(raw, adaptJson)
  if (isRawNumber(raw)) return isInt64Text(raw.rawJSON) ? BigInt(raw.rawJSON) : Number(raw.rawJSON)
  return isObject(raw) ? new JsonMap(raw, UNTYPED) : null
}

const UNTYPED = uniformView(adaptJson, false)
const INT64_EDGE = 2 ** 63

const numberOf = (raw: number): bigint | number =>
  Number.isInteger(raw) && raw >= -INT64_EDGE && raw < INT64_EDGE ? BigInt(raw) : raw

const mismatch = (expected: string, raw: unknown): Failure =>
  new Failure(`invalid data, expected ${expected}, got ${goTypeOf(raw)}`)

/** How Go's decoder would have typed the JSON, which the messages about bad data say. */
function goTypeOf(raw: unknown): string {
  if (typeof raw === 'string') return 'string'
  if (typeof raw === 'boolean') return 'bool'
  if (Array.isArray(raw)) return '[]interface {}'
  if (typeof raw === 'number' || typeof raw === 'bigint' || isRawNumber(raw)) {
    return typeof adaptJson(raw) === 'bigint' ? 'int64' : 'float64'
  }
  return 'map[string]interface {}'
}

/** Returns a function that turns JSON of a shape into values. Call this once for a program, not for each value. */
export function adapterOf(shape: SchemaShape): Adapt {
  const adapt = notNullAdapter(shape)
  const ofNull: Result = shape.nullable ? null : new Failure('invalid data, got null for schema with nullable=false')
  return (raw) => (raw === null || raw === undefined ? ofNull : adapt(raw))
}

function notNullAdapter(shape: SchemaShape): Adapt {
  switch (shape.json) {
    case 'any':
      return adaptJson
    case 'boolean':
      return (raw) => (typeof raw === 'boolean' ? raw : mismatch('bool', raw))
    case 'integer':
      return (raw) => {
        const value = adaptJson(raw)
        return typeof value === 'bigint' ? value : mismatch('int', raw)
      }
    case 'number':
      return (raw) => {
        const value = adaptJson(raw)
        return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : mismatch('float', raw)
      }
    case 'intOrString':
      return (raw) => {
        const value = adaptJson(raw)
        if (typeof value === 'bigint' || typeof value === 'string') return value
        return new Failure('invalid data, expected XIntOrString value to be either a string or integer')
      }
    case 'string': {
      const read = stringReader(shape.format)
      return (raw) => (typeof raw === 'string' ? read(raw) : mismatch('string', raw))
    }
    case 'array':
      return listAdapter(shape)
    case 'object':
    default:
      return objectAdapter(shape)
  }
}

function stringReader(format: string): (text: string) => Result {
  switch (format) {
    case 'duration':
      return parseDurationField
    case 'date':
      return (text) => parseDate(text) ?? new Failure(`Invalid date formatted string ${text}`)
    case 'date-time':
      return (text) => parseTimestamp(text) ?? new Failure(`Invalid date-time formatted string ${text}`)
    case 'byte':
      return (text) => decodeBase64(text) ?? new Failure(`Invalid byte formatted string ${text}`)
    default:
      return (text) => text
  }
}

const NOT_A_LIST = new Failure('invalid data, expected an array for the provided schema with type=array')
const NOT_AN_OBJECT = new Failure('invalid data, expected a map for the provided schema with type=object')

function listAdapter(shape: SchemaShape): Adapt {
  const element = shape.element === undefined ? adaptJson : adapterOf(shape.element)
  return (raw) => (Array.isArray(raw) ? new CelList(raw, element, shape.listKind) : NOT_A_LIST)
}

function objectAdapter(shape: SchemaShape): Adapt {
  const view = shape.element === undefined ? fieldView(shape) : uniformView(adapterOf(shape.element), true)
  return (raw) => (isPlainObject(raw) ? new JsonMap(raw, view) : NOT_AN_OBJECT)
}

const isPlainObject = (raw: unknown): raw is JsonObject => isObject(raw) && !isRawNumber(raw)

function fieldView(shape: SchemaShape): ObjectView {
  const adapters = new Map<string, Adapt>()
  const names = new Map<string, string>()
  for (const [name, field] of shape.fields ?? []) {
    const property = unescapeField(name) ?? name
    adapters.set(property, adapterOf(field))
    names.set(name, property)
  }
  return {
    adaptOf: (property) => adapters.get(property),
    propertyOf: (name) => names.get(name) ?? unescapeField(name),
    nameOf: (property) => escapeField(property) ?? property,
    nullIsAbsent: true,
    typed: true,
  }
}
