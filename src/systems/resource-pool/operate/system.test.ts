import { expect, test, vi } from 'vitest'
import { claimOf, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { ManualClock, settled } from '../../../../test/kube/manual-clock.ts'
import { eventually } from '../../../../test/eventually.ts'
import { asCreated, asObject, operating, PoolServer } from '../../../../test/operator/pool-server.ts'
import { type ResourcePool, resourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import { CONFLICTING_SCOPES } from '../../../kinds/resource-quota/resource-names.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { isObject, type KubeObject } from '../../../machinery/object.ts'
import { forbidden } from '../../../machinery/status.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'

const PER_NAMESPACE = 10
const TRIES = 15

const hasAnswer = ({ status }: KubeObject): boolean =>
  isObject(status) && Array.isArray(status['conditions']) && status['conditions'].length >= 4

/** Counts the calculations with amounts: each look at a claim makes some. */
function countCalculations(): { readonly count: () => number } & Disposable {
  const { prototype } = Quantity
  const spies = [vi.spyOn(prototype, 'add'), vi.spyOn(prototype, 'sub'), vi.spyOn(prototype, 'cmp')]
  return {
    count: () => spies.reduce((sum, { mock }) => sum + mock.calls.length, 0),
    [Symbol.dispose]: () => {
      for (const spy of spies) spy.mockRestore()
    },
  }
}

async function oneClaim(size: number): Promise<{ readonly calculations: number; readonly quotaWrites: number }> {
  const server = new PoolServer()
  const namespaceOf = (at: number): string => `n${Math.floor(at / PER_NAMESPACE)}`
  for (let at = 0; at < size; at += PER_NAMESPACE)
    server.namespaces.put({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespaceOf(at), labels: { pool: 'p' } },
    })
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '100000' } } })))
  const claim = (at: number, name: string): KubeObject =>
    asCreated(claimOf(name, { cpu: '1' }, { namespace: namespaceOf(at), age: at }))
  for (let at = 0; at < size; at++) server.claims.put(claim(at, `c${at}`))
  return await operating(server, async () => {
    const isSettled = (): boolean => [...server.claims.state.values()].every(hasAnswer)
    await eventually(isSettled, Boolean, { patienceMs: 100_000, everyMs: 200, what: 'every claim has its room' })
    using calculations = countCalculations()
    const counts: number[] = []
    let writes = 0
    for (let n = 0; n < TRIES; n++) {
      const before = server.quotas.calls.length
      const calculated = calculations.count()
      const { namespace = '', name = '' } = server.claims.put(claim(n * PER_NAMESPACE, `late-${n}`)).metadata
      await eventually(
        () => hasAnswer(server.claims.state.get(`${namespace}/${name}`) ?? ({} as KubeObject)),
        Boolean,
        {
          everyMs: 5,
        },
      )
      counts.push(calculations.count() - calculated)
      writes += server.quotas.calls.slice(before).filter((call) => call === 'update').length
    }
    // During the first tries earlier work is still under way.
    return { calculations: counts.toSorted((a, b) => a - b)[TRIES >> 1] ?? NaN, quotaWrites: writes / TRIES }
  })
}

test(
  'the cost of one claim does not grow with the pool, and only its own quota is written',
  { timeout: 300_000 },
  async () => {
    const sizes = [150, 3000] as const
    const [small, large] = [await oneClaim(sizes[0]), await oneClaim(sizes[1])]
    expect([small.quotaWrites, large.quotaWrites]).toEqual([1, 1])
    expect(small.calculations).toBeGreaterThan(0)
    // The totals of the namespaces are added up, one addition each; the claims of the others are not looked at.
    const namespaces = (sizes[1] - sizes[0]) / PER_NAMESPACE
    expect(large.calculations - small.calculations).toBeLessThanOrEqual(namespaces)
  },
)

