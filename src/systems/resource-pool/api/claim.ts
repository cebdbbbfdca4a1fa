import { CAPSULE_GROUP, CAPSULE_VERSION } from '../../../api/capsule.ts'
import { conditionSchema } from '../../../api/condition.ts'
import { listOf, resourceList, wantedResources } from '../../../api/definition/collection.ts'
import { customResource, type ObjectOf } from '../../../api/definition/custom-resource.ts'
import { objectName } from '../../../api/definition/name-schema.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { choice, integer, text } from '../../../api/definition/scalar-type.ts'
import { optional, type TypeOf, withDescription } from '../../../api/definition/schema.ts'
import { CLAIM_CONDITIONS } from './pool-conditions.ts'

const spec = object('The amounts that are claimed, and the pool.', {
  pool: text('The ResourcePool to claim from. Empty: one that selects the namespace and has room is chosen.'),
  claim: wantedResources('The amounts that the namespace is to get.'),
  expiresAt: optional(
    text('When the claim ends: its amounts go back to the pool as soon as no workload uses them.', {
      format: 'date-time',
    }),
  ),
  ttlAfterBound: optional(
    text(
      'How long the claim lasts after workloads first used it, such as 720h. With expiresAt the earlier end counts.',
      {
        pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$',
        maxLength: 64,
      },
    ),
  ),
})

const assignedPool = object('The pool that the claim belongs to.', {
  name: objectName('The name of the pool.'),
  uid: text('The uid of the pool.'),
})

const waiting = object('The state of a claim that waits.', {
  reason: choice(
    'Why it waits, as one word for programs.',
    [
      'WaitingForRoom',
      'WaitingInQueue',
      'NoSuchPool',
      'PoolDoesNotSelectNamespace',
      'NoPool',
      'NeverFits',
      'NoQuota',
      'LedgerFull',
    ],
    'WaitingForRoom',
  ),
  message: text('Why it waits, as a sentence for people.'),
  for: text('The reason for the wait, in a few words.'),
  position: optional(
    integer('The place of the claim in the queue of the pool, from 1, while it is one of the first 20.'),
  ),
})

const status = object('The last observed state of the claim.', {
  observedGeneration: optional(integer('The generation of the claim that this status speaks of.', { format: 'int64' })),
  pool: optional(assignedPool),
  waiting: optional(waiting),
  boundAt: optional(text('When workloads first used the claim, where it has ttlAfterBound.', { format: 'date-time' })),
  endsAt: optional(text('When the claim ends or ended, where that is known.', { format: 'date-time' })),
  condition: optional(withDescription('No longer written; conditions took its place.', conditionSchema)),
  conditions: listOf(
    'Whether the claim has a pool, whether it waits for room, whether it is used, and whether it has ended.',
    conditionSchema,
  ),
  allocation: optional(
    object('No longer written.', {
      hard: optional(resourceList('No longer written.')),
      used: optional(resourceList('No longer written.')),
      available: optional(resourceList('No longer written.')),
    }),
  ),
})

/** `capsule.clastix.io/v1beta2 ResourcePoolClaim` (as in Capsule 0.14), with an end and `status.waiting` of our own. */
export const resourcePoolClaim = customResource({
  group: CAPSULE_GROUP,
  version: CAPSULE_VERSION,
  kind: 'ResourcePoolClaim',
  plural: 'resourcepoolclaims',
  namespaced: true,
  description: 'Asks a ResourcePool for amounts of resources. They are added to the quota of the namespace.',
  columns: [
    { name: 'Pool', type: 'string', description: 'The pool that the claim belongs to', jsonPath: '.status.pool.name' },
    {
      name: 'Ready',
      type: 'string',
      description: 'Whether the claim has a pool',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    },
    {
      name: 'Message',
      type: 'string',
      description: 'Why it has none, if so',
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
    },
    {
      name: 'Bound',
      type: 'string',
      description: 'Whether workloads use what was claimed',
      jsonPath: '.status.conditions[?(@.type=="Bound")].status',
    },
    {
      name: 'Reason',
      type: 'string',
      description: 'Why it is used or not',
      jsonPath: '.status.conditions[?(@.type=="Bound")].message',
    },
    { name: 'Age', type: 'date', description: 'How old the claim is', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Claim', type: 'string', description: 'The amounts that it asks for', jsonPath: '.spec.claim' },
    {
      name: 'Waiting For',
      type: 'string',
      description: 'The reason for the wait, if the claim waits',
      jsonPath: '.status.waiting.for',
    },
  ],
  conditions: CLAIM_CONDITIONS,
  spec,
  status,
  unseenStatus: { observedGeneration: -1, conditions: [] },
})

export type ResourcePoolClaim = ObjectOf<typeof resourcePoolClaim>
export type ResourcePoolClaimSpec = TypeOf<typeof spec>
export type ResourcePoolClaimStatus = TypeOf<typeof status>
/** `status.waiting`. */
export type ClaimWaiting = TypeOf<typeof waiting>
