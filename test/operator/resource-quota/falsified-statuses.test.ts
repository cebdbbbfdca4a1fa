import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import {
  COUNTED_MAPS,
  forQuotas,
  GLOBAL_QUOTAS,
  ledgersIn,
  map,
  mapsIn,
  quotasIn as customQuotasIn,
  type QuotaWorld,
} from '../custom-quota/quota-world.ts'
import { KarmadaWorld, kquotasIn } from '../karmada-quota/karmada-world.ts'
import { operatedServers } from '../operated.ts'
import { claimsIn, condition, type Conditioned, MERGE, POOLS, quotasIn } from '../pool-objects.ts'

const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
const CPU = 'requests.cpu'
/** Webhooks let the operator write, so what it sends gets in as everything does while there are no webhooks. */
const OPERATOR = {
  'impersonate-user': 'system:serviceaccount:allot-system:allot',
  'impersonate-group': 'system:masters',
}

/** An object whose status allot writes. */
interface Falsified {
  readonly kind: string
  /** Makes it, in the namespace of the test; gives its path. */
  readonly make: (world: QuotaWorld, namespace: string) => Promise<string>
  /** The wrong status, by that of before. */
  readonly wrong: (status: Status) => object
  /** The part that must be right again. */
  readonly right: (status: Status) => unknown
  /** Only where allot owns the status. */
  readonly only?: 'allot up'
}

// oxlint-disable-next-line typescript/no-explicit-any -- statuses of all kinds
type Status = any

const usage = ({ usage: { used, available } }: Status): unknown => ({ used, available })
const limited = async (world: QuotaWorld, namespace: string): Promise<string> => {
  await world.create(mapsIn(namespace), map('a'))
  await world.quota(namespace, 'two', { limit: '2', sources: [COUNTED_MAPS], scopeSelectors })
  await world.used(`${customQuotasIn(namespace)}/two`, '1')
  return `${customQuotasIn(namespace)}/two`
}
const claimed = async (world: QuotaWorld, namespace: string): Promise<string> => {
  await world.pool(namespace, { [CPU]: '2' })
  await world.claim(namespace, 'one', { [CPU]: '1' })
  const path = `${claimsIn(namespace)}/one`
  // Nothing more is said of a claim that nobody uses.
  const isSettled = (claim: Conditioned): boolean =>
    condition(claim, 'Bound')?.reason === 'Unused' &&
    condition(claim, 'Ready')?.status === 'True' &&
    condition(claim, 'Allocated')?.status === 'True'
  await world.until(path, isSettled)
  return path
}

const CASES: readonly Falsified[] = [
  {
    kind: 'CustomQuota',
    make: limited,
    wrong: () => ({ usage: { used: '0', available: '2' }, claims: [] }),
    right: usage,
  },
  {
    kind: 'GlobalCustomQuota',
    make: async (world, namespace) => {
      await world.create(mapsIn(namespace), map('a'))
      const namespaceSelectors = [{ matchLabels: { pool: namespace } }]
      await world.quota(undefined, namespace, {
        limit: '2',
        sources: [COUNTED_MAPS],
        scopeSelectors,
        namespaceSelectors,
      })
      await world.used(`${GLOBAL_QUOTAS}/${namespace}`, '1')
      return `${GLOBAL_QUOTAS}/${namespace}`
    },
    wrong: () => ({ usage: { used: '0', available: '2' }, namespaces: [] }),
    right: (status) => [usage(status), status.namespaces],
  },
  {
    kind: 'QuantityLedger',
    make: async (world, namespace) => {
      await limited(world, namespace)
      const path = `${ledgersIn(namespace)}/two`
      await world.until(path, ({ status }) => status?.allocated === '1')
      return path
    },
    wrong: () => ({ allocated: '0', reserved: '5' }),
    right: ({ allocated, reserved }) => ({ allocated, reserved }),
  },
  {
    kind: 'ResourcePool',
    make: async (world, namespace) => {
      await claimed(world, namespace)
      return `${POOLS}/${namespace}`
    },
    wrong: ({ allocation }) => ({ allocation: { ...allocation, claimed: { [CPU]: '0' }, available: { [CPU]: '9' } } }),
    right: ({ allocation, namespaces }) => [allocation.claimed, allocation.available, namespaces],
  },
  {
    kind: 'ResourcePoolClaim',
    make: claimed,
    wrong: ({ conditions }) => ({
      conditions: conditions.map((one: object) => ({ ...one, status: 'Unknown', reason: 'Falsified' })),
    }),
    right: ({ conditions }) =>
      conditions.map(({ type, status, reason }: Record<string, string>) => [type, status, reason]).toSorted(),
  },
  {
    kind: 'ResourceQuota of a pool',
    make: async (world, namespace) => {
      await claimed(world, namespace)
      const path = `${quotasIn(namespace)}/capsule-pool-${namespace}`
      await world.until(path, ({ status }) => status?.hard?.[CPU] === '1')
      return path
    },
    wrong: ({ hard }) => ({ hard: { ...hard, [CPU]: '100' } }),
    right: ({ hard }) => hard,
  },
  {
    kind: 'ResourceQuota',
    only: 'allot up',
    make: async (world, namespace) => {
      const spec = { hard: { 'count/configmaps': '9', pods: '1' } }
      await world.create(quotasIn(namespace), { metadata: { name: 'plain' }, spec })
      await world.until(`${quotasIn(namespace)}/plain`, ({ status }) => status?.used?.pods === '0')
      return `${quotasIn(namespace)}/plain`
    },
    wrong: () => ({ hard: { pods: '100' }, used: { 'count/configmaps': '0', pods: '1' } }),
    right: ({ hard, used }) => ({ hard, used }),
  },
  {
    kind: 'KarmadaQuota',
    make: async ({ server }, namespace) => {
      const karmada = new KarmadaWorld(server)
      await karmada.define()
      await karmada.quota(namespace, 'four', { cpu: '4' })
      return `${kquotasIn(namespace)}/four`
    },
    wrong: () => ({ hard: { cpu: '100' }, used: { cpu: '3' } }),
    right: ({ hard, used }) => ({ hard, used }),
  },
]

for (const { name, available, share } of operatedServers)
  describe(`${name}: a status that somebody falsifies`, { concurrent: true, skip: !available }, () => {
    const suite = forQuotas(share)

    test.each(CASES.filter(({ only }) => only === undefined || only === name))(
      'of a $kind is right again soon',
      async ({ kind, make, wrong, right }) => {
        const { world, server } = suite
        const namespace = `fs-${kind.toLowerCase().replaceAll(' ', '-')}`
        await world.namespace(namespace)
        const path = await make(world, namespace)
        const before = (await world.read(path)).status
        const headers = { ...MERGE, ...(name === 'allot up' ? OPERATOR : {}) }
        const falsified = await eventually(
          async () =>
            server.send('PATCH', `${path}/status`, { status: wrong((await world.read(path)).status) }, headers),
          ({ status }) => status === 200,
        )
        expect(right((falsified.json as { status: Status }).status)).not.toEqual(right(before))
        await eventually(
          async () => right((await world.read(path)).status),
          (seen) => isDeepStrictEqual(seen, right(before)),
          { what: `the status of ${path}`, patienceMs: 20_000 },
        )
      },
    )
  })
