import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { DecodeError } from '../../../schema/type/decode-error.ts'
import { decode } from '../../../schema/type/decode.ts'
import { ApiError } from '../../../machinery/status.ts'
import { userInfo } from '../../auth/identity/user-info.ts'
import { countOf, objectOf, textOf, textsOf } from '../../../machinery/read.ts'
import type { GroupVersionKind } from '../../../machinery/group-version.ts'
import type { Resource } from '../../resource/registry.ts'
import type { Review } from '../../storing/review.ts'
import type { Hook } from './hook.ts'
import { checkWeight, HookCallError, type HookReply, reviewIn } from './hook-reply.ts'
import { REVIEW_TYPES } from './review-type.ts'

/** HTTP knows codes of three digits. */
const MOST_CODE = 999

/** A webhook's answer, checked. */
export interface HookAnswer {
  readonly allowed: boolean
  readonly status: JsonObject | undefined
  /** Of a mutating webhook: the patch's text, and what kind of patch it says that it is. */
  readonly patch: { readonly text: string; readonly type: string } | undefined
  readonly warnings: readonly string[]
}

/** A webhook whose answer says something else than it may. */
export class HookAnswerError extends Error {}

/** A request as webhooks are to see it: what kind its objects are of and how they look in the version that a rule names. */
export interface Shown {
  readonly kind: GroupVersionKind
  readonly subresource: string
  readonly object: JsonObject | undefined
  readonly oldObject: JsonObject | undefined
}

/** The AdmissionReview that asks a webhook about a request. `as` is the version of the resource that the webhook's rule names. */
export function reviewOf(review: Review, as: Resource, version: string, shown: Shown): JsonObject {
  const { resource, name, operation, caller, dryRun, admissionView, options } = review
  const { subresource } = shown
  const nameOf = ({ served: { group, version: of, resource: plural } }: Resource): JsonObject => ({
    group,
    version: of,
    resource: plural,
  })
  // To upstream, a namespace is in itself.
  const namespace = resource.bucket === 'namespaces' ? name : review.namespace
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid: randomUUID(),
      kind: shown.kind,
      resource: nameOf(as),
      ...(subresource === '' ? {} : { subResource: subresource }),
      requestKind: admissionView?.kind ?? kindOf(resource),
      requestResource: nameOf(resource),
      ...(subresource === '' ? {} : { requestSubResource: subresource }),
      ...(name === '' ? {} : { name }),
      ...(namespace === '' ? {} : { namespace }),
      operation,
      userInfo: userInfo(caller),
      object: shown.object ?? null,
      oldObject: shown.oldObject ?? null,
      dryRun,
      options: {
        kind: OPTIONS[operation],
        apiVersion: 'meta.k8s.io/v1',
        ...(dryRun ? { dryRun: ['All'] } : {}),
        ...options,
      },
    },
  }
}

/** The kind of a resource's objects. */
export const kindOf = ({ served: { group, version, kind } }: Resource): GroupVersionKind => ({ group, version, kind })

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const

/**
 * Decodes an answer as its Go types take it, and checks it as upstream's `VerifyAdmissionResponse` does. Throws HookCallError and
 * HookAnswerError.
 */
export function readAnswer(reply: HookReply, asked: JsonObject, mutating: boolean): HookAnswer {
  const version = textOf(asked['apiVersion'])
  const body = decodedReview(reviewIn(reply, version), version)
  const { response } = body
  if (!isObject(response)) throw new HookAnswerError('webhook response was absent')
  const patch = Buffer.from(textOf(response['patch']), 'base64').toString('utf8')
  checkWeight(patch)
  const { patchType } = response
  // The older version was never held to all of this, and all its patches are JSON patches.
  const isOld = version.endsWith('v1beta1')
  if (!isOld) {
    checkIdentity(body, textOf(response['uid']), asked)
    checkPatch(patch, typeof patchType === 'string' ? patchType : undefined, mutating)
  }
  return {
    allowed: response['allowed'] === true,
    status: isObject(response['status']) ? response['status'] : undefined,
    patch: mutating && patch !== '' ? { text: patch, type: isOld ? 'JSONPatch' : textOf(patchType) } : undefined,
    warnings: textsOf(response['warnings']),
  }
}

function decodedReview(review: JsonObject, version: string): JsonObject {
  const type = REVIEW_TYPES.get(version)
  if (type === undefined) return review
  try {
    return objectOf(decode(type, review).object)
  } catch (error) {
    throw error instanceof DecodeError ? new HookCallError(error.message) : error
  }
}

function checkIdentity(body: JsonObject, answered: string, asked: JsonObject): void {
  const uid = textOf(objectOf(asked['request'])['uid'])
  if (answered !== uid)
    throw new HookAnswerError(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(answered)}`)
  const named = ({ apiVersion, kind }: JsonObject): string => `${textOf(apiVersion) || '/'}, Kind=${textOf(kind)}`
  if (named(body) !== named(asked))
    throw new HookAnswerError(`expected webhook response of ${named(asked)}, got ${named(body)}`)
}

function checkPatch(patch: string, type: string | undefined, mutating: boolean): void {
  const problem = mutating
    ? patch !== '' && type === undefined
      ? 'webhook returned response.patch but not response.patchType'
      : patch === '' && type !== undefined
        ? 'webhook returned response.patchType but not response.patch'
        : type === ''
          ? 'webhook returned invalid response.patchType of ""'
          : undefined
    : patch !== ''
      ? 'validating webhook may not return response.patch'
      : type === undefined
        ? undefined
        : 'validating webhook may not return response.patchType'
  if (problem !== undefined) throw new HookAnswerError(problem)
}

/** Returns the status of a webhook's denial for the client (upstream `ToStatusErr`): its own status, with its name before the message. */
export function denial(hook: Hook, { status = {} }: HookAnswer): ApiError {
  const why = textOf(status['message']) || textOf(status['reason'])
  const code = countOf(status['code'])
  const statusText = textOf(status['status'])
  const reason = textOf(status['reason'])
  return new ApiError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: objectOf(status['metadata']),
    status: statusText === '' || statusText === 'Success' ? 'Failure' : (statusText as 'Failure'),
    message: `admission webhook ${JSON.stringify(hook.name)} denied the request${why === '' ? ' without explanation' : `: ${why}`}`,
    ...(reason === '' ? {} : { reason }),
    ...(isObject(status['details']) ? { details: status['details'] } : {}),
    code: code < 400 || code > MOST_CODE ? 400 : code,
  })
}
