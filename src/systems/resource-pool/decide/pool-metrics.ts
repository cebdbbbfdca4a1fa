import { type Condition, conditionOf } from '../../../api/condition.ts'
import { BOUND, EXHAUSTED, EXPIRED, FROZEN, READY } from '../api/pool-names.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import type { Gauge, GaugeSample } from '../../../machinery/gauge.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { quantityOf, type ResourceList, resourceNames } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { poolNameOf } from './claim-guards.ts'
import { decimalOf, percentageOf } from '../../../quantity/exact-decimal.ts'
import { isResourceName, spelled } from './amount/shorten-text.ts'
import { sumsByNamespace } from './ledger/pool-ledger.ts'

export type MetricName = keyof typeof POOL_METRICS | keyof typeof CLAIM_METRICS
export type PoolSample = GaugeSample<MetricName>

const ofPool = (help: string, ...more: readonly string[]): Gauge => ({ help, labels: ['pool', ...more] })
const ofClaim = (help: string, label: string): Gauge => ({ help, labels: ['name', 'target_namespace', label] })

const QUEUED = "Resources become exhausted, when there's not enough available for all claims and the claims get queued"

/** The gauges of a pool, with the help texts of Capsule (docs/reference/metrics.md). */
export const POOL_METRICS = {
  capsule_pool_available: ofPool('Current resource availability for a given resource in a resource pool', 'resource'),
  capsule_pool_condition: ofPool('Current conditions for a given resource in a resource pool', 'condition'),
  capsule_pool_exhaustion: ofPool(QUEUED, 'resource'),
  capsule_pool_exhaustion_percentage: ofPool(`${QUEUED} (Percentage)`, 'resource'),
  capsule_pool_limit: ofPool('Current resource limit for a given resource in a resource pool', 'resource'),
  capsule_pool_namespace_usage: ofPool(
    'Current resources claimed on namespace basis for a given resource in a resource pool for a specific namespace',
    'target_namespace',
    'resource',
  ),
  capsule_pool_namespace_usage_percentage: ofPool(
    'Current resources claimed on namespace basis for a given resource in a resource pool for a specific namespace (percentage)',
    'target_namespace',
    'resource',
  ),
  capsule_pool_resource: ofPool('Type of resource being used in a resource pool', 'resource'),
  capsule_pool_usage: ofPool('Current resource usage for a given resource in a resource pool', 'resource'),
  capsule_pool_usage_percentage: ofPool(
    'Current resource usage for a given resource in a resource pool (percentage)',
    'resource',
  ),
} as const

/** The gauges of a claim: those of Capsule, and two of our own. */
export const CLAIM_METRICS = {
  capsule_claim_condition: ofClaim('The current condition status of a claim.', 'condition'),
  capsule_claim_pool: ofClaim('The current assigned pool of a claim.', 'pool'),
  capsule_claim_resource: ofClaim('The given amount of resources from the claim', 'resource'),
  allot_claim_ended: ofClaim('Claims that have ended: frozen, while workloads use their amounts, or released', 'state'),
  allot_claim_series_left_out: {
    help: 'Series of claims that are left out, because the claims of the namespace have more than it may',
    labels: ['target_namespace'],
  },
} as const