test.each([
  ['answered before watches show it', undefined],
  ['shown by watches before it is answered', settled],
] as const)(
  'a write of the operator itself that is %s costs no further look: one for the claim, one when its quota is enforced',
  async (_, untilAnswer) => {
    const server = new PoolServer()
    for (const kind of [server.pools, server.claims, server.quotas]) kind.untilAnswer = untilAnswer
    server.namespaces.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', labels: { pool: 'p' } } })
    server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '1000' } } })))
    server.claims.put(asCreated(claimOf('first', { cpu: '1' }, { namespace: 'n' })))
    await operating(server, async (registry) => {
      const looks = async (): Promise<number> => {
        const { values = [] } = (await registry.getSingleMetric('allot_reconciles_total')?.get()) ?? {}
        const counts = values as { labels: { controller?: string | number }; value: number }[]
        return counts.reduce((sum, { labels, value }) => sum + (labels.controller === 'resource-pools' ? value : 0), 0)
      }
      const hasAnswerAll = (): boolean => [...server.claims.state.values()].every(hasAnswer)
      await eventually(hasAnswerAll, Boolean)
      // Nothing is under way any more.
      await new Promise((resolve) => setTimeout(resolve, 300))
      const before = await looks()
      for (let n = 0; n < TRIES; n++) {
        server.claims.put(asCreated(claimOf(`late-${n}`, { cpu: '1' }, { namespace: 'n', age: n })))
        await eventually(hasAnswerAll, Boolean, { everyMs: 5 })
      }
      await new Promise((resolve) => setTimeout(resolve, 300))
      // A look that begins between a write and what follows from it takes that as a third; one more for each would make three times as many.
      expect((await looks()) - before).toBeLessThan(2.5 * TRIES)
      // Its status once, together with whether it is used, and its owner.
      const patches = server.claims.calls.filter((call) => call === 'patch').length
      expect(patches / (TRIES + 1)).toBeLessThan(2.8)
    })
  },
)

test('a change at the head of a long queue is written to the first who wait, and to nobody else', async () => {
  const server = new PoolServer()
  server.namespaces.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n', labels: { pool: 'p' } } })
  const spec = { quota: { hard: { cpu: '2' } }, config: { orderedQueue: true } }
  server.pools.put(asCreated(poolOf('p', spec)))
  const waiting = process.env['ALLOT_SOAK'] === '1' ? 10_000 : 1_000
  for (let at = 0; at <= waiting; at++)
    server.claims.put(asCreated(claimOf(`c${at}`, { cpu: at === 0 ? '2' : '1' }, { namespace: 'n', age: at })))
  const isGiven = (name: string): boolean => {
    const { status } = server.claims.state.get(`n/${name}`) as ResourcePoolClaim
    return status?.conditions.some(({ type, status: is }) => type === 'Allocated' && is === 'True') === true
  }
  const waitingCount = (): unknown =>
    ([...server.pools.state.values()][0] as ResourcePool | undefined)?.status?.waitingCount
  await operating(server, async () => {
    const isSettled = (): boolean => [...server.claims.state.values()].every(hasAnswer)
    await eventually(isSettled, Boolean, { patienceMs: 100_000, everyMs: 100, what: 'every claim knows that it waits' })
    await eventually(waitingCount, (count) => count === waiting)
    const before = [server.claims, server.pools, server.quotas].map(({ calls }) => calls.length)
    server.claims.remove({ namespace: 'n', name: 'c0' })
    await eventually(() => isGiven('c1') && isGiven('c2'), Boolean, { what: 'the next have their room' })
    await eventually(waitingCount, (count) => count === waiting - 2)
    await eventually(
      () => (server.claims.state.get('n/c22') as ResourcePoolClaim).status?.waiting?.position,
      (position) => position === 20,
    )
    const after = [server.claims, server.pools, server.quotas].map(({ calls }) => calls.length)
    const written = after.reduce((sum, count, at) => sum + count - (before[at] ?? 0), 0)
    expect(written).toBeLessThan(100)
  })
})

