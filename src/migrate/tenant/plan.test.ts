import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { isResourceQuota, type ResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { isDNS1123Subdomain } from '../../machinery/names.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { formatResourceList, parseResourceList, quantityOf } from '../../quantity/resource-list.ts'
import { readManifests } from '../read-manifests.ts'
import { planTenant, type TenantPlan } from './plan.ts'
import { itemQuotaName, readTenantQuotas, type TenantQuotas } from './quotas.ts'
import { tenantSummary } from './summary.ts'

const fixture = (name: string): readonly KubeObject[] =>
  readManifests(name, readFileSync(new URL(`../../../test/migrate/${name}`, import.meta.url), 'utf8'))

const quota = (namespace: string, name: string, hard: object, used: object): ResourceQuota => {
  const object = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace, name },
    spec: { hard },
    status: { hard, used },
  }
  if (!isResourceQuota(object)) throw new Error('no quota')
  return object
}

const nothingIdle = () => []
const [seed] = fixture('seed-tenant.yaml')
const tenant = readTenantQuotas(seed ?? { apiVersion: '', kind: '', metadata: {} })

/** As kubectl shows them in the guide, and the other two namespaces, which use nothing. */
const seedQuotas = [
  quota(
    'migration-dev',
    'capsule-migration-0',
    { 'requests.cpu': '1500m', 'requests.memory': '1536Mi', 'limits.cpu': '1500m', 'limits.memory': '1536Mi' },
    { 'requests.cpu': '375m', 'requests.memory': '384Mi', 'limits.cpu': '375m', 'limits.memory': '384Mi' },
  ),
  quota('migration-dev', 'capsule-migration-1', { pods: '3' }, { pods: '3' }),
  ...['migration-prod', 'migration-test'].flatMap((namespace) => [
    quota(
      namespace,
      'capsule-migration-0',
      {},
      { 'requests.cpu': '0', 'requests.memory': '0', 'limits.cpu': '0', 'limits.memory': '0' },
    ),
    quota(namespace, 'capsule-migration-1', {}, { pods: '0' }),
  ]),
]

const manifests = ({ pools }: TenantPlan): readonly KubeObject[] => [
  ...pools.map(({ manifest }) => manifest),
  ...pools.flatMap(({ claims }) => claims),
]

describe('a Tenant that moves to pools', () => {
  test('becomes what the guide of the seed makes of it, to the manifest', () => {
    const plan = planTenant({ tenant, quotas: seedQuotas, claims: [], headroom: 0n, idle: nothingIdle })
    expect(manifests(plan)).toEqual(fixture('seed-pools.yaml'))
    expect(plan.problems).toEqual([])
  })

  test('is summed up: what each namespace had, uses and gets, and what stays free', () => {
    const plan = planTenant({ tenant, quotas: seedQuotas, claims: [], headroom: 20n, idle: nothingIdle })
    const lines = tenantSummary(plan).split('\n')
    expect(lines).toContain('    migration-dev   requests.memory  1536Mi  384Mi  461Mi')
    expect(lines).toContain('    migration-dev   pods      3    3     4')
    expect(lines).toContain('    free to be claimed: pods=3')
  })

  test('gives each namespace the amounts by itself where its scope is Namespace, also those that come later', () => {
    const each: TenantQuotas = { ...tenant, scope: 'Namespace' }
    const { pools } = planTenant({ tenant: each, quotas: seedQuotas, claims: [], headroom: 0n, idle: nothingIdle })
    expect(pools.flatMap(({ claims }) => claims)).toEqual([])
    expect(pools.map(({ manifest }) => manifest['spec'])).toEqual([
      {
        selectors: [{ matchLabels: { 'capsule.clastix.io/tenant': 'migration' } }],
        quota: {},
        defaults: tenant.items[0]?.hard,
      },
      {
        selectors: [{ matchLabels: { 'capsule.clastix.io/tenant': 'migration' } }],
        quota: {},
        defaults: { pods: '7' },
      },
    ])
  })

  test('keeps the claims that cover what is used, and asks for more where they do not', () => {
    const first = planTenant({ tenant, quotas: seedQuotas, claims: [], headroom: 20n, idle: nothingIdle })
    const claims = first.pools.flatMap((pool) => pool.claims).map(resourcePoolClaim.read)
    const again = planTenant({ tenant, quotas: seedQuotas, claims, headroom: 50n, idle: nothingIdle })
    expect(manifests(again)).toEqual(manifests(first))
    expect(again.pools.map(({ kept }) => [...kept])).toEqual([['migration-dev/compute'], ['migration-dev/pods']])
    const grown = seedQuotas.map((one) =>
      one.metadata.name === 'capsule-migration-1' && one.metadata.namespace === 'migration-dev'
        ? quota('migration-dev', 'capsule-migration-1', {}, { pods: '6' })
        : one,
    )
    const more = planTenant({ tenant, quotas: grown, claims, headroom: 0n, idle: nothingIdle })
    expect(more.pools[1]?.claims[0]?.['spec']).toEqual({ pool: 'migration-size', claim: { pods: '6' } })
    expect([...(more.pools[1]?.kept ?? [])]).toEqual([])
  })

  test('names what does not fit, what nobody knows and what limits nothing', () => {
    const tight: TenantQuotas = { ...tenant, items: [{ hard: { pods: '2', 'nvidia.com/gpu': '1' } }] }
    const quotas = [
      quota('migration-dev', 'capsule-migration-0', {}, { pods: '3' }),
      quota('migration-prod', 'capsule-migration-0', {}, {}),
    ]
    const idle = (names: readonly string[]) =>
      names
        .filter((name) => name === 'nvidia.com/gpu')
        .map((name) => ({ name, text: 'limits nothing', isOutOfScope: false, outlook: 'never' as const }))
    const { problems, pools } = planTenant({ tenant: tight, quotas, claims: [], headroom: 20n, idle })
    expect(problems).toEqual([
      'items[0]: nvidia.com/gpu is left out, since it limits nothing',
      'migration-prod: the ResourceQuota capsule-migration-0 does not say what is used of pods; nothing of it is claimed',
      'migration-test has no ResourceQuota capsule-migration-0, so that nothing says what it uses; nothing is claimed for it',
      'items[0]: the namespaces use pods=3 together, which is more than 2. Claims wait until less is used, or until the item and spec.quota.hard of the pool are raised',
    ])
    expect(pools[0]?.claims[0]?.['spec']).toEqual({ pool: 'migration-size', claim: { pods: '3' } })
  })

  test.for(['v1beta2', 'v1beta1', 'v1alpha1'])('is read in %s', (version) => {
    const items = [{ hard: { pods: 7 } }]
    const quotas = version === 'v1alpha1' ? items : { items, scope: 'Tenant' }
    const object = {
      apiVersion: `capsule.clastix.io/${version}`,
      kind: 'Tenant',
      metadata: { name: 't' },
      spec: { resourceQuotas: quotas },
    }
    expect(readTenantQuotas(object).items).toEqual([{ hard: { pods: '7' } }])
  })
})

