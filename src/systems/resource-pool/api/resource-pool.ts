import { CAPSULE_GROUP, CAPSULE_VERSION } from '../../../api/capsule.ts'
import { conditionSchema } from '../../../api/condition.ts'
import { listOf, mapOf, resourceList, wantedResources } from '../../../api/definition/collection.ts'
import { customResource, type ObjectOf } from '../../../api/definition/custom-resource.ts'
import { labelSelector } from '../../../api/definition/label-selector-type.ts'
import { objectName } from '../../../api/definition/name-schema.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { boolean, choice, integer, quantity, text } from '../../../api/definition/scalar-type.ts'
import { defaulted, optional, type TypeOf, withDescription } from '../../../api/definition/schema.ts'
import { limitRangeSpec } from './limit-range-spec-schema.ts'
import { resourceQuotaSpec } from '../../resource-quota/api/spec-schema.ts'
import { POOL_CONDITIONS } from './pool-conditions.ts'

const config = object('How the pool treats its claims.', {
  defaultsZero: defaulted(
    boolean(
      'Gives each resource of the quota that has no default the default 0: a namespace has none of it before it claims.',
    ),
    false,
  ),
  orderedQueue: defaulted(
    boolean('Lets no claim pass an older one that waits for the same resource. Without it whatever fits is allocated.'),
    false,
  ),
  deleteBoundResources: defaulted(
    boolean('Deletes the claims together with the pool. Without it they stay and belong to no pool.'),
    false,
  ),
  oversizedClaims: optional(
    choice(
      'How a claim that asks for more than the whole pool is queued. Queue, the default: it waits in its place, and in an ordered queue others wait behind it. StandAside: others pass it until the pool grows.',
      ['Queue', 'StandAside'],
      'Queue',
    ),
  ),
})

const spec = object('The amounts of the pool, and the namespaces that may use them.', {
  selectors: optional(
    listOf('The namespaces that may claim from the pool: those that any of these selects.', labelSelector),
  ),
  quota: resourceQuotaSpec('The amounts that all namespaces of the pool share, and the scopes that their quotas get.'),
  defaults: optional(
    wantedResources(
      'Amounts that each namespace of the pool gets on top of its claims. They are not taken from the shared amounts.',
    ),
  ),
  limitRange: optional(
    limitRangeSpec(
      'The LimitRange that each namespace of the pool gets, so that workloads without requests fit the quota.',
    ),
  ),
  config: defaulted(config, {}),
})

const allocatedClaim = object('A claim that was given its amounts.', {
  name: objectName('The name of the claim.'),
  namespace: objectName('The namespace of the claim.'),
  uid: text('The uid of the claim.'),
  claims: optional(resourceList('The amounts that it was given.')),
})

const allocation = object('The amounts of the pool, and how much of them is claimed.', {
  hard: optional(resourceList('The amounts that the pool holds.')),
  used: optional(resourceList('The amounts that are claimed, whether or not workloads use them.')),
  available: optional(resourceList('The amounts that can still be claimed.')),
})

const exhaustion = object('A resource of which less is left than claims wait for.', {
  available: optional(quantity('How much is left.')),
  requesting: optional(quantity('How much the waiting claims ask for.')),
})

const release = object('The amounts that one namespace gave back.', {
  room: resourceList('The amounts.'),
  token: optional(
    text(
      'Distinguishes this release from earlier ones of the same namespace. Without one nothing is being taken back: workloads use the amounts.',
    ),
  ),
})

const waitingClaim = object('A claim that waits.', {
  position: optional(integer('The place of the claim in the queue, from 1.')),
  namespace: text('The namespace of the claim.'),
  name: text('The name of the claim.'),
  reason: text('Why it waits, as one word for programs.'),
  for: text('The amounts that it waits for.'),
})

const obstacle = {
  name: text('The name of the namespace.'),
  message: text('The reason, as a sentence for people.'),
}
const blockedNamespace = object('A namespace where the pool has no quota.', obstacle)
const withoutLimitRange = object('A namespace where the pool has no LimitRange.', obstacle)

const frozenClaim = object('A claim that has ended while workloads use it.', {
  namespace: text('The namespace of the claim.'),
  name: text('The name of the claim.'),
  endedAt: text('When it ended.', { format: 'date-time' }),
})

