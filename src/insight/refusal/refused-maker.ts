import { WORKLOAD_KINDS, type WorkloadKind } from '../explain/workload-kinds.ts'
import { flatText } from '../../machinery/flat-text.ts'
import { groupOf, type GroupVersionResource } from '../../machinery/group-version.ts'
import { isDNS1123Label, isDNS1123Subdomain } from '../../machinery/names.ts'
import { controllerOf, type KubeObject, type OwnerReference } from '../../machinery/object.ts'
import { objectOf, textAt } from '../../machinery/read.ts'

/** A kind of workloads, as one asks an API server for it. */
interface ResourceKind extends GroupVersionResource {
  readonly kind: string
  readonly namespaced: true
}

/** A workload that an Event names. Nothing says yet that it exists. */
export interface RefusedMaker {
  readonly resource: ResourceKind
  readonly workload: WorkloadKind
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/** The versions of each kind that this program reads. Others are not asked for. */
const KINDS: ReadonlyMap<string, readonly string[]> = new Map([
  ['ReplicaSet', ['apps/v1']],
  ['StatefulSet', ['apps/v1']],
  ['DaemonSet', ['apps/v1']],
  ['ReplicationController', ['v1']],
  ['Job', ['batch/v1']],
  ['CronJob', ['batch/v1', 'batch/v1beta1']],
  ['Deployment', ['apps/v1']],
])
/** A tenant writes owner references as it likes. These owners do make such workloads, in the same namespace. */
const OWNERS: ReadonlyMap<string, string> = new Map([
  ['ReplicaSet', 'Deployment'],
  ['Job', 'CronJob'],
])
const UID = /^[-0-9A-Za-z]{1,64}$/

/** The workload that an Event is about, as far as the Event may be believed: a tenant may have written each field. */
export function refusedMaker(event: KubeObject): RefusedMaker | undefined {
  const about = objectOf(event['involvedObject'])
  const [namespace, name, uid] = [textAt(about, 'namespace'), textAt(about, 'name'), textAt(about, 'uid')]
  const kind = textAt(about, 'kind')
  const resource = resourceKind(textAt(about, 'apiVersion'), kind)
  const workload = WORKLOAD_KINDS.get(kind)
  if (resource === undefined || workload === undefined || namespace !== event.metadata.namespace) return undefined
  if (isDNS1123Label(namespace).length > 0 || !isName(name) || !UID.test(uid)) return undefined
  return { resource, workload, namespace: flatText(namespace), name: flatText(name), uid: flatText(uid) }
}

/** An owner whose object can be read: it has to be asked whether it is the one. */
export interface NamedOwner {
  readonly resource: ResourceKind
  readonly reference: OwnerReference
}

/** The object that made a workload, as the workload says; undefined where such a workload is not made by such an object. */
export function namedOwner(object: KubeObject, kind: string): NamedOwner | undefined {
  const reference = controllerOf(object)
  if (reference === undefined || OWNERS.get(kind) !== reference.kind || !isName(reference.name)) return undefined
  const resource = resourceKind(reference.apiVersion, reference.kind)
  return resource === undefined ? undefined : { resource, reference }
}

function resourceKind(apiVersion: string, kind: string): ResourceKind | undefined {
  const known = WORKLOAD_KINDS.get(kind)
  const is = (KINDS.get(kind) ?? []).find((one) => one === apiVersion)
  if (known === undefined || is === undefined) return undefined
  const group = groupOf(is)
  const version = is.slice(group === '' ? 0 : group.length + 1)
  return { group, version, resource: known.resource, kind, namespaced: true }
}

const isName = (name: string): boolean => name.length <= 253 && isDNS1123Subdomain(name).length === 0
