import { goQuote } from './go/quote.ts'

/** The codes of apimachinery's `field.ErrorType`, as they stand in `Status.details.causes[].reason`. */
export type FieldErrorCode =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTypeInvalid'
  | 'FieldValueNotFound'
  | 'InternalError'

/** The errors in one field of an object. `path` is a field path such as `spec.hard[pods]`. */
export interface FieldError {
  readonly code: FieldErrorCode
  readonly path: string
  /** The offending value as JSON would carry it; printed into the message by `sentence`. */
  readonly value?: unknown
  readonly detail: string
}

const PHRASES: Readonly<Record<FieldErrorCode, string>> = {
  FieldValueRequired: 'Required value',
  FieldValueInvalid: 'Invalid value',
  FieldValueNotSupported: 'Unsupported value',
  FieldValueDuplicate: 'Duplicate value',
  FieldValueForbidden: 'Forbidden',
  FieldValueTooLong: 'Too long',
  FieldValueTooMany: 'Too many',
  FieldValueTypeInvalid: 'Invalid value',
  FieldValueNotFound: 'Not found',
  InternalError: 'Internal error',
}

const WITHOUT_VALUE: ReadonlySet<FieldErrorCode> = new Set<FieldErrorCode>([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueTooLong',
  'InternalError',
])

export const required = (path: string, detail = ''): FieldError => ({ code: 'FieldValueRequired', path, detail })
export const invalid = (path: string, value: unknown, detail: string): FieldError => ({
  code: 'FieldValueInvalid',
  path,
  value,
  detail,
})
export const typeInvalid = (path: string, value: unknown, detail: string): FieldError => ({
  code: 'FieldValueTypeInvalid',
  path,
  value,
  detail,
})
export const forbidden = (path: string, detail: string): FieldError => ({ code: 'FieldValueForbidden', path, detail })
export const duplicate = (path: string, value: unknown): FieldError => ({
  code: 'FieldValueDuplicate',
  path,
  value,
  detail: '',
})
export const notFound = (path: string, value: unknown): FieldError => ({
  code: 'FieldValueNotFound',
  path,
  value,
  detail: '',
})
export const tooLong = (path: string, max: number): FieldError => ({
  code: 'FieldValueTooLong',
  path,
  detail: `may not be more than ${max} bytes`,
})
export const tooMany = (path: string, actual: number, max: number): FieldError => ({
  code: 'FieldValueTooMany',
  path,
  value: actual,
  detail: `must have at most ${max} items`,
})

/** `field.NotSupported`: lists the values that would do, sorted. */
export function notSupported(path: string, value: unknown, supported: readonly string[]): FieldError {
  const list = supported
    .toSorted()
    .map((v) => JSON.stringify(v))
    .join(', ')
  return { code: 'FieldValueNotSupported', path, value, detail: `supported values: ${list}` }
}

/** Beyond so many errors nothing more is looked for: no answer names as many. */
const MOST_FOUND = 2000

/** May a validator of a long list stop? The answer says that there may be more. */
export const areEnough = (errors: readonly FieldError[]): boolean => errors.length >= MOST_FOUND

/** Adds errors, however many: a spread into `push` overflows the stack at some hundred thousand. */
export function append(to: FieldError[], more: readonly FieldError[]): void {
  if (more.length === 0) return
  for (const error of more) to.push(error)
}

/** The cause's message, without the path: `Invalid value: "x": must be …` (apimachinery `field.Error.ErrorBody`). */
export function body(error: FieldError): string {
  const phrase = PHRASES[error.code]
  // An error without a value of its own is about a whole object or list, which a sentence would not hold.
  const shown = WITHOUT_VALUE.has(error.code) || !('value' in error) ? phrase : `${phrase}: ${printed(error.value)}`
  return error.detail === '' ? shown : `${shown}: ${error.detail}`
}

/** The whole sentence: `spec.hard[pods]: Invalid value: "-1": must be …`. */
export function sentence(error: FieldError): string {
  return `${error.path}: ${body(error)}`
}

function printed(value: unknown): string {
  if (typeof value === 'string') return goQuote(value)
  return value === undefined ? 'null' : JSON.stringify(value)
}