const count = (description: string) => defaulted(integer(description), 0)

const status = object('The last observed state of the pool.', {
  observedGeneration: optional(integer('The generation of the pool that this status speaks of.', { format: 'int64' })),
  namespaceCount: count('How many namespaces the pool has.'),
  claimCount: count('How many claims have their amounts from the pool.'),
  namespaces: optional(listOf('The namespaces of the pool, sorted.', text())),
  claims: optional(
    mapOf(
      'The claims that have their amounts from the pool, by namespace.',
      listOf('The claims of one namespace.', allocatedClaim),
    ),
  ),
  allocation: optional(allocation),
  exhaustions: optional(mapOf('The resources of which less is left than claims wait for.', exhaustion)),
  releasing: optional(
    mapOf(
      'Amounts that were taken back from a namespace and are not free before its ResourceQuota no longer allows them.',
      release,
    ),
  ),
  waitingCount: optional(integer('How many claims wait for their amounts.')),
  waiting: optional(listOf('The first of the claims that wait, in the order in which they are served.', waitingClaim)),
  blockedBy: optional(
    withDescription('The claim that is larger than the whole pool, and that others wait behind.', waitingClaim),
  ),
  blockedNamespaces: optional(
    listOf(
      'Namespaces where the pool cannot have its quota, and so gives nothing. At most 100 are listed.',
      blockedNamespace,
    ),
  ),
  withoutLimitRange: optional(
    listOf('Namespaces where the pool cannot have its LimitRange. At most 100 are listed.', withoutLimitRange),
  ),
  frozenCount: optional(integer('How many claims have ended and keep their amounts, since workloads use them.')),
  frozen: optional(listOf('The first 20 of these claims.', frozenClaim)),
  conditions: listOf('Whether the pool is ready and whether it is exhausted.', conditionSchema),
})

/** `capsule.clastix.io/v1beta2 ResourcePool` (as in Capsule 0.14), with `config.oversizedClaims`, `limitRange` and parts of the status of our own. */
export const resourcePool = customResource({
  group: CAPSULE_GROUP,
  version: CAPSULE_VERSION,
  kind: 'ResourcePool',
  plural: 'resourcepools',
  shortNames: ['quotapool'],
  namespaced: false,
  description: 'Amounts of resources that several namespaces share: each gets what its ResourcePoolClaims ask for.',
  columns: [
    {
      name: 'Claims',
      type: 'integer',
      description: 'How many claims have their amounts from the pool',
      jsonPath: '.status.claimCount',
    },
    {
      name: 'Namespaces',
      type: 'integer',
      description: 'How many namespaces the pool has',
      jsonPath: '.status.namespaceCount',
    },
    {
      name: 'Ready',
      type: 'string',
      description: 'Whether the pool works',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    },
    {
      name: 'Status',
      type: 'string',
      description: 'The message of the Ready condition',
      jsonPath: '.status.conditions[?(@.type=="Ready")].message',
    },
    { name: 'Age', type: 'date', description: 'How old the pool is', jsonPath: '.metadata.creationTimestamp' },
    { name: 'Hard', type: 'string', description: 'The amounts that the pool holds', jsonPath: '.spec.quota.hard' },
    {
      name: 'Claimed',
      type: 'string',
      description: 'The amounts that are claimed',
      jsonPath: '.status.allocation.used',
    },
  ],
  conditions: POOL_CONDITIONS,
  spec,
  status,
  unseenStatus: { observedGeneration: -1, conditions: [] },
})

export type ResourcePool = ObjectOf<typeof resourcePool>
export type ResourcePoolSpec = TypeOf<typeof spec>
export type ResourcePoolStatus = TypeOf<typeof status>
/** One entry of `status.claims`. */
export type AllocatedClaim = TypeOf<typeof allocatedClaim>
/** `status.allocation`. */
export type PoolAllocation = TypeOf<typeof allocation>
/** One entry of `status.exhaustions`. */
export type PoolExhaustion = TypeOf<typeof exhaustion>
/** One entry of `status.waiting`. */
export type PoolWaitingClaim = TypeOf<typeof waitingClaim>
/** One entry of `status.frozen`. */
export type PoolFrozenClaim = TypeOf<typeof frozenClaim>
/** One entry of `status.releasing`. */
export type PoolRelease = TypeOf<typeof release>
