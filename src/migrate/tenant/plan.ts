import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { type ResourcePoolClaim, resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import {
  type ResourceQuota,
  type ResourceQuotaSpec,
  type ScopeRequirement,
  scopeRequirements,
} from '../../kinds/resource-quota/resource-quota.ts'
import type { IdleLimit } from '../../charges/limit-names/idle-limits.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import {
  type ResourceList,
  add,
  formatResourceList,
  mask,
  parseResourceList,
  quantityOf,
  removeZeros,
  resourceNames,
  subtract,
} from '../../quantity/resource-list.ts'
import { type ItemNames, itemNames } from './item-names.ts'
import { TENANT_LABEL, type TenantQuotas, itemQuotaName } from './quotas.ts'

export interface TenantInput {
  readonly tenant: TenantQuotas
  /** The ResourceQuotas of its namespaces. */
  readonly quotas: readonly ResourceQuota[]
  /** The claims that its namespaces have already. */
  readonly claims: readonly ResourcePoolClaim[]
  /** In percent of what is used. */
  readonly headroom: bigint
  /** The limits that limit nothing, and that pools may not have. */
  readonly idle: (names: readonly string[], requirements: readonly ScopeRequirement[]) => readonly IdleLimit[]
}

/** The change for a namespace in one resource. */
export interface NamespaceShare {
  readonly namespace: string
  readonly resource: string
  /** How far it might go until now; undefined where nothing says so. */
  readonly had: Quantity | undefined
  readonly uses: Quantity
  /** How far it may go without a further claim. */
  readonly gets: Quantity
}

/** The pool and claims that an item of a Tenant becomes. */
export interface PoolPlan extends ItemNames {
  readonly index: number
  readonly pool: string
  readonly manifest: KubeObject
  /** The resources of the pool, sorted. */
  readonly resources: readonly string[]
  readonly claims: readonly KubeObject[]
  /** The names of claims that stand already, and cover what is used: as `namespace/name`. */
  readonly kept: ReadonlySet<string>
  readonly shares: readonly NamespaceShare[]
  /** The amounts that are left in the pool; empty where each namespace has amounts of its own. */
  readonly free: ResourceList
}

export interface TenantPlan {
  readonly tenant: TenantQuotas
  readonly pools: readonly PoolPlan[]
  /** A sentence for each part that is not carried over, or does not fit. */
  readonly problems: readonly string[]
}

/** Plans the pools and claims by which the namespaces of a Tenant keep what they use. */
export function planTenant(input: TenantInput): TenantPlan {
  const problems: string[] = []
  const names = itemNames(input.tenant)
  const pools = input.tenant.items.flatMap((item, index) => {
    const one = names[index]
    return one === undefined ? [] : planItem(input, item, index, one, problems)
  })
  return { tenant: input.tenant, pools, problems }
}

function planItem(
  input: TenantInput,
  item: ResourceQuotaSpec,
  index: number,
  names: ItemNames,
  problems: string[],
): readonly PoolPlan[] {
  const { tenant, idle } = input
  const at = `items[${index}]`
  const all = parseResourceList(item.hard ?? {})
  const idleNames = idle(resourceNames(all), scopeRequirements(item))
  for (const { name, text } of idleNames) problems.push(`${at}: ${name} is left out, since it ${text}`)
  const left = new Set(idleNames.map(({ name }) => name))
  const hard = mask(
    all,
    resourceNames(all).filter((name) => !left.has(name)),
  )
  if (resourceNames(hard).length === 0) {
    problems.push(`${at} limits nothing and becomes no pool`)
    return []
  }
  const common = {
    ...names,
    index,
    resources: resourceNames(hard),
    manifest: poolManifest(tenant, item, hard, names.pool),
  }
  const uses = namespaceUses(input, index, hard, problems)
  if (tenant.scope === 'Namespace') {
    const shares = uses.flatMap(({ namespace, had, used }) =>
      resourceNames(hard).map((resource) => share(namespace, resource, had, used, hard)),
    )
    return [{ ...common, claims: [], kept: new Set(), shares, free: {} }]
  }
  overcommitted(at, uses, hard, problems)
  return [{ ...common, ...claimsOf(input, names, uses, hard) }]
}

