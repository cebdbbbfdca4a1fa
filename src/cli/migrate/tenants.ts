import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { type ResourcePoolClaim, resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { idleLimits } from '../../charges/limit-names/idle-limits.ts'
import type { KubeClient, ResourceKind } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, valueAt } from '../../machinery/read.ts'
import { MigrateError } from '../../migrate/error.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import { type PoolPlan, type TenantPlan, planTenant } from '../../migrate/tenant/plan.ts'
import { poolDifferences } from '../../migrate/tenant/pool-differences.ts'
import { reasonsToWait } from '../../migrate/tenant/pool-holds.ts'
import { TENANT_LABEL, readTenantQuotas, withoutItems } from '../../migrate/tenant/quotas.ts'
import { tenantSummary } from '../../migrate/tenant/summary.ts'
import { mergeDiff } from '../../schema/patch/merge-diff.ts'
import type { CliContext } from '../context.ts'
import { LeftOver } from './left-over.ts'
import type { AccessFlags } from '../access/cluster-flags.ts'
import { openCluster } from '../access/open-cluster.ts'
import { demandAccess } from '../access/demand.ts'
import { manifestText } from './files.ts'
import { type TenantSource, sourceInCluster, sourceInFiles, tenantKind } from './tenant-source.ts'
import type { Need } from '../../install/rbac/need.ts'

export interface TenantsFlags extends AccessFlags {
  readonly filename: readonly string[]
  readonly recursive?: true
  readonly headroom: bigint
  readonly dryRun: boolean
  readonly finish: boolean
}

interface Planned extends TenantPlan {
  readonly object: KubeObject
}

/**
 * Moves Tenants to pools: prints the manifests, writes them, or takes the last step. Throws MigrateError, KubeconfigError,
 * ServerUnreachable and ApiError, and LeftOver when something is not carried over or does not fit.
 */
export async function migrateTenants(
  names: readonly string[],
  flags: TenantsFlags,
  context: CliContext,
): Promise<void> {
  if (flags.filename.length > 0) {
    const source = await sourceInFiles(flags.filename, flags.recursive === true)
    return print(plansOf(names, flags, source), source, context)
  }
  const { client, close } = openCluster(flags, context)
  try {
    const kind = await tenantKind(client, context.stop)
    await demandAccess(client, tenantsNeeds(kind, flags), '', context.stop)
    const source = await sourceInCluster(client, kind, context.stop)
    const plans = plansOf(names, flags, source)
    if (flags.finish) return await finish(plans, source, client, kind, flags, context)
    if (flags.dryRun) return print(plans, source, context)
    await write(plans, source, client, context)
  } finally {
    await close()
  }
}

function plansOf(names: readonly string[], { headroom }: TenantsFlags, source: TenantSource): readonly Planned[] {
  const unknown = names.filter((name) => !source.tenants.some(({ metadata }) => metadata.name === name))
  if (unknown.length > 0)
    throw new MigrateError(`there is no Tenant ${unknown.join(', ')}`, 'name Tenants that there are, or none for all')
  return source.tenants
    .filter(({ metadata }) => names.length === 0 || names.includes(metadata.name ?? ''))
    .map((object) => planned(object, headroom, source))
    .filter(({ tenant }) => names.length > 0 || tenant.items.length > 0)
}

function planned(object: KubeObject, headroom: bigint, source: TenantSource): Planned {
  const tenant = readTenantQuotas(object)
  try {
    const plan = planTenant({
      tenant,
      quotas: source.quotas,
      claims: source.claims,
      headroom,
      idle: (limits, requirements) =>
        idleLimits(limits, { evaluators: QUOTA_EVALUATORS, offered: source.offered, requirements }).filter(
          ({ outlook }) => outlook !== 'notYet',
        ),
    })
    const differing = plan.pools.flatMap((pool) => poolDifferences(pool, source.pools))
    return { ...plan, problems: [...plan.problems, ...unlabelled(plan, source), ...differing], object }
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    throw new MigrateError(
      `an amount of the Tenant ${tenant.name}, or of its ResourceQuotas, cannot be read: ${error.message}`,
      'mend it, and repeat the command',
    )
  }
}

/** Pools select namespaces by their label, which Capsule keeps. */
const unlabelled = (
  { tenant: { name, namespaces, items } }: TenantPlan,
  { labelled }: TenantSource,
): readonly string[] =>
  labelled === undefined || items.length === 0
    ? []
    : namespaces
        .filter((namespace) => labelled.get(name)?.has(namespace) !== true)
        .map(
          (namespace) => `${namespace} has no label ${TENANT_LABEL}=${name}, so that no pool of the Tenant selects it`,
        )

function print(plans: readonly Planned[], source: TenantSource, { out, err }: CliContext): void {
  for (const { pools } of plans) refuseForeign(pools, source)
  out(manifestText(plans.flatMap(manifestsOf)))
  for (const plan of plans) err(tenantSummary(plan))
  endWith(plans)
}

/** The claims stand first: a pool that came before them would allow nothing until they do. */
const manifestsOf = ({ pools }: TenantPlan): readonly KubeObject[] => [
  ...pools.flatMap(({ claims }) => claims),
  ...pools.map(({ manifest }) => manifest),
]

function endWith(plans: readonly TenantPlan[]): void {
  if (plans.some(({ problems }) => problems.length > 0)) throw new LeftOver()
}

