import { floatText } from '../../../machinery/jsonpath/go-text.ts'
import { invalid } from '../../../machinery/field-error.ts'
import { isInt64Text, numberText, rawNumber } from '../../../machinery/json-value.ts'
import type { Findings } from './findings.ts'

const INT64_LIMIT = 2 ** 63
const MAX_JSON_INTEGER = Number.MAX_SAFE_INTEGER
const FLOAT32_LIMIT = 2 ** 128 - 2 ** 103
const EPSILON = 1e-9

/** The limits that a schema sets for a number. */
export interface NumberLimits {
  /** `integer` or `number` when that is the only type, else empty. */
  readonly type: string
  /** `int32`, `int64`, `float`, `double`, or empty. */
  readonly format: string
  readonly maximum: number | undefined
  readonly exclusiveMaximum: boolean
  readonly minimum: number | undefined
  readonly exclusiveMinimum: boolean
  readonly multipleOf: number | undefined
}

/** Is the number an int64 to an API server, that is, written without fraction and exponent and within its range? */
export function isInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) < INT64_LIMIT
  const text = numberText(value)
  return text !== undefined && isInt64Text(text)
}

/** The number's value: exact when it is an int64, else the nearest float64. */
export function exactValue(value: unknown): number | bigint {
  if (typeof value === 'number') return value
  const text = numberText(value) ?? 'NaN'
  if (!isInt64Text(text)) return Number(text)
  const exact = BigInt(text)
  return Number.isSafeInteger(Number(exact)) ? Number(exact) : exact
}

/** Would a float64 pass for an integer? Upstream allows for rounding errors; negative fractions never pass. */
export function isWhole(value: number): boolean {
  if (Number.isNaN(value) || value < -MAX_JSON_INTEGER - 1 || value > MAX_JSON_INTEGER) return false
  if (Number.isInteger(value)) return true
  const whole = Math.trunc(value)
  return value > 1 && (value - whole) / (value + whole) < EPSILON
}

/**
 * Checks a number against limits as kube-openapi does. An integer is compared with the limit cut to an integer. A limit
 * that the type itself cannot hold is an error of its own. `name` is how messages call the value.
 */
export function checkNumber(limits: NumberLimits, given: unknown, name: string, found: Findings): void {
  if (typeof given === 'number' && isWithin(limits, given)) return
  const isInt = isInteger(given)
  const value = exactValue(given)
  const complain = (limit: string): void => {
    const format = limits.format === '' ? '(default format)' : `with format ${limits.format}`
    found.addNowhere(`${limit} value must be of type ${limits.type} ${format} in ${name}`)
  }
  const fail = (message: string, shown: unknown): void => found.add(name, invalid('', shown, `${name}${message}`))
  if (!fits(value, isInt, limits)) complain('Checked')

  const { multipleOf, maximum, minimum } = limits
  if (multipleOf !== undefined) {
    const asInt = isHeld(multipleOf, limits, () => complain('MultipleOf')) && isInt
    checkMultiple(value, multipleOf, asInt, name, found, given)
  }
  if (maximum !== undefined) {
    const asInt = isHeld(maximum, limits, () => complain('Maximum boundary')) && isInt
    const bound = asInt ? cut(maximum) : maximum
    const compared = asInt ? value : Number(value)
    if (limits.exclusiveMaximum ? compared >= bound : compared > bound) {
      const relation = limits.exclusiveMaximum ? 'less than' : 'less than or equal to'
      fail(` in body should be ${relation} ${printed(bound, asInt)}`, shown(given, asInt))
    }
  }
  if (minimum !== undefined) {
    const asInt = isHeld(minimum, limits, () => complain('Minimum boundary')) && isInt
    const bound = asInt ? cut(minimum) : minimum
    const compared = asInt ? value : Number(value)
    if (limits.exclusiveMinimum ? compared <= bound : compared < bound) {
      const relation = limits.exclusiveMinimum ? 'greater than' : 'greater than or equal to'
      fail(` in body should be ${relation} ${printed(bound, asInt)}`, shown(given, asInt))
    }
  }
}

const isInt32 = (value: number): boolean => value >= -(2 ** 31) && value < 2 ** 31

/** The common case without detours: a plain integer that is within whole limits. */
function isWithin(
  { format, maximum, exclusiveMaximum, minimum, exclusiveMinimum, multipleOf }: NumberLimits,
  value: number,
): boolean {
  if (!Number.isSafeInteger(value) || multipleOf !== undefined) return false
  if (format === 'int32' && !(isInt32(value) && isInt32(maximum ?? 0) && isInt32(minimum ?? 0))) return false
  if (
    maximum !== undefined &&
    !(Number.isSafeInteger(maximum) && (exclusiveMaximum ? value < maximum : value <= maximum))
  ) {
    return false
  }
  if (minimum === undefined) return true
  return Number.isSafeInteger(minimum) && (exclusiveMinimum ? value > minimum : value >= minimum)
}

function checkMultiple(
  value: number | bigint,
  factor: number,
  asInt: boolean,
  name: string,
  found: Findings,
  given: unknown,
): void {
  const used = asInt ? cut(factor) : factor
  if (used <= 0) {
    const text = printed(used, asInt)
    found.add(name, invalid('', number(text), `factor MultipleOf declared for ${name} must be positive: ${text}`))
    return
  }
  const isMultiple = asInt
    ? BigInt(value) % BigInt(used) === 0n
    : isWhole(used < 1 ? (1 / used) * Number(value) : Number(value) / used)
  if (isMultiple) return
  found.add(name, invalid('', shown(given, asInt), `${name} in body should be a multiple of ${printed(used, asInt)}`))
}

/** Reports a limit that the type cannot hold; an integer is then compared as a float. */
function isHeld(limit: number, limits: NumberLimits, complain: () => void): boolean {
  if (fits(limit, false, limits)) return true
  complain()
  return false
}

function fits(value: number | bigint, isInt: boolean, { type, format }: NumberLimits): boolean {
  if (type === 'number') return format !== 'float' || Math.abs(Number(value)) < FLOAT32_LIMIT
  if (type !== 'integer') return true
  if (!isInt && !(Number.isInteger(value) && Math.abs(Number(value)) < INT64_LIMIT)) return false
  return format !== 'int32' || isInt32(Number(value))
}

const cut = (limit: number): number => (Math.abs(limit) < INT64_LIMIT ? Math.trunc(limit) + 0 : limit)

const printed = (value: number, asInt: boolean): string => (asInt ? integerText(value) : floatText(value))

const integerText = (value: number): string => (Number.isInteger(value) ? String(BigInt(value)) : String(value))

/** The value as the message prints it: floats as Go's `%v` does. */
function shown(given: unknown, asInt: boolean): unknown {
  return asInt ? given : number(floatText(Number(exactValue(given))))
}

function number(text: string): unknown {
  return String(Number(text)) === text ? Number(text) : rawNumber(text)
}
