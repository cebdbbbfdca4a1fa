import { inLines, inOneLine } from '../../machinery/text/shown.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { ApiError, StatusDetails } from '../../machinery/status.ts'
import type { ReviewVersion } from './request.ts'

/** One operation of a JSON Patch (RFC 6902). */
export type PatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly path: string; readonly from: string }

/** How reviews can end, as metrics name it. */
export const REVIEW_VERDICTS = ['allowed', 'patched', 'denied', 'retry', 'error', 'timeout', 'invalid'] as const
export type ReviewVerdict = (typeof REVIEW_VERDICTS)[number]

/** The answer of a webhook to a review. Made by the functions below. */
export type AdmissionDecision =
  | {
      readonly verdict: 'allowed' | 'patched'
      readonly patch: readonly PatchOperation[]
      /** Printed by clients as `Warning: …`, each in one line. */
      readonly warnings: readonly string[]
    }
  | {
      readonly verdict: 'denied' | 'retry' | 'error' | 'timeout'
      /** The status that the client gets; its message stands behind `admission webhook "…" denied the request: `. */
      readonly code: number
      readonly reason: string
      readonly message: string
      readonly details: StatusDetails | undefined
      readonly warnings: readonly string[]
    }

/** The `reason` that Kubernetes gives with each code. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
}

/** The request may go on. */
export const allowed = (warnings: readonly string[] = []): AdmissionDecision => ({
  verdict: 'allowed',
  patch: [],
  warnings,
})

/** The request may go on with its object changed; without operations it is just allowed. */
export const patched = (patch: readonly PatchOperation[], warnings: readonly string[] = []): AdmissionDecision => ({
  verdict: patch.length === 0 ? 'allowed' : 'patched',
  patch,
  warnings,
})

/** The request is refused; repeated as it is, it would be refused again. `reason` defaults to the one of the code. */
export const denied = (
  message: string,
  code = 403,
  reason = REASONS[code] ?? '',
  warnings: readonly string[] = [],
): AdmissionDecision => ({ verdict: 'denied', code, reason, message, details: undefined, warnings })

/** The request is refused as an API server itself would refuse it, with the fields that are wrong among its details. */
export const deniedAs = ({ message, status: { code, reason = '', details } }: ApiError): AdmissionDecision => ({
  verdict: 'denied',
  code,
  reason,
  message,
  details,
  warnings: [],
})

/** The webhook could not decide. */
export const errored = (message: string, code = 500): AdmissionDecision => ({
  verdict: 'error',
  code,
  reason: REASONS[code] ?? '',
  message,
  details: undefined,
  warnings: [],
})

/** The request is refused for the moment: clients that follow Retry-After send it again by themselves. */
export const retryLater = (message: string, retryAfterSeconds: number): AdmissionDecision => ({
  verdict: 'retry',
  code: 429,
  reason: 'TooManyRequests',
  message,
  details: { retryAfterSeconds },
  warnings: [],
})

/** The webhook did not decide in the time that the API server gives it. */
export const ranOutOfTime = (message: string): AdmissionDecision => ({
  verdict: 'timeout',
  code: 504,
  reason: 'Timeout',
  message,
  details: undefined,
  warnings: [],
})

/** The AdmissionReview that answers the review with this uid, as JSON. */
export function answerText(apiVersion: ReviewVersion, uid: string, decision: AdmissionDecision): string {
  const { warnings } = decision
  const response: JsonObject = {
    uid,
    ...outcome(decision),
    ...(warnings.length === 0 ? {} : { warnings: warnings.map(inHeader) }),
  }
  return JSON.stringify({ kind: 'AdmissionReview', apiVersion, response })
}

function outcome(decision: AdmissionDecision): JsonObject {
  if ('patch' in decision) {
    const { patch } = decision
    if (patch.length === 0) return { allowed: true }
    return { allowed: true, patch: Buffer.from(JSON.stringify(patch)).toString('base64'), patchType: 'JSONPatch' }
  }
  const { code, reason, message, details } = decision
  const more = details === undefined ? {} : { details }
  return {
    allowed: false,
    status: { metadata: {}, status: 'Failure', message: inLines(message), reason, ...more, code },
  }
}

/** Warnings travel in headers. */
const inHeader = (warning: string): string => inOneLine(warning.replaceAll(/\s*[\r\n]+\s*/g, ' ').trim())
