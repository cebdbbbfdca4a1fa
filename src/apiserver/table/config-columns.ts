import type { Event as NewEvent } from '../../builtin/events-v1.ts'
import type { LeaseCandidate } from '../../builtin/coordination-v1beta1.ts'
import type {
  ComponentStatus,
  ConfigMap,
  Event,
  Namespace,
  Node,
  NodeSystemInfo,
  Secret,
  ServiceAccount,
} from '../../builtin/core-v1.ts'
import type { Lease } from '../../builtin/coordination-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { countOf, listOf, objectOf, objectsOf, specOf, statusOf, textAt, textOf } from '../../machinery/read.ts'
import { column, type Column, wide } from './column.ts'
import { since } from './duration.ts'
import { ageColumn, nameColumn, orNone, UNKNOWN } from './shared-columns.ts'

const size = (map: unknown): number => Object.keys(objectOf(map)).length

export const configMapColumns: readonly Column[] = [
  nameColumn,
  column('Data', 'How many entries it has.', (object: ConfigMap) => size(object.data) + size(object.binaryData)),
  ageColumn,
]

export const secretColumns: readonly Column[] = [
  nameColumn,
  column('Type', 'The type of the secret.', (object: Secret) => textOf(object.type)),
  column('Data', 'How many entries it has.', (object: Secret) => size(object.data)),
  ageColumn,
]

export const serviceAccountColumns: readonly Column[] = [
  nameColumn,
  column('Secrets', 'How many secrets it refers to.', (object: ServiceAccount) => listOf(object.secrets).length),
  ageColumn,
]

export const namespaceColumns: readonly Column[] = [
  nameColumn,
  column('Status', 'Active, or Terminating while it is being deleted.', (object: Namespace) =>
    textAt(object, 'status', 'phase'),
  ),
  ageColumn,
]

const ROLE_PREFIX = 'node-role.kubernetes.io/'

function nodeStatus(object: Node): string {
  const ready = objectsOf(statusOf(object).conditions).find((condition) => condition.type === 'Ready')
  const word = ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'
  return specOf(object).unschedulable === true ? `${word},SchedulingDisabled` : word
}

function nodeRoles(object: KubeObject): string {
  const roles = Object.entries(object.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX) && key !== ROLE_PREFIX) return [key.slice(ROLE_PREFIX.length)]
    return key === 'kubernetes.io/role' && value !== '' ? [value] : []
  })
  return orNone([...new Set(roles)].toSorted().join(','))
}

const nodeAddress =
  (type: string) =>
  (object: Node): string =>
    orNone(textOf(objectsOf(statusOf(object).addresses).find((address) => address.type === type)?.address))

const nodeInfo =
  (field: keyof NodeSystemInfo) =>
  (object: Node): string =>
    textAt(object, 'status', 'nodeInfo', field) || UNKNOWN

export const nodeColumns: readonly Column[] = [
  nameColumn,
  column('Status', 'Whether it takes pods.', nodeStatus),
  column('Roles', 'The roles of the node.', nodeRoles),
  ageColumn,
  column('Version', 'Version of the kubelet.', (object: Node) =>
    textAt(object, 'status', 'nodeInfo', 'kubeletVersion'),
  ),
  wide('Internal-IP', 'Its address inside the cluster.', nodeAddress('InternalIP')),
  wide('External-IP', 'Its address outside the cluster.', nodeAddress('ExternalIP')),
  wide('OS-Image', 'Its operating system.', nodeInfo('osImage')),
  wide('Kernel-Version', 'Version of its kernel.', nodeInfo('kernelVersion')),
  wide('Container-Runtime', 'What runs its containers.', nodeInfo('containerRuntimeVersion')),
]

/** Events of core/v1 and of events.k8s.io/v1 are the same; the later names come second. */
type AnyEvent = Event &
  Pick<NewEvent, 'note' | 'regarding' | (`deprecated${string}` & keyof NewEvent) | 'reportingController'>

const firstSeen = (object: AnyEvent): unknown =>
  object.firstTimestamp ?? object.deprecatedFirstTimestamp ?? object.eventTime

const lastSeen = (object: AnyEvent): unknown =>
  objectOf(object.series).lastObservedTime ??
  object.lastTimestamp ??
  object.deprecatedLastTimestamp ??
  firstSeen(object)

const involved = (object: AnyEvent) => objectOf(object.involvedObject ?? object.regarding)

function eventSource(object: AnyEvent): string {
  const source = objectOf(object.source ?? object.deprecatedSource)
  const component = textOf(source.component) || textOf(object.reportingComponent) || textOf(object.reportingController)
  const host = textOf(source.host) || textOf(object.reportingInstance)
  return host === '' ? component : `${component}, ${host}`
}

const eventCount = (object: AnyEvent): number =>
  countOf(objectOf(object.series).count) || countOf(object.count) || countOf(object.deprecatedCount) || 1

export const eventColumns: readonly Column[] = [
  column('Last Seen', 'How long ago it last happened.', (object: AnyEvent, { now }) => since(lastSeen(object), now)),
  column('Type', 'Normal or Warning.', (object: AnyEvent) => textOf(object.type)),
  column('Reason', 'The reason of the event, in a word.', (object: AnyEvent) => textOf(object.reason)),
  column('Object', 'The object that the event is about.', (object: AnyEvent) => {
    const { kind, name } = involved(object)
    const word = textOf(kind).toLowerCase()
    return textOf(name) === '' ? word : `${word}/${textOf(name)}`
  }),
  wide('Subobject', 'The part that it happened to.', (object: AnyEvent) => textOf(involved(object).fieldPath)),
  wide('Source', 'Who says so.', eventSource),
  column('Message', 'The event, as a sentence.', (object: AnyEvent) =>
    (textOf(object.message) || textOf(object.note)).trim(),
  ),
  wide('First Seen', 'How long ago it first happened.', (object: AnyEvent, { now }) => since(firstSeen(object), now)),
  column('Count', 'How often it happened.', eventCount, { priority: 1 }),
  column('Name', 'Name of the event.', (object: AnyEvent) => object.metadata.name ?? '', {
    format: 'name',
    priority: 1,
  }),
]

export const componentStatusColumns: readonly Column[] = [
  nameColumn,
  column('Status', 'Whether it is healthy.', (object: ComponentStatus) => {
    const healthy = objectsOf(object.conditions).find((condition) => condition.type === 'Healthy')
    if (healthy === undefined) return 'Unknown'
    return healthy.status === 'True' ? 'Healthy' : 'Unhealthy'
  }),
  column('Message', 'The message of the condition.', (object: ComponentStatus) =>
    textOf(objectsOf(object.conditions)[0]?.message),
  ),
  column('Error', 'The error of the condition.', (object: ComponentStatus) =>
    textOf(objectsOf(object.conditions)[0]?.error),
  ),
]

export const leaseColumns: readonly Column[] = [
  nameColumn,
  column('Holder', 'The identity of the holder.', (object: Lease) => textOf(specOf(object).holderIdentity)),
  ageColumn,
]

export const leaseCandidateColumns: readonly Column[] = [
  nameColumn,
  column('LeaseName', 'The lease that it wants.', (object: LeaseCandidate) => textOf(specOf(object).leaseName)),
  column('BinaryVersion', 'The version that it is.', (object: LeaseCandidate) => textOf(specOf(object).binaryVersion)),
  column('EmulationVersion', 'The version that it behaves as.', (object: LeaseCandidate) =>
    textOf(specOf(object).emulationVersion),
  ),
  ageColumn,
]