const texts = {
  'requests.cpu': ['0', '100m', '375m', '1', '2500m', '0.0005'],
  memory: ['0', '1', '384Mi', '1Gi', '1500Mi', '7'],
  pods: ['0', '1', '3', '20'],
} as const
const names = Object.keys(texts) as (keyof typeof texts)[]
const used = fc.record({
  'requests.cpu': fc.constantFrom(...texts['requests.cpu']),
  memory: fc.constantFrom(...texts.memory),
  pods: fc.constantFrom(...texts.pods),
})
const total = (lists: readonly Readonly<Record<string, string>>[], name: string): Quantity =>
  lists.reduce((sum, list) => sum.add(quantityOf(parseResourceList(list), name) ?? Quantity.zero), Quantity.zero)

describe('claims with headroom', () => {
  test('cover what is used, stay together within what the Tenant has, and are whole where amounts must be', () => {
    fc.assert(
      fc.property(
        fc.array(used, { minLength: 1, maxLength: 4 }),
        used,
        fc.bigInt({ min: 0n, max: 300n }),
        (uses, spare, headroom) => {
          const hard = formatResourceList(
            Object.fromEntries(names.map((name) => [name, total([...uses, spare], name)])),
          )
          const of: TenantQuotas = {
            name: 't',
            scope: 'Tenant',
            items: [{ hard }],
            namespaces: uses.map((_, at) => `n${at}`),
          }
          const quotas = uses.map((one, at) => quota(`n${at}`, itemQuotaName('t', 0), hard, one))
          const { pools, problems } = planTenant({ tenant: of, quotas, claims: [], headroom, idle: nothingIdle })
          const shares = pools[0]?.shares ?? []
          for (const { resource, namespace, uses: use, gets } of shares) {
            expect(gets.cmp(use), `${namespace} ${resource}`).toBeGreaterThanOrEqual(0)
            if (resource === 'pods') expect(gets.roundUp(0).equals(gets)).toBe(true)
          }
          for (const name of names) {
            const given = shares
              .filter(({ resource }) => resource === name)
              .reduce((sum, { gets }) => sum.add(gets), Quantity.zero)
            expect(given.cmp(Quantity.parse(hard[name] ?? '0')), name).toBeLessThanOrEqual(0)
          }
          expect(problems).toEqual([])
        },
      ),
      { numRuns: 300 },
    )
  })

  test('have names that are valid and distinct, whatever the items hold', () => {
    const item = fc.uniqueArray(
      fc.constantFrom(
        'pods',
        'requests.cpu',
        'requests.storage',
        'count/deployments.apps',
        'gold.storageclass.storage.k8s.io/requests.storage',
      ),
      { minLength: 1 },
    )
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 6 }), (items) => {
        const of: TenantQuotas = {
          name: 'oil',
          scope: 'Tenant',
          namespaces: ['n'],
          items: items.map((list) => ({ hard: Object.fromEntries(list.map((name) => [name, '5'])) })),
        }
        const quotas = items.map((list, at) =>
          quota('n', itemQuotaName('oil', at), {}, Object.fromEntries(list.map((name) => [name, '1']))),
        )
        const { pools } = planTenant({ tenant: of, quotas, claims: [], headroom: 0n, idle: nothingIdle })
        expect(new Set(pools.map(({ pool }) => pool)).size).toBe(items.length)
        expect(new Set(pools.map(({ claim }) => claim)).size).toBe(items.length)
        for (const { pool, claim } of pools)
          expect([...isDNS1123Subdomain(pool), ...isDNS1123Subdomain(claim)]).toEqual([])
      }),
      { numRuns: 100 },
    )
  })
})
