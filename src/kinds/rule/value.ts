import { type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { absent, numberOf, textOf } from '../../machinery/read.ts'

const NONE: readonly FieldError[] = []

/** Runs a name's rule on a value: one error for each of its messages. */
export function obeys(value: string, rule: (value: string) => readonly string[], path: string): readonly FieldError[] {
  const problems = rule(value)
  return problems.length === 0 ? NONE : problems.map((text) => invalid(path, value, text))
}

/** The same where an empty value means that none is given. */
export const obeysIfSet = (
  value: unknown,
  rule: (value: string) => readonly string[],
  path: string,
): readonly FieldError[] => (textOf(value) === '' ? NONE : obeys(textOf(value), rule, path))

/** The text must be there. */
export const needed = (value: unknown, path: string, detail = ''): readonly FieldError[] =>
  textOf(value) === '' ? [required(path, detail)] : NONE

/** The text must be one of those listed; absent and '' are `required`. */
export function oneOf(value: unknown, allowed: readonly string[], path: string): readonly FieldError[] {
  const text = textOf(value)
  if (text === '') return [required(path)]
  return allowed.includes(text) ? NONE : [notSupported(path, text, allowed)]
}

/** The text must be one of those listed, if there is one; an empty one is none of them. */
export const oneOfIfSet = (value: unknown, allowed: readonly string[], path: string): readonly FieldError[] =>
  absent(value) || allowed.includes(textOf(value)) ? NONE : [notSupported(path, value, allowed)]

/** The number, where there is one, must lie between these bounds. */
export function between(value: unknown, low: number, high: number, path: string): readonly FieldError[] {
  const number = numberOf(value)
  return number !== undefined && (number < low || number > high)
    ? [invalid(path, value, `must be between ${low} and ${high}, inclusive`)]
    : NONE
}