/** With scope Namespace the amounts are defaults, which each namespace has by itself, also one that comes later. */
function poolManifest(tenant: TenantQuotas, item: ResourceQuotaSpec, hard: ResourceList, name: string): KubeObject {
  const { hard: _, ...scopes } = item
  const amounts = formatResourceList(hard)
  const selectors = [{ matchLabels: { [TENANT_LABEL]: tenant.name } }]
  const spec =
    tenant.scope === 'Namespace'
      ? { selectors, quota: scopes, defaults: amounts }
      : { config: { defaultsZero: true }, selectors, quota: { hard: amounts, ...scopes } }
  return { apiVersion: resourcePool.apiVersion, kind: resourcePool.kind, metadata: { name }, spec }
}

interface NamespaceUse {
  readonly namespace: string
  readonly had: ResourceList | undefined
  readonly used: ResourceList
}

function namespaceUses(
  { tenant, quotas }: TenantInput,
  index: number,
  hard: ResourceList,
  problems: string[],
): readonly NamespaceUse[] {
  const name = itemQuotaName(tenant.name, index)
  return tenant.namespaces.map((namespace) => {
    const quota = quotas.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
    const used = parseResourceList(quota?.status?.used ?? {})
    const unknown = resourceNames(hard).filter((resource) => quantityOf(used, resource) === undefined)
    if (quota === undefined)
      problems.push(
        `${namespace} has no ResourceQuota ${name}, so that nothing says what it uses; nothing is claimed for it`,
      )
    else if (unknown.length > 0)
      problems.push(
        `${namespace}: the ResourceQuota ${name} does not say what is used of ${unknown.join(', ')}; nothing of it is claimed`,
      )
    return {
      namespace,
      had: quota === undefined ? undefined : parseResourceList(quota.spec?.hard ?? {}),
      used: mask(used, resourceNames(hard)),
    }
  })
}

function overcommitted(at: string, uses: readonly NamespaceUse[], hard: ResourceList, problems: string[]): void {
  const total = uses.reduce((sum: ResourceList, { used }) => add(sum, used), {})
  for (const resource of resourceNames(hard)) {
    const limit = amountOf(hard, resource)
    const used = amountOf(total, resource)
    if (used.cmp(limit) > 0)
      problems.push(
        `${at}: the namespaces use ${resource}=${used.canonical()} together, which is more than ${limit.canonical()}. Claims wait until less is used, or until the item and spec.quota.hard of the pool are raised`,
      )
  }
}

type Claimed = Pick<PoolPlan, 'claims' | 'kept' | 'shares' | 'free'>

/** A claim in each namespace that uses something; one that stands already and covers the use stays. */
function claimsOf(
  { claims, headroom }: TenantInput,
  { pool, claim }: ItemNames,
  uses: readonly NamespaceUse[],
  hard: ResourceList,
): Claimed {
  const padded = uses.map((): Record<string, Quantity> => ({}))
  for (const resource of resourceNames(hard)) {
    const used = uses.map((one) => amountOf(one.used, resource))
    const amounts = withHeadroom(resource, used, amountOf(hard, resource), headroom)
    for (const [at, amount] of amounts.entries()) {
      const of = padded[at]
      if (of !== undefined) of[resource] = amount
    }
  }
  const planned = uses.map((use, at) => claimIn(use, padded[at] ?? {}, claims, pool, claim))
  const given = planned.reduce((sum: ResourceList, { gets }) => add(sum, gets), {})
  return {
    claims: planned.flatMap(({ manifest }) => manifest ?? []),
    kept: new Set(planned.flatMap(({ isKept, namespace }) => (isKept ? [`${namespace}/${claim}`] : []))),
    shares: planned.flatMap(({ namespace, had, used, gets }) =>
      resourceNames(hard).map((resource) => share(namespace, resource, had, used, gets)),
    ),
    free: subtract(hard, mask(given, resourceNames(hard))),
  }
}

