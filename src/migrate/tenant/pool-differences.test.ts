import { describe, expect, test } from 'vitest'
import { type ResourcePoolSpec, resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { planTenant, type PoolPlan } from './plan.ts'
import { poolDifferences } from './pool-differences.ts'
import type { TenantQuotas } from './quotas.ts'

/** The plan for the only item of a Tenant. */
function planOf(scope: TenantQuotas['scope'], item: TenantQuotas['items'][number]): PoolPlan {
  const tenant: TenantQuotas = { name: 'oil', scope, items: [item], namespaces: [] }
  const [plan] = planTenant({ tenant, quotas: [], claims: [], headroom: 0n, idle: () => [] }).pools
  if (plan === undefined) throw new Error('no pool')
  return plan
}

/** How the planned pool differs from the plan when it is changed so. */
function differences(plan: PoolPlan, change: (spec: ResourcePoolSpec) => Partial<ResourcePoolSpec>): readonly string[] {
  const pool = resourcePool.read(plan.manifest)
  return poolDifferences(plan, [{ ...pool, spec: { ...pool.spec, ...change(pool.spec) } }])
}

const shared = planOf('Tenant', { hard: { pods: '2', 'requests.cpu': '1' }, scopes: ['NotBestEffort', 'Terminating'] })
const each = planOf('Namespace', { hard: { pods: '2' } })

describe('a pool that stands where a Tenant moves to', () => {
  test('is as planned in every way of saying it, and also where there is none yet', () => {
    expect(poolDifferences(shared, [])).toEqual([])
    for (const plan of [shared, each]) expect(differences(plan, () => ({}))).toEqual([])
    const said = differences(shared, () => ({
      config: { defaultsZero: false, orderedQueue: true, deleteBoundResources: false },
      defaults: { pods: '0', 'requests.cpu': '0' },
      quota: { hard: { 'requests.cpu': '1000m', pods: '2' }, scopes: ['Terminating', 'NotBestEffort'] },
    }))
    expect(said).toEqual([])
  })

  test('differs in its amounts, each named with that of the Tenant', () => {
    const hard = (amounts: Readonly<Record<string, string>>) =>
      differences(shared, ({ quota }) => ({ quota: { ...quota, hard: amounts } }))
    expect(hard({ pods: '50', 'requests.cpu': '1' })).toEqual([
      'spec.quota.hard of the ResourcePool oil-quota has pods=50, but items[0] of the Tenant needs 2',
    ])
    expect(hard({ pods: '2' })).toContain(
      'spec.quota.hard of the ResourcePool oil-quota has requests.cpu=(no limit), but items[0] of the Tenant needs 1',
    )
    expect(differences(each, () => ({ defaults: { pods: '3' } }))).toEqual([
      'spec.defaults of the ResourcePool oil-size has pods=3, but items[0] of the Tenant needs 2',
    ])
  })

  test('differs where namespaces have amounts without a claim', () => {
    expect(differences(shared, () => ({ defaults: { pods: '5' } }))).toEqual([
      'spec.defaults of the ResourcePool oil-quota has pods=5, but items[0] of the Tenant needs 0',
    ])
    const config = { defaultsZero: false, orderedQueue: false, deleteBoundResources: false }
    expect(differences(shared, () => ({ config }))).toEqual([
      'spec.defaults of the ResourcePool oil-quota has pods=(no limit), but items[0] of the Tenant needs 0',
      'spec.defaults of the ResourcePool oil-quota has requests.cpu=(no limit), but items[0] of the Tenant needs 0',
    ])
  })

  test('differs in its scopes', () => {
    expect(differences(shared, ({ quota }) => ({ quota: { ...quota, scopes: ['Terminating'] } }))).toEqual([
      'spec.quota of the ResourcePool oil-quota has the scopes Terminating Exists, but items[0] of the Tenant has the scopes NotBestEffort Exists, Terminating Exists',
    ])
    expect(differences(each, () => ({ quota: { scopes: ['BestEffort'] } }))).toEqual([
      'spec.quota of the ResourcePool oil-size has the scopes BestEffort Exists, but items[0] of the Tenant has no scopes',
    ])
  })
})
