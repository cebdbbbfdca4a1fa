import { MANAGED_BY_CONTROLLER, MANAGED_BY_LABEL, POOL_LABEL, RELEASE_ANNOTATION } from '../api/pool-names.ts'
import { CLAIM_WEBHOOK, POOL_WEBHOOK } from '../api/webhook-names.ts'
import { poolQuotaName } from '../api/quota-name.ts'
import { type ResourcePool, resourcePool } from '../api/resource-pool.ts'
import { type ResourcePoolClaim, resourcePoolClaim } from '../api/claim.ts'
import { isResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { claimAmountErrors, poolAmountErrors } from '../decide/amount/rules.ts'
import {
  admittedClaim,
  claimDeletionRefusal,
  type ClaimFacts,
  claimUpdateRefusal,
  poolNameOf,
} from '../decide/claim-guards.ts'
import { claimEndErrors } from '../decide/end/rules.ts'
import { limitRangeErrors } from '../decide/limit-range/pool-limit-range.ts'
import { selectorErrors } from '../decide/quota/pool-problem.ts'
import { poolUpdateRefusal, withZeroDefaults } from '../decide/pool-guards.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { isDNS1123Subdomain } from '../../../machinery/names.ts'
import { isObject, type KubeObject } from '../../../machinery/object.ts'
import { invalid, isNotFound } from '../../../machinery/status.ts'
import type { FieldError } from '../../../machinery/field-error.ts'
import { ifReadable } from '../../../quantity/quantity.ts'
import {
  type AdmissionDecision,
  allowed,
  denied,
  deniedAs,
  patched,
  type PatchOperation,
} from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import type { KubeClient, ObjectName, ResourceKind } from '../../../kube/client/kube-client.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import { withoutIdleLimits } from '../../generated-quota/operate/idle-limits-refusal.ts'
import type { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { AnsweredHook } from '../../../operator/shell/registered-webhooks.ts'
import { type HookCondition, notByOperator, type OperatorHookRule } from '../../../operator/webhook/configuration.ts'
import { NOT_COLLECTED, NOT_COUNTED, NOT_LEAVING } from '../../generated-quota/operate/harmless-change.ts'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import { claimLimits, reviewedLimits } from '../decide/idle-pool-limits.ts'
import type { PoolCaches } from './pool-caches.ts'
import { guardQuota, type QuotaGuardOptions } from './pool-quota-guard.ts'

export interface PoolHooksOptions extends QuotaGuardOptions {
  readonly client: KubeClient
  readonly limits: Pick<LimitCheck, 'judge'>
  readonly clock: Pick<Clock, 'now'>
}

const annotationsIn = (object: string): string =>
  `(has(${object}.metadata.annotations) && ${object}.metadata.annotations != null ? ${object}.metadata.annotations : {})`

const on = (
  { group, resource }: Pick<ResourceKind, 'group' | 'resource'>,
  ...operations: OperatorHookRule['operations']
): Pick<AnsweredHook, 'rules'> => ({ rules: [{ groups: [group], resources: [resource], operations }] })

/** The ResourceQuotas that pools keep. Namespaces must be able to go, and pods to be counted, also while nobody answers. */
const QUOTAS = {
  phase: 'validating',
  objectSelector: {
    matchLabels: { [MANAGED_BY_LABEL]: MANAGED_BY_CONTROLLER },
    matchExpressions: [{ key: POOL_LABEL, operator: 'Exists' }],
  },
} as const

/**
 * An update is not reviewed if it changes neither the spec nor an annotation. Otherwise each write of an owner
 * reference by the operator would be reviewed.
 */
const CHANGES_CLAIM: HookCondition = {
  name: 'changes-claim',
  expression: `request.operation != 'UPDATE' || object.spec != oldObject.spec || ${annotationsIn('object')} != ${annotationsIn('oldObject')}`,
}

/** A new claim is stored as it is when it names its pool and asks for no release (`admittedClaim`). */
const LACKS_SOMETHING: HookCondition = {
  name: 'names-no-pool-or-asks-for-release',
  expression: `!has(object.spec) || type(object.spec) != map || !has(object.spec.pool) || type(object.spec.pool) != string || object.spec.pool == '' || (request.operation == 'CREATE' && '${RELEASE_ANNOTATION}' in ${annotationsIn('object')})`,
}

/** The webhooks of resource pools, with the names and paths of Capsule 0.14. */
export function poolHooks(options: PoolHooksOptions): readonly AnsweredHook[] {
  return [...reviewsOfPools(options), ...reviewsOfClaims(options), ...quotaGuards(options)]
}

function reviewsOfPools({ limits }: PoolHooksOptions): readonly AnsweredHook[] {
  return [
    {
      phase: 'mutating',
      name: 'resourcepools.mutating.projectcapsule.dev',
      path: '/resourcepools/mutating',
      ...on(resourcePool, 'CREATE', 'UPDATE'),
      handle: async ({ object }) => (object === undefined ? allowed() : readably(() => mutatePool(object))),
    },
    {
      phase: 'validating',
      name: POOL_WEBHOOK,
      path: '/resourcepools/validating',
      ...on(resourcePool, 'CREATE', 'UPDATE'),
      handle: async (request, signal) =>
        withoutIdleLimits(
          readably(() => validatePool(request)),
          request,
          reviewedLimits,
          limits,
          signal,
        ),
    },
  ]
}

function reviewsOfClaims(options: PoolHooksOptions): readonly AnsweredHook[] {
  return [
    {
      phase: 'mutating',
      name: 'resourcepoolclaims.mutating.projectcapsule.dev',
      path: '/resourcepools/claim/mutating',
      ...on(resourcePoolClaim, 'CREATE', 'UPDATE'),
      conditions: [CHANGES_CLAIM, LACKS_SOMETHING],
      withoutConditions: [{}],
      handle: async (request) => readably(() => mutateClaim(request, options.caches)),
    },
    {
      phase: 'validating',
      name: CLAIM_WEBHOOK,
      path: '/resourcepools/claim/validating',
      ...on(resourcePoolClaim, 'CREATE', 'UPDATE', 'DELETE'),
      conditions: [CHANGES_CLAIM, NOT_LEAVING],
      withoutConditions: [
        on(resourcePoolClaim, 'CREATE', 'UPDATE'),
        {
          // Of the same name, since refusals name it.
          configuration: 'allot-deletions',
          path: '/resourcepools/claim/deletion/validating',
          ...on(resourcePoolClaim, 'DELETE'),
          failurePolicy: 'Ignore',
        },
      ],
      handle: async (request, signal) =>
        withoutIdleLimits(await validateClaim(request, options, signal), request, claimLimits, options.limits, signal),
    },
  ]
}

/** Nobody but the operator changes the quotas that pools keep. */
function quotaGuards(options: PoolHooksOptions): readonly AnsweredHook[] {
  const own = options.ownName()
  return [
    {
      ...QUOTAS,
      name: 'generated-quotas.validating.allot.dev',
      path: '/resourcepools/quotas/validating',
      ...on(RESOURCE_QUOTAS, 'UPDATE', 'DELETE'),
      conditions: [NOT_COLLECTED, ...notByOperator(own)],
      withoutConditions: [
        // Collectors change a quota only for somebody who deletes its pool and keeps what it owns: that can wait.
        on(RESOURCE_QUOTAS, 'UPDATE'),
        // A quota that went while nobody answered is made again.
        {
          name: 'generated-quotas-deletion.validating.allot.dev',
          path: '/resourcepools/quotas/deletion/validating',
          ...on(RESOURCE_QUOTAS, 'DELETE'),
          failurePolicy: 'Ignore',
        },
      ],
      handle: async (request) => guardQuota(request, options),
    },
    {
      ...QUOTAS,
      name: 'generated-quotas-status.validating.allot.dev',
      path: '/resourcepools/quotas/status/validating',
      ...on({ ...RESOURCE_QUOTAS, resource: `${RESOURCE_QUOTAS.resource}/status` }, 'UPDATE'),
      // Every pod that is admitted is charged to the status. Without conditions the webhook would be asked each time.
      conditions: [NOT_COUNTED, ...notByOperator(own)],
      handle: async (request) => guardQuota(request, options),
    },
  ]
}

const verdict = (refusal: string | undefined): AdmissionDecision =>
  refusal === undefined ? allowed() : denied(refusal)

/** An amount that is none is refused by the schema, in the API server's words. */
function readably(decide: () => AdmissionDecision): AdmissionDecision {
  return ifReadable(decide, allowed())
}

function mutatePool(object: KubeObject): AdmissionDecision {
  const { spec } = resourcePool.read(object)
  const wanted = withZeroDefaults(spec)
  return wanted === spec ? allowed() : patched([{ op: 'replace', path: '/spec', value: wanted }])
}

function validatePool({ object, oldObject }: AdmissionRequest): AdmissionDecision {
  if (object === undefined) return allowed()
  const pool = resourcePool.read(object)
  const old = oldObject === undefined ? undefined : resourcePool.read(oldObject)
  const errors = [...poolAmountErrors(pool, old), ...newSelectorErrors(pool, old), ...newLimitRangeErrors(pool, old)]
  if (errors.length > 0) return wrongFields(pool, errors)
  return old === undefined ? allowed() : verdict(poolUpdateRefusal(pool, old))
}

/** Returns the errors of selectors; earlier ones may stay. */
function newSelectorErrors(pool: ResourcePool, old: ResourcePool | undefined): readonly FieldError[] {
  return jsonEqual(pool.spec.selectors, old?.spec.selectors) ? [] : selectorErrors(pool)
}

/** Returns the errors of the LimitRange; earlier ones may stay. */
function newLimitRangeErrors(pool: ResourcePool, old: ResourcePool | undefined): readonly FieldError[] {
  return jsonEqual(pool.spec.limitRange, old?.spec.limitRange) ? [] : limitRangeErrors(pool)
}

const wrongFields = ({ kind, metadata }: KubeObject, errors: readonly FieldError[]): AdmissionDecision =>
  deniedAs(invalid({ group: resourcePool.group, kind }, metadata.name ?? '', errors))

function mutateClaim({ object, operation, namespace: name }: AdmissionRequest, caches: PoolCaches): AdmissionDecision {
  if (object === undefined || (operation !== 'CREATE' && operation !== 'UPDATE')) return allowed()
  const claim = resourcePoolClaim.read(object)
  const namespace = caches.namespaces.get('', name) ?? { name }
  const wanted = admittedClaim(claim, operation, namespace, caches.pools.list())
  const changes: PatchOperation[] = []
  // The schema requires a name of a pool, though it may be empty; who leaves it out means just that (as with Capsule).
  if (isObject(object['spec']) && object['spec']['pool'] !== wanted.spec.pool)
    changes.push({ op: 'add', path: '/spec/pool', value: wanted.spec.pool })
  if (wanted.metadata.annotations !== claim.metadata.annotations)
    changes.push({ op: 'remove', path: `/metadata/annotations/${RELEASE_ANNOTATION.replace('/', '~1')}` })
  return patched(changes)
}

async function validateClaim(
  { operation, object, oldObject }: AdmissionRequest,
  options: PoolHooksOptions,
  signal: AbortSignal,
): Promise<AdmissionDecision> {
  const old = oldObject === undefined ? undefined : resourcePoolClaim.read(oldObject)
  if (operation === 'DELETE' && old !== undefined)
    return verdict(claimDeletionRefusal(old, await factsOf(old, options, signal)))
  if (object === undefined) return allowed()
  const claim = resourcePoolClaim.read(object)
  const wrong = readably(() => validateFields(claim, old, options.clock.now()))
  if (wrong.verdict === 'denied' || old === undefined || isSameWish(claim, old)) return wrong
  return verdict(claimUpdateRefusal(claim, old, await factsOf(old, options, signal)))
}

function validateFields(claim: ResourcePoolClaim, old: ResourcePoolClaim | undefined, now: number): AdmissionDecision {
  const errors = [...claimAmountErrors(claim, old), ...claimEndErrors(claim, old, now)]
  return errors.length === 0 ? allowed() : wrongFields(claim, errors)
}

const isSameWish = (claim: ResourcePoolClaim, old: ResourcePoolClaim): boolean =>
  jsonEqual(claim.spec, old.spec) &&
  claim.metadata.annotations?.[RELEASE_ANNOTATION] === old.metadata.annotations?.[RELEASE_ANNOTATION]

/** The objects that the answer depends on are read live: a cache may not know yet that a workload began to use the claim. */
async function factsOf(
  claim: ResourcePoolClaim,
  { client, caches }: PoolHooksOptions,
  signal: AbortSignal,
): Promise<ClaimFacts> {
  const { namespace = '' } = claim.metadata
  const name = poolNameOf(claim)
  const [pool, quota] =
    // A text that cannot be the name of a pool must not become part of the path of a request.
    isDNS1123Subdomain(name).length > 0
      ? []
      : await Promise.all([
          find(client, resourcePool, { namespace: '', name }, signal),
          find(client, RESOURCE_QUOTAS, { namespace, name: poolQuotaName(name) }, signal),
        ])
  return {
    pool: pool === undefined ? undefined : resourcePool.read(pool),
    quota: quota !== undefined && isResourceQuota(quota) ? quota : undefined,
    claims: caches.claims.list(namespace),
  }
}

async function find(
  client: KubeClient,
  kind: ResourceKind,
  name: ObjectName,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    return await client.get(kind, name, { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