/** Every series of a pool as its status is now; what is not among them is to be deleted. Throws QuantityError. */
export function poolMetrics(pool: ResourcePool): readonly PoolSample[] {
  const { allocation, exhaustions = {}, claims, conditions } = pool.status ?? {}
  const name = pool.metadata.name ?? ''
  const hard = amountsOf(allocation?.hard)
  const used = amountsOf(allocation?.used)
  const available = amountsOf(allocation?.available)
  const row = (metric: MetricName, value: string, labels: Readonly<Record<string, string>>): PoolSample => ({
    name: metric,
    labels: { pool: name, ...labels },
    value,
  })
  const perResource = resourceNames(hard).flatMap((resource) => {
    const limit = amountOf(hard, resource)
    const claimed = amountOf(used, resource)
    return [
      row('capsule_pool_resource', '1', { resource }),
      row('capsule_pool_limit', decimalOf(limit), { resource }),
      row('capsule_pool_usage', decimalOf(claimed), { resource }),
      row('capsule_pool_usage_percentage', percentageOf(claimed, limit), { resource }),
      row('capsule_pool_available', decimalOf(amountOf(available, resource)), { resource }),
    ]
  })
  const perExhaustion = Object.entries(exhaustions).flatMap(([resource, exhaustion]) => {
    const amounts = amountsOf(exhaustion)
    const [wanted, free] = [amountOf(amounts, 'requesting'), amountOf(amounts, 'available')]
    const isShort = free.sign() > 0 && wanted.cmp(free) > 0
    return [
      row('capsule_pool_exhaustion', decimalOf(wanted), { resource }),
      ...(isShort
        ? [row('capsule_pool_exhaustion_percentage', percentageOf(wanted.sub(free), free), { resource })]
        : []),
    ]
  })
  const perNamespace = [...sumsByNamespace(claims)].flatMap(([target_namespace, sum]) =>
    resourceNames(sum)
      .filter((resource) => quantityOf(hard, resource) !== undefined)
      .flatMap((resource) => {
        const labels = { target_namespace, resource }
        const claimed = amountOf(sum, resource)
        return [
          row('capsule_pool_namespace_usage', decimalOf(claimed), labels),
          row('capsule_pool_namespace_usage_percentage', percentageOf(claimed, amountOf(hard, resource)), labels),
        ]
      }),
  )
  const perCondition = [READY, EXHAUSTED].flatMap((type) => {
    const condition = conditionOf(conditions, type)
    return condition === undefined
      ? []
      : [row('capsule_pool_condition', condition.status === 'True' ? '1' : '0', { condition: type })]
  })
  return [...perResource, ...perExhaustion, ...perNamespace, ...perCondition]
}

/**
 * Returns the first `most` series of a claim as it is now; all others are to be deleted. The author of a claim may
 * write any name of a pool or a resource, as long as an object. An impossible name of a pool is shown as messages show
 * it, and an impossible resource is left out. Throws QuantityError.
 */
export function claimMetrics(claim: ResourcePoolClaim, most: number): readonly PoolSample[] {
  const { name = '', namespace: target_namespace = '' } = claim.metadata
  const row = (metric: MetricName, value: string, labels: Readonly<Record<string, string>>): PoolSample => ({
    name: metric,
    labels: { name, target_namespace, ...labels },
    value,
  })
  const request = amountsOf(claim.spec.claim)
  const state = endedState(claim)
  const facts = [
    ...conditionsOf(claim).map(({ type, status }) =>
      row('capsule_claim_condition', status === 'True' ? '1' : '0', { condition: type }),
    ),
    row('capsule_claim_pool', '1', { pool: spelled(poolNameOf(claim)) }),
    ...(state === undefined ? [] : [row('allot_claim_ended', '1', { state })]),
  ]
  const resources = resourceNames(request).filter(isResourceName)
  const amounts = resources
    .slice(0, Math.max(0, most - facts.length))
    .map((resource) => row('capsule_claim_resource', decimalOf(amountOf(request, resource)), { resource }))
  return [...facts, ...amounts].slice(0, most)
}

/** How many series a claim has, with those of resources that none can have. */
export function claimSeriesCount(claim: ResourcePoolClaim): number {
  const ended = endedState(claim) === undefined ? 0 : 1
  return conditionsOf(claim).length + 1 + ended + Object.keys(claim.spec.claim).length
}

const conditionsOf = ({ status }: ResourcePoolClaim): readonly Condition[] =>
  [READY, EXHAUSTED, BOUND, EXPIRED].flatMap((type) => conditionOf(status?.conditions, type) ?? [])

function endedState({ status }: ResourcePoolClaim): 'frozen' | 'released' | undefined {
  const expired = conditionOf(status?.conditions, EXPIRED)
  if (expired?.status !== 'True') return undefined
  return expired.reason === FROZEN ? 'frozen' : 'released'
}

const amountOf = (list: ResourceList, name: string): Quantity => quantityOf(list, name) ?? Quantity.zero
