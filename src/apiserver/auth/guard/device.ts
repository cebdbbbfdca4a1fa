import type { ResourceClaim, ResourceClaimStatus, ResourceClaimTemplate } from '../../../builtin/resource-v1.ts'
import { type FieldError, forbidden } from '../../../machinery/field-error.ts'
import { isDNS1123Subdomain } from '../../../machinery/names.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { WriteReview } from '../../storing/review.ts'
import { type Caller, serviceAccountOf } from '../../../machinery/caller.ts'
import { semanticallyEqual } from '../../../kinds/rule/equality.ts'
import { objectOf, objectsOf, specOf, statusOf, textOf, textsOf, valueAt } from '../../../machinery/read.ts'
import { deviceKey } from '../../../kinds/resource/resource-claim-strategy.ts'
import { forbiddenAction, type ResourceAction } from '../request/action.ts'
import type { GuardedWorld } from './guarded-world.ts'

const LABEL = 'resource.kubernetes.io/admin-access'
const NODE_NAME = 'authentication.kubernetes.io/node-name'
const STATUS = 'status'
const DEVICES = 'status.devices'

/**
 * Devices are lent with the rights of their administrators only in namespaces that are labelled for that (upstream
 * `AuthorizedForAdmin`). The spec of a claim cannot change, so that only a create is asked about.
 */
export function guardAdminAccess({ store }: GuardedWorld, review: WriteReview): readonly FieldError[] {
  if (review.operation !== 'CREATE') return []
  const { object } = review
  const requests = [
    ...objectsOf(objectOf(specOf<ResourceClaim>(object).devices).requests),
    ...objectsOf(objectOf(objectOf(specOf<ResourceClaimTemplate>(object).spec).devices).requests),
  ]
  const index = requests.findIndex(({ exactly }) => objectOf(exactly).adminAccess === true)
  return index < 0 ? [] : demandLabel(store, review, `spec.devices.requests[${index}].adminAccess`)
}

function demandLabel(store: GuardedWorld['store'], { namespace }: WriteReview, path: string): readonly FieldError[] {
  if (store.latest('namespaces', namespace)?.object.metadata.labels?.[LABEL] === 'true') return []
  return [forbidden(path, `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`)]
}

/**
 * A client that allocates devices must hold `resourceclaims/binding`. One that reports devices must hold `resourceclaims/driver`
 * with the driver's name: a driver on a node reports about claims of that node alone (upstream `AuthorizedForBinding` and
 * `AuthorizedForDeviceStatus`, the feature DRAResourceClaimGranularStatusAuthorization, on since 1.36).
 */
export function guardClaimStatus(world: GuardedWorld, review: WriteReview): readonly FieldError[] {
  const [now, before] = [statusOf<ResourceClaim>(review.object), statusOf<ResourceClaim>(review.oldObject ?? NOTHING)]
  return [
    ...guardGrantedAccess(world, review, now, before),
    ...guardAllocation(world, review, now, before),
    ...guardDevices(world, review, now, before),
  ]
}

const NOTHING: KubeObject = { apiVersion: '', kind: '', metadata: {} }

function guardGrantedAccess(
  { store }: GuardedWorld,
  review: WriteReview,
  now: ResourceClaimStatus,
  before: ResourceClaimStatus,
): readonly FieldError[] {
  if (grantedAt(before) >= 0) return []
  const index = grantedAt(now)
  return index < 0 ? [] : demandLabel(store, review, `status.allocation.devices.results[${index}].adminAccess`)
}

const grantedAt = (status: ResourceClaimStatus): number =>
  objectsOf(valueAt(status, 'allocation', 'devices', 'results')).findIndex(({ adminAccess }) => adminAccess === true)

function guardAllocation(
  { authorizer }: GuardedWorld,
  review: WriteReview,
  now: ResourceClaimStatus,
  before: ResourceClaimStatus,
): readonly FieldError[] {
  if ((['allocation', 'reservedFor'] as const).every((field) => semanticallyEqual(now[field], before[field]))) return []
  // For all claims at once: an allocator works for the whole cluster.
  const action = claimAction(review, { verb: verbOf(review), subresource: 'binding', namespace: '', name: '' })
  const { allowed, reason } = authorizer.decide(review.caller, action)
  if (allowed) return []
  const why = forbiddenAction(review.caller, action, reason).message
  return [
    forbidden(
      STATUS,
      `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${action.verb}" permission: ${why}`,
    ),
  ]
}

function guardDevices(
  { authorizer }: GuardedWorld,
  review: WriteReview,
  now: ResourceClaimStatus,
  before: ResourceClaimStatus,
): readonly FieldError[] {
  const drivers = changedDrivers(now, before)
  if (drivers.length === 0) return []
  const isNear = isOnNode(review.caller, allocatedNode(now))
  const verbs = [...(isNear ? ['associated-node'] : []), 'arbitrary-node'].map((of) => `${of}:${verbOf(review)}`)
  return drivers.flatMap((name) => {
    const { namespace } = review
    const actions = verbs.map((verb) => claimAction(review, { verb, subresource: 'driver', namespace, name }))
    const [first] = actions
    if (first === undefined || actions.some((action) => authorizer.decide(review.caller, action).allowed)) return []
    const why = forbiddenAction(review.caller, first, authorizer.decide(review.caller, first).reason).message
    return [
      forbidden(
        DEVICES,
        `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${why}`,
      ),
    ]
  })
}

const claimAction = (
  { resource }: WriteReview,
  what: Pick<ResourceAction, 'verb' | 'subresource' | 'namespace' | 'name'>,
): ResourceAction => ({ type: 'resource', ...resource.id, ...what })

const verbOf = ({ verb = 'update' }: WriteReview): string => verb

/** The drivers of devices whose report was added, changed or removed, sorted. */
function changedDrivers(now: ResourceClaimStatus, before: ResourceClaimStatus): readonly string[] {
  const left = new Map(objectsOf(before.devices).map((device) => [deviceKey(device), device]))
  const changed = new Set<string>()
  for (const device of objectsOf(now.devices)) {
    const key = deviceKey(device)
    if (!semanticallyEqual(left.get(key), device)) changed.add(textOf(device.driver))
    left.delete(key)
  }
  for (const device of left.values()) changed.add(textOf(device.driver))
  return [...changed].toSorted()
}

/** The one node that an allocation is for; '' where it is for several, or for none by name. */
function allocatedNode(status: ResourceClaimStatus): string {
  const [term, ...others] = objectsOf(valueAt(status, 'allocation', 'nodeSelector', 'nodeSelectorTerms'))
  const [field, ...more] = objectsOf(term?.matchFields)
  const [name = '', ...names] = textsOf(field?.values)
  const isOne = others.length + more.length + names.length + objectsOf(term?.matchExpressions).length === 0
  return isOne && field?.key === 'metadata.name' && field.operator === 'In' ? name : ''
}

/** Is the caller a ServiceAccount whose token is bound to a pod on the node? */
function isOnNode({ name, extra }: Caller, node: string): boolean {
  const nodes = extra?.[NODE_NAME] ?? []
  return (
    node !== '' &&
    serviceAccountOf(name) !== undefined &&
    nodes.length === 1 &&
    nodes[0] === node &&
    isDNS1123Subdomain(node).length === 0
  )
}