test('the scopes of a pool are checked once for each of its specs, however many claims it serves', async () => {
  // Each check of scopes looks once for those that contradict each other.
  const checks = vi.spyOn(CONFLICTING_SCOPES as unknown as { filter: () => unknown }, 'filter')
  const server = new PoolServer()
  server.namespaces.put(served('n'))
  const spec = { quota: { hard: { cpu: '1000' }, scopes: ['NotTerminating'] } }
  server.pools.put(asCreated(poolOf('p', spec)))
  const isSettled = (): boolean => [...server.claims.state.values()].every(hasAnswer)
  const add = (name: string): unknown => server.claims.put(asCreated(claimOf(name, { cpu: '1' }, { namespace: 'n' })))
  try {
    await operating(server, async () => {
      for (let n = 0; n < TRIES; n++) {
        add(`c${n}`)
        await eventually(isSettled, Boolean, { everyMs: 5, what: 'every claim has its room' })
      }
      expect(checks.mock.calls).toHaveLength(1)
      server.pools.put(
        asObject({
          ...poolIn(server),
          spec: { ...poolIn(server).spec, quota: { ...spec.quota, hard: { cpu: '2000' } } },
        }),
      )
      add('late')
      await eventually(isSettled, Boolean, { everyMs: 5, what: 'the late claim has its room' })
      await eventually(
        () => quotaIn(server, 'n')?.spec?.hard?.['cpu'],
        (cpu) => cpu === `${TRIES + 1}`,
      )
      expect(checks.mock.calls).toHaveLength(2)
    })
  } finally {
    checks.mockRestore()
  }
})

const served = (name: string, pool = 'p'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { pool } },
})
const claimIn = (server: PoolServer, key: string) => server.claims.state.get(key) as object as ResourcePoolClaim
const poolIn = (server: PoolServer) => server.pools.state.get('/p') as object as ResourcePool
const quotaIn = (server: PoolServer, namespace: string) =>
  server.quotas.state.get(`${namespace}/capsule-pool-p`) as ResourceQuota | undefined
const isBound = ({ status }: ResourcePoolClaim): boolean =>
  status?.conditions.some(({ type, status: is }) => type === 'Bound' && is !== 'Unknown') === true

test('a claim that names no pool gets one, and its status speaks of the generation that names it', async () => {
  const server = new PoolServer()
  server.namespaces.put(served('n'))
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } } })))
  server.claims.put(asCreated(claimOf('any', { cpu: '1' }, { namespace: 'n', pool: '' })))
  await operating(server, async () => {
    await eventually(
      () => claimIn(server, 'n/any'),
      ({ spec, status, metadata: { generation } }) =>
        spec.pool === 'p' && generation === 2 && status?.observedGeneration === generation,
    )
  })
  expect(claimIn(server, 'n/any').status?.pool?.name).toBe('p')
})

test('a claim goes to another pool while no webhook is asked: when its pool is gone, and when it names none and waits', async () => {
  const server = new PoolServer()
  server.namespaces.put(served('n'))
  const from = { selectors: [{ matchLabels: { pool: 'p' } }] }
  server.pools.put(asCreated(poolOf('small', { ...from, quota: { hard: { cpu: '1' } } })))
  const lost = (name: string, pool: string): object => ({
    ...claimOf(name, { cpu: '1' }, { namespace: 'n', pool }),
    status: { pool: { name: 'gone', uid: 'gone' }, conditions: [] },
  })
  server.claims.put(asCreated(lost('lost-any', '')))
  server.claims.put(asCreated(lost('lost-named', 'p')))
  server.claims.put(asCreated(claimOf('large', { cpu: '2' }, { namespace: 'n', pool: 'small' })))
  const poolOfClaim = (name: string) => () => claimIn(server, `n/${name}`).status?.pool?.name
  await operating(server, async () => {
    await eventually(poolOfClaim('lost-any'), (name) => name === 'small')
    await eventually(poolOfClaim('large'), (name) => name === 'small')
    server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } } })))
    await eventually(poolOfClaim('lost-named'), (name) => name === 'p')
    const { metadata, spec, ...large } = claimIn(server, 'n/large')
    server.claims.put(asObject({ ...large, metadata: { ...metadata, generation: 2 }, spec: { ...spec, pool: '' } }))
    await eventually(poolOfClaim('large'), (name) => name === 'p')
  })
  expect(
    poolIn(server)
      .status?.claims?.['n']?.map(({ name }) => name)
      .toSorted(),
  ).toEqual(['large', 'lost-named'])
})

