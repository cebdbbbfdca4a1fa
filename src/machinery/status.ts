import { areEnough, body, type FieldError, sentence } from './field-error.ts'

export interface StatusCause {
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

/** `metav1.Status`: what an API server answers instead of an object. */
export interface Status {
  readonly kind: 'Status'
  readonly apiVersion: 'v1'
  readonly metadata: { readonly continue?: string; readonly remainingItemCount?: number }
  readonly status: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code: number
}

/** The answer to a deletion that leaves no object to show; upstream leaves out the code here. */
export type SuccessStatus = Omit<Status, 'code' | 'reason' | 'message'> & { readonly status: 'Success' }

/**
 * A refusal that carries the Status to answer with. Thrown where a request cannot continue; the edge turns it into a response.
 */
export class ApiError extends Error {
  readonly status: Status
  constructor(status: Status) {
    super(status.message ?? status.reason ?? 'error')
    this.name = 'ApiError'
    this.status = status
  }
}

/** Names a resource in messages: `deployments` and its group, printed as `deployments.apps`. */
export interface GroupResource {
  readonly group: string
  readonly resource: string
}

export const qualified = ({ group, resource }: GroupResource): string =>
  group === '' ? resource : `${resource}.${group}`

export const is =
  (reason: string) =>
  (error: unknown): error is ApiError =>
    error instanceof ApiError && error.status.reason === reason
export const isNotFound = is('NotFound')
export const isConflict = is('Conflict')
export const isForbidden = is('Forbidden')
export const isAlreadyExists = is('AlreadyExists')

/** A refusal that would be the same the next time. */
export function isFinal(error: unknown): boolean {
  const code = error instanceof ApiError ? error.status.code : 0
  return code >= 400 && code < 500 && code !== 401 && code !== 408 && code !== 429
}

/** Does the refusal name this cause among its details (`NamespaceTerminating`, `FieldManagerConflict`, …)? */
export const hasCause = (error: unknown, reason: string): boolean =>
  error instanceof ApiError && (error.status.details?.causes ?? []).some((cause) => cause.reason === reason)

/** A failure Status as an error; the constructors below word the usual ones as apimachinery's `errors` package does. */
export function failure(code: number, reason: string, message: string, details?: StatusDetails): ApiError {
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  })
}

function about(of: GroupResource, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(of.group === '' ? {} : { group: of.group }), kind: of.resource }
}

export const notFound = (of: GroupResource, name: string): ApiError =>
  failure(404, 'NotFound', `${qualified(of)} "${name}" not found`, about(of, name))

export const alreadyExists = (of: GroupResource, name: string): ApiError =>
  failure(409, 'AlreadyExists', `${qualified(of)} "${name}" already exists`, about(of, name))

/** `detail` follows `Operation cannot be fulfilled on <resource> "<name>": `. */
export const conflict = (of: GroupResource, name: string, detail = OBJECT_MODIFIED): ApiError =>
  failure(409, 'Conflict', `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${detail}`, about(of, name))

export const OBJECT_MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again'

/** `detail` follows `<resource> "<name>" is forbidden: `; without a name the quotes go too. */
export function forbidden(of: GroupResource, name: string, detail: string, causes?: readonly StatusCause[]): ApiError {
  const subject = name === '' ? qualified(of) : `${qualified(of)} "${name}"`
  return failure(403, 'Forbidden', `${subject} is forbidden: ${detail}`, {
    ...about(of, name),
    ...(causes === undefined ? {} : { causes }),
  })
}

/** An object can hold a hundred thousand mistakes; an answer that names them all would be forty times its size. */
const MOST_ERRORS = 1000
/** Each mistake may print the whole value that it is about: a thousand of them could make gigabytes of one megabyte. */
const MOST_TEXT = 8 * 1024 * 1024

/** The first errors, as far as they fit into an answer; always one. */
function withinBound(errors: readonly FieldError[]): readonly FieldError[] {
  let text = 0
  const end = errors.findIndex((error, index) => {
    if (index > 0 && (index >= MOST_ERRORS || text > MOST_TEXT)) return true
    text += body(error).length
    return false
  })
  return end < 0 ? errors : errors.slice(0, end)
}

/** 422 for an object whose fields are wrong; `of` names its group and Kind. Equal sentences are printed once. */
export function invalid(
  of: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const fitting = withinBound(errors)
  const sentences = [...new Set(fitting.map(sentence))]
  if (fitting.length < errors.length)
    sentences.push(`and ${areEnough(errors) ? 'at least ' : ''}${errors.length - fitting.length} more`)
  const text = sentences.length === 1 ? sentences[0] : `[${sentences.join(', ')}]`
  const subject = of.group === '' ? of.kind : `${of.kind}.${of.group}`
  return failure(422, 'Invalid', `${subject} "${name}" is invalid: ${text}`, {
    ...(name === '' ? {} : { name }),
    ...(of.group === '' ? {} : { group: of.group }),
    ...(of.kind === '' ? {} : { kind: of.kind }),
    causes: fitting.map((error) => ({ reason: error.code, message: body(error), field: error.path })),
  })
}

export const badRequest = (message: string): ApiError => failure(400, 'BadRequest', message)
export const unauthorized = (): ApiError => failure(401, 'Unauthorized', 'Unauthorized')
export const internalError = (message: string): ApiError =>
  failure(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] })
export const tooManyRequests = (message: string, retryAfterSeconds: number): ApiError =>
  failure(429, 'TooManyRequests', message, { retryAfterSeconds })
export const methodNotAllowed = (): ApiError =>
  failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
export const expired = (message: string): ApiError => failure(410, 'Expired', message)
export const unsupportedMediaType = (accepted: readonly string[]): ApiError =>
  failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    {},
  )
export const notAcceptable = (offered: readonly string[]): ApiError =>
  failure(406, 'NotAcceptable', `only the following media types are accepted: ${offered.join(', ')}`, {})
export const tooLarge = (limit: number): ApiError =>
  failure(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`, {})
export const timedOut = (message: string, retryAfterSeconds?: number): ApiError =>
  failure(504, 'Timeout', `Timeout: ${message}`, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
