import type { Pod, PodSpec } from '../../builtin/core-v1.ts'
import { failure, forbidden, notFound } from '../../machinery/status.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { specOf, textOf } from '../../machinery/read.ts'
import type { AdmissionPlugin } from './chain.ts'
import type { WriteReview } from '../storing/review.ts'

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io'
const PRIORITY_CLASSES = 'priorityclasses.scheduling.k8s.io'
const MIRROR = 'kubernetes.io/config.mirror'

/** The objects that a new pod refers to and that admission looked up, with the error when one of them is gone. */
const POD_REFERENCES: readonly {
  readonly field: keyof PodSpec
  readonly bucket: string
  readonly namespaced: boolean
  /** A name that a pod may have without the object. */
  readonly optional?: string
  readonly refusal: (name: string, namespace: string) => string
}[] = [
  {
    field: 'priorityClassName',
    bucket: PRIORITY_CLASSES,
    namespaced: false,
    refusal: (name) => `no PriorityClass with name ${name} was found`,
  },
  {
    field: 'runtimeClassName',
    bucket: 'runtimeclasses.node.k8s.io',
    namespaced: false,
    refusal: (name) => `pod rejected: RuntimeClass "${name}" not found`,
  },
  {
    field: 'serviceAccountName',
    bucket: 'serviceaccounts',
    namespaced: true,
    optional: 'default',
    refusal: (name, namespace) =>
      `error looking up service account ${namespace}/${name}: serviceaccount ${JSON.stringify(name)} not found`,
  },
]

/**
 * Requires that the objects which plugins found still exist when the object is stored, after webhooks. These are the
 * classes and the account of a pod, the CRD of a custom resource, and the place of the one default class.
 */
export function foundReferences(store: StoredObjects): AdmissionPlugin {
  return {
    name: 'FoundReferences',
    holds: (review) => {
      if (review.subresource !== '') return
      checkCrd(store, review)
      checkPod(store, review)
      checkDefaultClass(store, review)
    },
  }
}

function checkPod(store: StoredObjects, { resource, operation, namespace, name, object }: WriteReview): void {
  if (resource.bucket !== 'pods' || operation !== 'CREATE' || object.metadata.annotations?.[MIRROR] !== undefined)
    return
  for (const { field, bucket, namespaced, optional, refusal } of POD_REFERENCES) {
    const asked = textOf(specOf<Pod>(object)[field])
    if (asked === '' || asked === optional) continue
    if (store.latest(bucket, namespaced ? `${namespace}/${asked}` : asked) === undefined)
      throw forbidden(resource.id, name, refusal(asked, namespace))
  }
}

function checkCrd(store: StoredObjects, { resource, operation, name }: WriteReview): void {
  if (resource.served.custom !== true || operation !== 'CREATE') return
  // A CRD is named after the resource, and so is the place of its objects.
  const crd = store.latest(CRDS, resource.bucket)
  if (crd === undefined) throw notFound(resource.id, name)
  if (crd.object.metadata.deletionTimestamp !== undefined)
    throw failure(405, 'MethodNotAllowed', 'create not allowed while custom resource definition is terminating', {
      group: resource.id.group,
      kind: resource.id.resource,
    })
}

function checkDefaultClass(store: StoredObjects, { resource, object }: WriteReview): void {
  if (resource.bucket !== PRIORITY_CLASSES || object['globalDefault'] !== true) return
  for (const other of store.latestIn(PRIORITY_CLASSES, undefined)) {
    if (other.object['globalDefault'] !== true || other.key === object.metadata.name) continue
    throw forbidden(
      resource.id,
      object.metadata.name ?? '',
      `PriorityClass ${other.key} is already marked as default. Only one default can exist`,
    )
  }
}
