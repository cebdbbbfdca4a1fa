import { setOwn } from '../../../machinery/json-value.ts'
import { isObject, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import type { CallOptions, KubeClient } from '../../../kube/client/kube-client.ts'
import type { ServerResource } from '../../../kube/client/server-resources.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import type { KeptCrd } from '../../../operator/cluster/kept-crd.ts'

/** The object that a request writes, in the version that quotas read, whichever subresource it is written through. */
export interface ReviewedObject {
  readonly operation: 'CREATE' | 'UPDATE'
  /** Empty outside namespaces. */
  readonly namespace: string
  readonly name: string
  readonly uid: string
  /** The resourceVersion of what an update replaces: the API server stores the update on this one only. '' for a create. */
  readonly base: string
  readonly object: KubeObject
  readonly oldObject: KubeObject | undefined
}

export interface ReviewContext {
  readonly client: Pick<KubeClient, 'get'>
  /** By `<plural>.<group>`. */
  readonly crd: (name: string) => KeptCrd | undefined
}

const BUILT_IN_PATH = '.spec.replicas'

/** Undefined where nothing is written that a quota could count. Rejects as `KubeClient` does. */
export async function reviewedObject(
  request: AdmissionRequest,
  resource: ServerResource,
  context: ReviewContext,
  options: CallOptions,
): Promise<ReviewedObject | undefined> {
  const { operation, object, oldObject } = request
  if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return undefined
  const namespace = resource.namespaced ? request.namespace : ''
  if (request.subResource === 'scale') return await scaledObject(request, namespace, resource, context, options)
  const { name = request.name, uid = '' } = object.metadata
  const base = operation === 'CREATE' ? '' : (oldObject?.metadata.resourceVersion ?? '')
  // An update may create the object.
  const isCreate = operation === 'CREATE' || base === ''
  return {
    operation: isCreate ? 'CREATE' : 'UPDATE',
    namespace,
    name,
    uid,
    base,
    object,
    oldObject: isCreate ? undefined : oldObject,
  }
}

/** A Scale has only the number of replicas: the rest of the object is read, and gets that number. */
async function scaledObject(
  { object, oldObject, name }: AdmissionRequest,
  namespace: string,
  resource: ServerResource,
  { client, crd }: ReviewContext,
  options: CallOptions,
): Promise<ReviewedObject | undefined> {
  const spec = object?.['spec']
  const replicas = isObject(spec) ? (spec['replicas'] ?? 0) : 0
  const parent = await client.get<KubeObject>(resource, { namespace, name }, options)
  const path = crd(`${resource.resource}.${resource.group}`)?.scalePaths[resource.version] ?? BUILT_IN_PATH
  return {
    operation: 'UPDATE',
    namespace,
    name,
    uid: parent.metadata.uid ?? '',
    base: oldObject?.metadata.resourceVersion ?? parent.metadata.resourceVersion ?? '',
    object: withValue(
      parent,
      path.split('.').filter((step) => step !== ''),
      replicas,
    ) as KubeObject,
    oldObject: parent,
  }
}

function withValue(object: JsonObject, [step, ...rest]: readonly string[], value: unknown): JsonObject {
  if (step === undefined) return object
  const copy: Record<string, unknown> = { ...object }
  const inner = isObject(object[step]) ? object[step] : {}
  setOwn(copy, step, rest.length === 0 ? value : withValue(inner, rest, value))
  return copy
}