test('a claim that names no pool gets room of the one whose quota was refused in its namespace, once it is not any more', async () => {
  const server = new PoolServer()
  server.namespaces.put(served('n'))
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } } })))
  server.quotas.failNext('create', forbidden(RESOURCE_QUOTAS, 'capsule-pool-p', 'not allowed here'))
  const clock = new ManualClock()
  const work = async (): Promise<void> => {
    const blocked = () => poolIn(server).status?.blockedNamespaces?.map(({ name }) => name)
    await eventually(blocked, (names) => names?.includes('n') === true)
    server.claims.put(asCreated(claimOf('any', { cpu: '1' }, { namespace: 'n', pool: '' })))
    await eventually(() => claimIn(server, 'n/any').status?.conditions.length, Boolean)
    await clock.advance(60_000)
    await eventually(blocked, (names) => names === undefined)
    await eventually(
      async () => {
        await clock.advance(1000)
        return claimIn(server, 'n/any').status?.pool?.name
      },
      (name) => name === 'p',
    )
  }
  await operating(server, work, clock)
  expect(poolIn(server).status?.claims?.['n']?.map(({ name }) => name)).toEqual(['any'])
})

test('the quota of a namespace goes with its label, is made anew with other scopes, and goes with the pool', async () => {
  const server = new PoolServer()
  server.namespaces.put(served('n'))
  server.namespaces.put(served('m'))
  const hard = { cpu: '4' }
  server.pools.put(asCreated(poolOf('p', { quota: { hard } })))
  for (const namespace of ['n', 'm']) server.claims.put(asCreated(claimOf('one', { cpu: '1' }, { namespace })))
  const areBound = (): boolean => [...server.claims.state.values()].every((claim) => isBound(claim as never))
  await operating(server, async () => {
    await eventually(areBound, Boolean)
    server.namespaces.put(served('m', 'none'))
    await eventually(
      () => quotaIn(server, 'm'),
      (quota) => quota === undefined,
    )
    const before = quotaIn(server, 'n')?.metadata.uid
    const scoped = poolOf('p', { quota: { hard, scopes: ['NotTerminating'] } }, { metadata: { generation: 2 } })
    server.pools.put(asObject({ ...poolIn(server), spec: scoped.spec }))
    await eventually(
      () => quotaIn(server, 'n'),
      (quota) => quota !== undefined && quota.metadata.uid !== before,
    )
    expect(quotaIn(server, 'n')?.spec?.scopes).toEqual(['NotTerminating'])
    const { uid = '', resourceVersion = '' } = poolIn(server).metadata
    await server.client.delete(resourcePool, { namespace: '', name: 'p' }, { uid, resourceVersion })
    await eventually(
      () => [server.pools.state.size, server.quotas.state.size],
      (sizes) => sizes.every((size) => size === 0),
    )
  })
})

test('a claim that somebody else has changed is not written over and over until the watch shows that', async () => {
  const server = new PoolServer()
  server.namespaces.put(served('n'))
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '1' } } })))
  for (const [age, name] of ['first', 'second'].entries())
    server.claims.put(asCreated(claimOf(name, { cpu: '1' }, { namespace: 'n', age })))
  const poolOfSecond = () => claimIn(server, 'n/second').status?.pool?.name
  await operating(server, async () => {
    await eventually(() => [...server.claims.state.values()].every(hasAnswer), Boolean)
    server.claims.muted = true
    const second = claimIn(server, 'n/second')
    server.claims.put(asObject({ ...second, metadata: { ...second.metadata, labels: { own: 'yes' } } }))
    const calls = server.claims.calls.length
    // Now there is something to write to the claim, whose version is known to nobody.
    const { spec } = poolOf('p', { quota: { hard: { cpu: '2' } } })
    server.pools.put(asObject({ ...poolIn(server), spec, metadata: { ...poolIn(server).metadata, generation: 2 } }))
    await eventually(
      () => server.claims.calls.length - calls,
      (count) => count > 1,
    )
    for (let n = 0; n < 1000; n++) await settled()
    expect(server.claims.calls.length - calls).toBeLessThan(100)
    server.claims.muted = false
    server.claims.deliver()
    await eventually(poolOfSecond, (name) => name === 'p')
  })
  expect(claimIn(server, 'n/second').metadata.labels).toEqual({ own: 'yes' })
})
