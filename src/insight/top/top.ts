import { conditionOf } from '../../api/condition.ts'
import type { ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { Budget } from '../../charges/budget.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { quotaBudget } from '../../systems/resource-quota/decide/quota-budget.ts'
import type { QuantityTexts } from '../../kinds/resource-quota/resource-quota.ts'
import { ifReadable, Quantity } from '../../quantity/quantity.ts'
import { formatResourceList, parseResourceList } from '../../quantity/resource-list.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { type GlobalCustomQuota, globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import type { KarmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { ALLOCATED, EXPIRED } from '../../systems/resource-pool/api/pool-names.ts'
import type { ResourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import type { ResourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { customQuotaBudget } from '../budgets/custom-quota.ts'
import { karmadaQuotaBudget } from '../budgets/karmada-quota.ts'
import { byNearness, type LimitRow, type RankedRow, rowsOf, rowsOfBudget } from './limit-row.ts'
import { compareText } from '../../machinery/text/compare.ts'

/** The quotas that the caller may see. */
export interface SeenQuotas {
  /** The namespace that they count in; left out, or empty, where they are those of all. */
  readonly namespace?: string
  readonly resourceQuotas: readonly ResourceQuota[]
  readonly customQuotas: readonly (CustomQuota | GlobalCustomQuota)[]
  readonly karmadaQuotas: readonly KarmadaQuota[]
}

/** The limits of all quotas, the nearest to its limit first. A quota whose amounts cannot be read has no row. */
export const topQuotas = (seen: SeenQuotas): readonly LimitRow[] =>
  rankedQuotas(seen)
    .toSorted(byNearness)
    .map(({ row }) => row)

function rankedQuotas({
  namespace = '',
  resourceQuotas,
  customQuotas,
  karmadaQuotas,
}: SeenQuotas): readonly RankedRow[] {
  return [
    ...resourceQuotas.flatMap((quota) => rowsUnlessBroken(() => quotaBudget(withLimits(quota), QUOTA_EVALUATORS))),
    ...customQuotas.flatMap((quota) =>
      rowsUnlessBroken(() => customQuotaBudget(quota), namespace === '' ? undefined : useIn(namespace, quota)),
    ),
    ...karmadaQuotas.flatMap((quota) => rowsUnlessBroken(() => karmadaQuotaBudget(quota))),
  ]
}

/** A quota that nobody has counted yet has the limits of its spec. */
const withLimits = (quota: ResourceQuota): ResourceQuota =>
  quota.status?.hard === undefined ? { ...quota, status: { hard: quota.spec?.hard ?? {} } } : quota

function rowsUnlessBroken(budget: () => Budget, usedInNamespace?: string): readonly RankedRow[] {
  const rows = ifReadable(() => rowsOfBudget(budget()), [])
  return usedInNamespace === undefined ? rows : rows.map((one) => ({ ...one, row: { ...one.row, usedInNamespace } }))
}

/** What a namespace uses of a global quota; undefined for other quotas, and where the status does not list all that it counts. */
function useIn(namespace: string, { kind, status }: CustomQuota | GlobalCustomQuota): string | undefined {
  const isListed = status?.usage?.used !== undefined && status.omittedClaims === undefined
  if (kind !== globalCustomQuota.kind || !isListed) return undefined
  const own = (status.claims ?? []).filter((claim) => claim.namespace === namespace)
  return ifReadable(() => {
    const [first, ...others] = own.map(({ usage }) => Quantity.fromJson(usage))
    return others.reduce((sum, one) => sum.add(one), first ?? Quantity.zero).toString()
  }, undefined)
}

/** A namespace, by the limit that is nearest. */
export interface NamespaceRow {
  readonly namespace: string
  readonly limits: number
  /** How many limits leave no room. */
  readonly full: number
  readonly nearest: LimitRow
}

/** The namespaces that have quotas, the one with the nearest limit first. */
export function topNamespaces(seen: SeenQuotas): readonly NamespaceRow[] {
  const ranked = rankedQuotas(seen)
    .filter(({ row }) => row.namespace !== '')
    .toSorted(byNearness)
  return [...Map.groupBy(ranked, ({ row }) => row.namespace)].flatMap(([namespace, rows]) => {
    const [first] = rows
    const full = rows.filter(({ row: { fill } }) => fill === 'full' || fill === 'over').length
    return first === undefined ? [] : [{ namespace, limits: rows.length, full, nearest: first.row }]
  })
}

/** A claim in the queue of a pool. */
export interface QueueRow {
  /** Absent where the claim waits for something else than its turn. */
  readonly position?: number
  readonly namespace: string
  readonly name: string
  readonly reason: string
  readonly for: string
}

/** A pool, with its queue. */
export interface PoolRow {
  readonly pool: string
  /** What is claimed of each amount, the nearest to its limit first. */
  readonly limits: readonly LimitRow[]
  readonly claims: number
  readonly waiting: number
  /** The first of the claims that wait, as far as the status of the pool lists them. */
  readonly queue: readonly QueueRow[]
}

/** The pools, the fullest first. */
export function topPools(pools: readonly ResourcePool[]): readonly PoolRow[] {
  const ranked = pools.map((pool) => ({ pool, limits: limitsOf(pool).toSorted(byNearness) }))
  return ranked
    .toSorted((a, b) => {
      const [[first], [second]] = [a.limits, b.limits]
      if (first === undefined || second === undefined) return Number(first === undefined) - Number(second === undefined)
      return byNearness(first, second)
    })
    .map(({ pool: { metadata, status }, limits }) => ({
      pool: metadata.name ?? '',
      limits: limits.map(({ row }) => row),
      claims: status?.claimCount ?? 0,
      waiting: status?.waitingCount ?? status?.waiting?.length ?? 0,
      queue: status?.waiting ?? [],
    }))
}

function limitsOf({ kind, metadata: { name = '' }, spec, status }: ResourcePool): readonly RankedRow[] {
  return ifReadable(() => {
    const hard = parseResourceList(status?.allocation?.hard ?? spec.quota.hard ?? {})
    const used = parseResourceList(status?.allocation?.used ?? {})
    return rowsOf({ namespace: '', kind, name }, hard, used)
  }, [])
}

/** What a claim asks for, and what has become of it. */
export interface ClaimRow {
  readonly namespace: string
  readonly name: string
  readonly pool: string
  readonly state: 'granted' | 'waiting' | 'ended' | 'undecided'
  /** Do workloads use it? */
  readonly bound: boolean
  readonly amounts: QuantityTexts
  readonly position?: number
  readonly reason: string
}

/** The claims: those that wait first, by pool and place in its queue. */
export const topClaims = (claims: readonly ResourcePoolClaim[]): readonly ClaimRow[] =>
  claims
    .map(claimRow)
    .toSorted(
      (a, b) =>
        Number(b.state === 'waiting') - Number(a.state === 'waiting') ||
        compareText(a.pool, b.pool) ||
        (a.position ?? Infinity) - (b.position ?? Infinity) ||
        compareText(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`),
    )

function claimRow({ metadata: { namespace = '', name = '' }, spec, status }: ResourcePoolClaim): ClaimRow {
  const { waiting, conditions, pool } = status ?? {}
  const [allocated, expired, bound] = [ALLOCATED, EXPIRED, 'Bound'].map((type) => conditionOf(conditions, type))
  const isEnded = expired?.status === 'True'
  const isGranted = allocated?.status === 'True'
  const amounts = amountsOf(spec.claim)
  const position = waiting?.position
  return {
    namespace,
    name,
    pool: pool?.name ?? spec.pool,
    state: waiting !== undefined ? 'waiting' : isEnded ? 'ended' : isGranted ? 'granted' : 'undecided',
    bound: bound?.status === 'True',
    amounts,
    ...(position === undefined ? {} : { position }),
    reason: waiting?.message ?? (isEnded ? expired.message : isGranted ? '' : (allocated?.message ?? '')),
  }
}

function amountsOf(claim: ResourcePoolClaim['spec']['claim']): QuantityTexts {
  return ifReadable(() => formatResourceList(parseResourceList(claim)), {})
}