function claimIn(
  use: NamespaceUse,
  amounts: ResourceList,
  claims: readonly ResourcePoolClaim[],
  pool: string,
  name: string,
): NamespaceUse & { readonly gets: ResourceList; readonly manifest: KubeObject | undefined; readonly isKept: boolean } {
  const { namespace } = use
  const standing = claims.filter(({ metadata, spec }) => metadata.namespace === namespace && spec.pool === pool)
  const sumOf = (list: readonly ResourcePoolClaim[]): ResourceList =>
    list.reduce((sum: ResourceList, { spec }) => add(sum, parseResourceList(spec.claim)), {})
  const stands = sumOf(standing)
  const own = standing.find(({ metadata }) => metadata.name === name)
  const isCovered = resourceNames(use.used).every(
    (resource) => amountOf(use.used, resource).cmp(amountOf(stands, resource)) <= 0,
  )
  if (isCovered && standing.length > 0) {
    const manifest =
      own === undefined ? undefined : claimManifest(namespace, name, pool, parseResourceList(own.spec.claim))
    return { ...use, gets: stands, manifest, isKept: true }
  }
  const others = sumOf(standing.filter((one) => one !== own))
  const claim = positive(subtract(amounts, mask(others, resourceNames(amounts))))
  const manifest = resourceNames(claim).length === 0 ? undefined : claimManifest(namespace, name, pool, claim)
  return { ...use, gets: add(claim, others), manifest, isKept: false }
}

const claimManifest = (namespace: string, name: string, pool: string, claim: ResourceList): KubeObject => ({
  apiVersion: resourcePoolClaim.apiVersion,
  kind: resourcePoolClaim.kind,
  metadata: { name, namespace },
  spec: { pool, claim: formatResourceList(claim) },
})

const positive = (list: ResourceList): ResourceList => {
  const some = removeZeros(list)
  return mask(
    some,
    resourceNames(some).filter((name) => amountOf(some, name).sign() > 0),
  )
}

const share = (
  namespace: string,
  resource: string,
  had: ResourceList | undefined,
  used: ResourceList,
  gets: ResourceList,
): NamespaceShare => ({
  namespace,
  resource,
  had: had === undefined ? undefined : quantityOf(had, resource),
  uses: amountOf(used, resource),
  gets: amountOf(gets, resource),
})

const amountOf = (list: ResourceList, resource: string): Quantity => quantityOf(list, resource) ?? Quantity.zero

const NANO = -9
const ONE = 10n ** 9n
const THOUSANDTH = 10n ** 6n
const MEBI = 2n ** 20n * ONE
const HUNDRED = 100n

/**
 * The amounts of several namespaces with so many percent more, rounded up. Together they are at most `hard`. Where that is too little for
 * all, each gets the same part of its amount. What is used is in each of them, also where together it is more than `hard`.
 */
function withHeadroom(
  resource: string,
  uses: readonly Quantity[],
  hard: Quantity,
  percent: bigint,
): readonly Quantity[] {
  const used = uses.map((use) => use.scaledValue(NANO))
  const wanted = uses.map((use, at) => {
    const unit = unitOf(resource, use)
    return roundedUp((used[at] ?? 0n) * percent, HUNDRED * unit) * unit
  })
  const free = hard.scaledValue(NANO) - sum(used)
  const all = sum(wanted)
  return uses.map((use, at) => {
    const more = wanted[at] ?? 0n
    const unit = unitOf(resource, use)
    const got = all <= free ? more : free <= 0n ? 0n : ((more * free) / (all * unit)) * unit
    return got === 0n ? use : Quantity.ofScaled((used[at] ?? 0n) + got, NANO, use.format)
  })
}

/** The least that is added: CPU comes in thousandths, bytes that are written as Mi or more in whole Mi, anything else in ones. */
function unitOf(resource: string, use: Quantity): bigint {
  if (/(?:^|\.)cpu$/.test(resource)) return THOUSANDTH
  return use.format === 'BinarySI' && use.scaledValue(NANO) >= MEBI ? MEBI : ONE
}

const sum = (values: readonly bigint[]): bigint => values.reduce((all, one) => all + one, 0n)
const roundedUp = (value: bigint, by: bigint): bigint => (value + by - 1n) / by
