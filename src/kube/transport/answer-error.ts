import { isObject } from '../../machinery/object.ts'
import { ApiError, type GroupResource, qualified, type Status, type StatusDetails } from '../../machinery/status.ts'
import { parseJson } from '../../machinery/json-text.ts'
import { withoutUnguessableParts } from '../../runtime/http/unguessable-part.ts'
import type { TransportAnswer } from './transport.ts'

/** The resource and object of a request, for the message of an answer that has none itself. */
export interface RequestSubject {
  readonly method: string
  readonly resource?: GroupResource
  readonly name?: string
}

/** Reason and words of each status; `undefined` stands for what the server wrote itself. */
const WORDS: Readonly<Record<number, readonly [reason: string, message: string | undefined]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'the server has asked for the client to provide credentials'],
  403: ['Forbidden', undefined],
  404: ['NotFound', 'the server could not find the requested resource'],
  405: ['MethodNotAllowed', 'the server does not allow this method on the requested resource'],
  406: ['NotAcceptable', 'the server was unable to respond with a content type that the client supports'],
  409: ['Conflict', 'the server reported a conflict'],
  415: ['UnsupportedMediaType', undefined],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'the server has received too many requests and has asked us to try again later'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: [
    'Timeout',
    'the server was unable to return a response in the time allotted, but may still be processing the request',
  ],
}

/**
 * The refusal that an answer of a status other than 2xx is: its Status, or else one in client-go's words. It does not quote the unguessable
 * parts of webhooks' URLs: errors are logged, and go into conditions and events.
 */
export function errorOfAnswer(given: TransportAnswer, subject: RequestSubject): ApiError {
  const answer = { ...given, text: withoutUnguessableParts(given.text) }
  const status = statusOf(answer.text)
  return new ApiError(status === undefined ? generic(answer, subject) : completed(status, answer))
}

/** The object of an ERROR event as a refusal. */
export function eventError(object: unknown): ApiError {
  const status = asStatus(object)
  if (status !== undefined) return new ApiError({ ...status, code: status.code || 500 })
  return new ApiError({
    ...FAILURE,
    code: 500,
    reason: 'InternalError',
    message: 'the watch ended with an unknown error',
  })
}

const FAILURE = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' } as const

function completed(status: Status, answer: TransportAnswer): Status {
  const retry = answer.retryAfterSeconds
  const hasDelay = status.details?.retryAfterSeconds !== undefined || retry === undefined
  return {
    ...status,
    code: status.code || answer.status,
    ...(hasDelay ? {} : { details: { ...status.details, retryAfterSeconds: retry } }),
  }
}

function statusOf(text: string): Status | undefined {
  try {
    return asStatus(parseJson(text))
  } catch {
    return undefined
  }
}

function asStatus(value: unknown): Status | undefined {
  if (!isObject(value) || value['kind'] !== 'Status' || value['status'] === 'Success') return undefined
  const { code, metadata } = value
  return {
    ...(value as unknown as Status),
    metadata: isObject(metadata) ? metadata : {},
    code: typeof code === 'number' ? code : 0,
  }
}

/** client-go's `NewGenericServerResponse`. */
function generic(answer: TransportAnswer, { method, resource, name = '' }: RequestSubject): Status {
  const code = answer.status
  const said = isText(answer.contentType) ? answer.text.trim() : 'unknown'
  const verb =
    resource === undefined ? '' : ` (${method.toLowerCase()} ${[qualified(resource), name].join(' ').trim()})`
  const { reason, message } = worded(code, method, said)
  const details: StatusDetails = {
    ...(name === '' ? {} : { name }),
    ...(resource === undefined || resource.group === '' ? {} : { group: resource.group }),
    ...(resource === undefined ? {} : { kind: resource.resource }),
    causes: [{ reason: 'UnexpectedServerResponse', message: said }],
    ...(answer.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: answer.retryAfterSeconds }),
  }
  return { ...FAILURE, code, reason, message: message + verb, details }
}

function worded(code: number, method: string, said: string): { readonly reason: string; readonly message: string } {
  if (code === 409 && method === 'POST') return { reason: 'AlreadyExists', message: 'the server reported a conflict' }
  if (code === 406 && said !== '' && said !== 'unknown') return { reason: 'NotAcceptable', message: said }
  const known = WORDS[code]
  if (known !== undefined) return { reason: known[0], message: known[1] ?? said }
  if (code >= 500) {
    const message = `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`
    return { reason: 'InternalError', message }
  }
  const message = `the server responded with the status code ${code} but did not return more information`
  return { reason: 'Unknown', message }
}

const isText = (contentType: string): boolean => contentType === '' || /^(?:text\/|application\/json)/.test(contentType)
