import { type FieldError, invalid } from '../../machinery/field-error.ts'
import { numberOf, textOf } from '../../machinery/read.ts'

const NONE: readonly FieldError[] = []

/** A number that is there must not be negative. */
export function nonNegative(value: unknown, path: string): readonly FieldError[] {
  const number = numberOf(value)
  return number !== undefined && number < 0 ? [invalid(path, value, 'must be greater than or equal to 0')] : NONE
}

/** A port number is between 1 and 65535. */
export const isPort = (port: unknown): boolean => {
  const number = numberOf(port)
  return number !== undefined && number >= 1 && number <= 65_535
}

export const PORT_TEXT = 'must be between 1 and 65535, inclusive'

const PORT_NAME = /^[-a-z0-9]+$/

/** The errors in a port's name (`IsValidPortName`): an IANA service name. */
export function portNameProblems(name: string): readonly string[] {
  const problems: string[] = []
  if (name.length > 15) problems.push('must be no more than 15 characters long')
  if (!PORT_NAME.test(name)) {
    problems.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)')
  }
  if (!/[a-z]/.test(name)) problems.push('must contain at least one letter (a-z)')
  if (name.includes('--')) problems.push('must not contain consecutive hyphens')
  if (name.startsWith('-') || name.endsWith('-')) problems.push('must not begin or end with a hyphen')
  return problems
}

/** A number or percentage such as `25%`, of a whole; undefined for what is neither. */
export function percentOf(value: unknown): number | undefined {
  const match = /^([0-9]+)%$/.exec(textOf(value))
  return match === null ? undefined : Number(match[1])
}

/** A count or a percentage that is not negative (`ValidatePositiveIntOrPercent`). */
export function countOrPercent(value: unknown, path: string): readonly FieldError[] {
  if (typeof value === 'string') {
    return percentOf(value) === undefined
      ? [
          invalid(
            path,
            value,
            "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
          ),
        ]
      : NONE
  }
  return nonNegative(value, path)
}

/** A percentage may not go beyond the whole. */
export function atMostWhole(value: unknown, path: string): readonly FieldError[] {
  const percent = percentOf(value)
  return percent !== undefined && percent > 100 ? [invalid(path, value, 'must not be greater than 100%')] : NONE
}