async function write(
  plans: readonly Planned[],
  source: TenantSource,
  client: KubeClient,
  { out, stop }: CliContext,
): Promise<void> {
  for (const { pools } of plans) refuseForeign(pools, source)
  for (const plan of plans) {
    for (const { claims, kept } of plan.pools)
      for (const claim of claims) {
        const { namespace = '', name = '' } = claim.metadata
        const title = `resourcepoolclaim.${resourcePoolClaim.group}/${name} in ${namespace}`
        if (kept.has(`${namespace}/${name}`)) out(`${title} kept\n`)
        else out(`${title} ${await writtenClaim(client, claim, source.claims, stop)}\n`)
      }
    for (const one of plan.pools) {
      const title = `resourcepool.${resourcePool.group}/${one.pool}`
      const stands = source.pools.some(({ metadata }) => metadata.name === one.pool)
      if (!stands) await client.create(resourcePool, one.manifest, { signal: stop })
      const differs = poolDifferences(one, source.pools).length > 0
      out(`${title} ${stands ? (differs ? 'differs' : 'kept') : 'created'}\n`)
    }
    out(tenantSummary(plan))
  }
  if (plans.length === 0) out('no Tenant has resourceQuotas: there is nothing to move\n')
  endWith(plans)
}

/** Creates the claim, or gives it these amounts and no others. */
async function writtenClaim(
  client: KubeClient,
  claim: KubeObject,
  claims: readonly ResourcePoolClaim[],
  signal: AbortSignal,
): Promise<string> {
  const { namespace = '', name = '' } = claim.metadata
  const standing = claims.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name)
  if (standing === undefined) {
    await client.create(resourcePoolClaim, claim, { signal })
    return 'created'
  }
  const amounts = mergeDiff(standing.spec.claim, objectOf(valueAt(claim, 'spec', 'claim')))
  if (amounts === undefined) return 'kept'
  const body = { spec: { claim: amounts } }
  await client.patchMetadata(resourcePoolClaim, { namespace, name }, { type: 'merge', body }, { signal })
  return 'changed'
}

/** Objects of others that have the names of ours stay as they are, and nothing is written. */
function refuseForeign(plans: readonly PoolPlan[], { pools, claims }: TenantSource): void {
  for (const { pool, claim, manifest, claims: wanted } of plans) {
    const found = pools.find(({ metadata }) => metadata.name === pool)
    const tenant = JSON.stringify(objectOf(manifest['spec'])['selectors'])
    if (found !== undefined && JSON.stringify(found.spec.selectors) !== tenant)
      throw new MigrateError(
        `there is a ResourcePool ${pool} already, which selects other namespaces`,
        'rename it, or move the Tenant by hand',
      )
    for (const { metadata } of wanted) {
      const other = claims.find(
        (one) => one.metadata.namespace === metadata.namespace && one.metadata.name === claim && one.spec.pool !== pool,
      )
      if (other !== undefined)
        throw new MigrateError(
          `there is a ResourcePoolClaim ${claim} in ${metadata.namespace ?? ''} already, on the pool ${JSON.stringify(other.spec.pool)}`,
          'delete it or make it again under another name, and repeat the command',
        )
    }
  }
}

/** So many reasons make a sentence. */
const MOST_REASONS = 5

async function finish(
  plans: readonly Planned[],
  source: TenantSource,
  client: KubeClient,
  kind: ResourceKind,
  { dryRun }: TenantsFlags,
  { out, stop }: CliContext,
): Promise<void> {
  for (const { pools } of plans) refuseForeign(pools, source)
  for (const plan of plans) {
    const reasons = [...reasonsToWait(plan, source), ...unlabelled(plan, source)]
    const more = reasons.length - MOST_REASONS
    if (reasons.length > 0)
      throw new MigrateError(
        `the pools do not hold what the Tenant ${plan.tenant.name} has: ${reasons.slice(0, MOST_REASONS).join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
        'nothing was changed; mend that, or run the command without --finish again',
      )
  }
  for (const { tenant, object } of plans) {
    if (tenant.items.length === 0) {
      out(`Tenant ${tenant.name} has no resourceQuotas: nothing is left to do\n`)
      continue
    }
    if (!dryRun)
      await client.patchMetadata(
        kind,
        { namespace: '', name: tenant.name },
        { type: 'merge', body: withoutItems(object) },
        { signal: stop },
      )
    out(
      `Tenant ${tenant.name}: the pools hold everything; its resourceQuotas ${dryRun ? 'could be emptied' : 'are emptied'}\n` +
        `Capsule deletes its ResourceQuotas now. Where it no longer runs: kubectl delete resourcequotas -A -l ${TENANT_LABEL}=${tenant.name}\n`,
    )
  }
  if (plans.length === 0) out('no Tenant has resourceQuotas: nothing is left to do\n')
}

/** The permissions that the move of Tenants of this kind needs, as far as its flags go. */
function tenantsNeeds(
  tenants: ResourceKind,
  { dryRun, finish }: { readonly dryRun: boolean; readonly finish: boolean },
): readonly Need[] {
  const need = ({ group, resource }: Pick<ResourceKind, 'group' | 'resource'>, ...verbs: readonly string[]): Need => ({
    group,
    resource,
    verbs: ['list', ...(dryRun ? [] : verbs)],
  })
  const written = finish ? [] : ['create']
  return [
    need(tenants, ...(finish ? ['patch'] : [])),
    need({ group: '', resource: 'namespaces' }),
    need({ group: '', resource: 'resourcequotas' }),
    need(resourcePool, ...written),
    need(resourcePoolClaim, ...written, ...(finish ? [] : ['patch'])),
  ]
}
