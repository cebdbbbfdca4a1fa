import { CAPSULE_GROUP, CAPSULE_VERSION } from '../../../api/capsule.ts'
import { conditionSchema } from '../../../api/condition.ts'
import { listOf, resourceList } from '../../../api/definition/collection.ts'
import { customResource, type ObjectOf } from '../../../api/definition/custom-resource.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { boolean, integer, quantity, text } from '../../../api/definition/scalar-type.ts'
import { optional, type TypeOf } from '../../../api/definition/schema.ts'

/** On a QuantityLedger: its manager. Capsule keeps the older prefix for this kind. */
export const LEDGER_MANAGED_BY_LABEL = 'capsule.clastix.io/managed-by'
export const LEDGER_MANAGED_BY = 'controller'

const targetRef = object('The quota that the ledger belongs to.', {
  apiGroup: optional(text('The group of the quota.')),
  kind: text('The kind of the quota.', { minLength: 1 }),
  name: text('The name of the quota.', { minLength: 1 }),
  namespace: optional(text('The namespace of the quota; empty for one outside namespaces.')),
  uid: optional(text('The uid of the quota.')),
})

const spec = object('The quota that the ledger belongs to.', { targetRef })

const objectRef = object('An object that is counted.', {
  apiGroup: optional(text('The group of the object.')),
  apiVersion: text('The version of the object, without its group.', { minLength: 1 }),
  kind: text('The kind of the object.', { minLength: 1 }),
  namespace: optional(text('The namespace of the object.')),
  name: optional(text('The name of the object.')),
  uid: optional(text('The uid of the object.')),
})

const time = (description: string) => text(description, { format: 'date-time' })

/** When a reservation was made, and when it is expected to end. */
const reservationTimes = {
  createdAt: time('When the reservation was made.'),
  updatedAt: time('When the reservation was last changed.'),
  expiresAt: optional(time('When the reservation is expected to end.')),
}

const reservation = object('An amount that is held for an allowed request until its object is observed.', {
  id: text('Names the reservation.', { minLength: 1 }),
  usage: quantity('The usage of the object after the request.'),
  delta: optional(quantity('The increase over the counted usage. Without it, the whole usage is an increase.')),
  objectRef,
  ...reservationTimes,
})

const pendingDelete = object('An object that is expected to be deleted soon.', {
  id: optional(text('Names the request.')),
  objectRef,
  createdAt: time('When the request came.'),
})

const resourceQuotaReservation = object('A reservation of several amounts.', {
  id: text('Names the reservation.', { minLength: 1 }),
  usage: optional(resourceList('The usage of the object after the request.')),
  delta: optional(resourceList('The increase over the counted usage.')),
  objectRef: optional(objectRef),
  createdAt: optional(time('When the reservation was made.')),
  updatedAt: optional(time('When the reservation was last changed.')),
  expiresAt: optional(time('When the reservation is expected to end.')),
})

/** In ledgers of ResourceQuotas allot writes it, for people. In others it stays as other programs that share the kind wrote it. */
const resourceQuota = object(
  'The ledger of a GlobalResourceQuota.',
  {
    observedGeneration: optional(
      integer('The generation of the quota that the usage was counted for.', { format: 'int64' }),
    ),
    initialized: optional(boolean('Whether the usage has been counted.')),
    namespaces: optional(listOf('The namespaces whose objects are counted.', text())),
    used: optional(resourceList('The counted usage.')),
    reserved: optional(resourceList('The sum of the reservations.')),
    allocated: optional(resourceList('The sum of the counted usage and the reservations.')),
    reservations: optional(listOf('The reservations.', resourceQuotaReservation)),
  },
  { preserveUnknownFields: true },
)

const status = object('The counted usage of the quota and its reservations.', {
  reserved: optional(quantity('The sum of the reservations beyond the counted usage.')),
  allocated: optional(quantity('The sum of the counted usage and the reservations.')),
  reservations: optional(
    listOf('The first of the reservations, for people to read. The field outstanding holds all of them.', reservation),
  ),
  pendingDeletes: optional(
    listOf('Objects that are expected to be deleted soon. allot does not need them.', pendingDelete),
  ),
  outstanding: optional(
    text('The counted usage by kind and every reservation, in a compact form that only allot reads and writes.'),
  ),
  conditions: optional(listOf('Facts about the ledger. allot sets none.', conditionSchema)),
  resourceQuota: optional(resourceQuota),
})

/** `capsule.clastix.io/v1beta2 QuantityLedger` (as in Capsule 0.14), with allot's own field `status.outstanding`. */
export const quantityLedger = customResource({
  group: CAPSULE_GROUP,
  version: CAPSULE_VERSION,
  kind: 'QuantityLedger',
  plural: 'quantityledgers',
  shortNames: ['ql'],
  namespaced: true,
  description: 'The counted usage of a quota and its reservations, which all replicas of the admission webhook share.',
  columns: [
    {
      name: 'TargetKind',
      type: 'string',
      description: 'The kind of the quota',
      jsonPath: '.spec.targetRef.kind',
    },
    {
      name: 'TargetNamespace',
      type: 'string',
      description: 'The namespace of the quota',
      jsonPath: '.spec.targetRef.namespace',
    },
    { name: 'TargetName', type: 'string', description: 'The name of the quota', jsonPath: '.spec.targetRef.name' },
    { name: 'Reserved', type: 'string', description: 'How much is reserved', jsonPath: '.status.reserved' },
    { name: 'Age', type: 'date', description: 'How old the ledger is', jsonPath: '.metadata.creationTimestamp' },
    {
      name: 'Allocated',
      type: 'string',
      description: 'How much is used and reserved',
      jsonPath: '.status.allocated',
    },
    {
      name: 'Amounts',
      type: 'string',
      description: 'How much of each resource is used and reserved, of a ResourceQuota',
      jsonPath: '.status.resourceQuota.allocated',
    },
  ],
  spec,
  optionalSpec: true,
  status,
})

export type QuantityLedger = ObjectOf<typeof quantityLedger>
export type QuantityLedgerSpec = TypeOf<typeof spec>
export type QuantityLedgerStatus = TypeOf<typeof status>
/** `spec.targetRef`. */
export type LedgerTarget = TypeOf<typeof targetRef>
/** One entry of `status.reservations`. */
export type LedgerReservation = TypeOf<typeof reservation>
/** Names a counted object in a ledger. */
export type LedgerObjectRef = TypeOf<typeof objectRef>
