import type { Pod } from '../../../builtin/core-v1.ts'
import { body, type FieldError, notSupported, required } from '../../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { ApiError, badRequest, conflict } from '../../../machinery/status.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { objectOf, objectsOf, specOf, statusOf, textAt, textOf } from '../../../machinery/read.ts'
import type { ObjectOperations } from '../../operation/object-operations.ts'
import type { ObjectRequest } from '../../storing/object-request.ts'
import { storageKey } from '../../storing/storage-key.ts'
import type { Resource } from '../../resource/registry.ts'
import { BINDING } from '../../operation/subresource-body.ts'
import { warnings } from '../answer/answer.ts'
import { answerVirtual, virtualRendering } from '../answer/virtual-answer.ts'
import { writeOptions } from '../request/write-options.ts'

const OK: JsonObject = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }

/** The serverContext of bindings, which assign pods to nodes. */
export interface BindContext {
  readonly operations: Pick<ObjectOperations, 'admittedBody' | 'update'>
  readonly now: () => number
}

/**
 * Assigns a pod to a node, once, and gives it the binding's annotations and labels. Webhooks are asked about `asked`, where
 * that is not the pod. Throws 400, 409, 500 as upstream.
 */
export async function bind(
  { operations, now: clock }: BindContext,
  exchange: Exchange,
  request: ObjectRequest,
  body: unknown,
  asked?: Resource,
): Promise<void> {
  const rendering = virtualRendering(exchange, asked ?? request.resource)
  const { dryRun, manager, options } = writeOptions(exchange, 'CreateOptions')
  const { warn } = warnings(exchange)
  const review = { ...request, dryRun, manager, options, warn, ...(asked === undefined ? {} : { resource: asked }) }
  const binding = await operations.admittedBody(review, BINDING, objectOf(body))
  const named = textAt(binding, 'metadata', 'name')
  if (named !== request.name) throw badRequest('name in URL does not match name in Binding object')
  const errors = problems(objectOf(objectOf(binding).target))
  if (errors.length > 0) throw unprocessed(errors)
  const node = textAt(binding, 'target', 'name')
  const now = timestamp(clock())
  const write = { ...request, subresource: 'binding', dryRun, admitted: true }
  const assigned = (pod: Pod): KubeObject => {
    checkPreconditions(request, binding, pod)
    return bound(pod, binding, node, now)
  }
  await operations.update(write, assigned, { wholeObject: false })
  answerVirtual(exchange, OK, rendering)
}

function problems(target: JsonObject): readonly FieldError[] {
  const kind = textOf(target.kind)
  return [
    ...(kind === '' || kind === 'Node' ? [] : [notSupported('target.kind', kind, ['<empty>', 'Node'])]),
    ...(textOf(target.name) === '' ? [required('target.name')] : []),
  ]
}

/** Upstream forgets to say that this is about fields, so that it comes out as a failure of the server. */
function unprocessed(errors: readonly FieldError[]): Error {
  const sentences = errors.map((error) => `${error.path}: ${body(error)}`)
  const text = sentences.length === 1 ? (sentences[0] ?? '') : `[${sentences.join(', ')}]`
  return new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: text, code: 500 })
}

function bound(pod: Pod, binding: unknown, node: string, now: string): KubeObject {
  const name = pod.metadata.name ?? ''
  const obstacle = obstacleOf(pod)
  if (obstacle !== undefined) throw conflict({ group: '', resource: 'pods/binding' }, name, `pod ${name} ${obstacle}`)
  const { nominatedNodeName: _nominated, ...status } = statusOf(pod)
  const conditions = objectsOf(status.conditions).filter((one) => one.type !== 'PodScheduled')
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now }
  return {
    ...pod,
    metadata: { ...pod.metadata, ...joined(pod, binding, 'annotations'), ...joined(pod, binding, 'labels') },
    spec: { ...specOf(pod), nodeName: node },
    status: { ...status, conditions: [...conditions, scheduled] },
  }
}

/** Why a pod cannot be assigned to a node now. */
function obstacleOf(pod: Pod): string | undefined {
  const { nodeName, schedulingGates } = specOf(pod)
  if (pod.metadata.deletionTimestamp !== undefined) return 'is being deleted, cannot be assigned to a host'
  if (textOf(nodeName) !== '') return `is already assigned to node ${JSON.stringify(nodeName)}`
  return objectsOf(schedulingGates).length > 0 ? 'has non-empty .spec.schedulingGates' : undefined
}

/** A binding may name the pod that it means, and its version. Throws 409, as the store of a real server. */
function checkPreconditions(request: ObjectRequest, binding: unknown, pod: Pod): void {
  for (const [field, of] of [
    ['uid', 'UID'],
    ['resourceVersion', 'ResourceVersion'],
  ] as const) {
    const [asked, is] = [textAt(binding, 'metadata', field), pod.metadata[field] ?? '']
    if (asked !== '' && asked !== is)
      throw conflict(
        request.resource.id,
        request.name,
        `StorageError: invalid object, Code: 4, Key: ${storageKey(request)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${of} in precondition: ${asked}, ${of} in object meta: ${is}`,
      )
  }
}

/** The pod's annotations or labels with those of the binding over them. */
function joined(pod: Pod, binding: unknown, field: 'annotations' | 'labels'): JsonObject {
  const added = objectOf(objectOf(objectOf(binding).metadata)[field])
  return Object.keys(added).length === 0 ? {} : { [field]: { ...pod.metadata[field], ...added } }
}
