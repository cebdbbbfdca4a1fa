import { expect, test } from 'vitest'
import { applied, claimOf, inPool, poolOf, settle } from '../../../../../test/systems/resource-pool/pool-arena.ts'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import type { ResourcePool } from '../../api/resource-pool.ts'
import { decidePool } from '../decide-pool.ts'
import { nextSteps, type QuotaWrite } from './write-order.ts'
import { RELEASE_TOKEN } from './view.ts'
import { lowerReleases } from './lower-releases.ts'

const CPU = 'requests.cpu'
const SPEC = { quota: { hard: { [CPU]: '4' }, scopes: ['NotTerminating'] }, defaults: { [CPU]: '1' } }
const NAMESPACES = inPool('p', 'a', 'b')

/** A pool of 4 CPUs: namespace a has 3 of them, a claim of 3 waits in b. */
const start = () =>
  settle(
    poolOf('p', SPEC),
    [claimOf('has', { [CPU]: '3' }), claimOf('waits', { [CPU]: '3' }, { namespace: 'b', age: 1 })],
    NAMESPACES,
  )

/** A quota as the server has it: what `spec.hard` asks for is enforced, unless `enforced` says otherwise. */
function stored(quota: ResourceQuota, used = '0', enforced?: string): ResourceQuota {
  const hard = enforced === undefined ? (quota.spec?.hard ?? {}) : { [CPU]: enforced }
  return {
    ...quota,
    metadata: { ...quota.metadata, uid: 'u', resourceVersion: '7' },
    status: { hard, used: { [CPU]: used } },
  }
}

const made = (writes: readonly QuotaWrite[]): Map<string, ResourceQuota> =>
  new Map(writes.flatMap((write) => ('quota' in write ? [[write.namespace, write.quota] as const] : [])))

const texts = (writes: readonly QuotaWrite[]): readonly string[] =>
  writes.map((write) => {
    if (!('quota' in write)) return `${write.kind} ${write.namespace}`
    const token = write.quota.metadata.annotations?.[RELEASE_TOKEN]
    return `${write.kind} ${write.namespace} ${write.quota.spec?.hard?.[CPU]}${token === undefined ? '' : ` for ${token}`}`
  })

function raised(pool: ResourcePool): Map<string, ResourceQuota> {
  const created = new Map(
    [...made(nextSteps({ pool, quotas: new Map(), isLive: true }).writes)].map(([name, quota]) => [
      name,
      stored(quota),
    ]),
  )
  const { writes } = nextSteps({ pool, quotas: created, isLive: true })
  return new Map([...created, ...[...made(writes)].map(([name, quota]) => [name, stored(quota)] as const)])
}

test('a quota is created with nothing of what claims give, and raised by a pool that was read after it', () => {
  const { pool } = start()
  const { writes } = nextSteps({ pool, quotas: new Map(), isLive: true })
  expect(texts(writes)).toEqual(['create a 1', 'create b 1'])
  expect(writes[0]).toMatchObject({
    quota: {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: {
        name: 'capsule-pool-p',
        namespace: 'a',
        labels: { 'projectcapsule.dev/pool': 'p', 'projectcapsule.dev/managed-by': 'controller' },
        ownerReferences: [
          {
            apiVersion: 'capsule.clastix.io/v1beta2',
            kind: 'ResourcePool',
            name: 'p',
            uid: 'uid-p',
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
      },
      spec: { hard: { [CPU]: '1' }, scopes: ['NotTerminating'] },
    },
  })
  const quotas = new Map([...made(writes)].map(([name, quota]) => [name, stored(quota)]))
  expect(nextSteps({ pool, quotas, isLive: false })).toEqual({
    writes: [],
    waits: [{ namespace: 'a', for: 'live-pool' }],
    needsLivePool: true,
    excessive: [],
  })
  const live = nextSteps({ pool, quotas, isLive: true })
  expect([texts(live.writes), live.needsLivePool]).toEqual([['update a 4'], false])
  expect(live.writes[0]).toMatchObject({ raises: true, quota: { metadata: { resourceVersion: '7' } } })
  expect(nextSteps({ pool, quotas: raised(pool), isLive: true }).writes).toEqual([])
})

test('room is given on once its quota is fenced, lowered by the server, and looked at again', () => {
  const { pool, claims } = start()
  const quotas = raised(pool)
  const decide = (of: ResourcePool, a: ResourceQuota) => {
    const now = new Map([...quotas, ['a', a] as const])
    const outcome = decidePool({ pool: of, claims: claims.slice(1), namespaces: NAMESPACES, quotas: now })
    return { ...applied(of, claims.slice(1), outcome).pool.status, gets: outcome.claims[0]?.decision.verdict }
  }
  const released = settle(pool, claims.slice(1), NAMESPACES).pool
  expect(released.status).toMatchObject({
    releasing: { a: { room: { [CPU]: '3' }, token: '1' } },
    allocation: { used: { [CPU]: '0' }, available: { [CPU]: '1' } },
  })
  const { writes, waits } = nextSteps({ pool: released, quotas, isLive: true })
  expect([texts(writes), waits]).toEqual([['update a 1 for 1'], [{ namespace: 'a', for: 'limit' }]])
  const [quota] = [...made(writes).values()]

  expect(decide(released, stored(quota!, '0', '4'))).toMatchObject({
    gets: 'waiting',
    releasing: released.status?.releasing,
  })
  const low = { ...stored(quota!), metadata: { annotations: {} } }
  expect(decide(released, low)).toMatchObject({ gets: 'waiting', releasing: released.status?.releasing })
  const done = decide(released, stored(quota!))
  expect(done.gets).toBe('allocated')
  expect(done.releasing).toBeUndefined()

  // Three pods of one CPU came meanwhile; the default covers one of them.
  const used = decide(released, stored(quota!, '3'))
  expect(used).toMatchObject({ gets: 'waiting', releasing: { a: { room: { [CPU]: '2' } } } })
  expect(used.releasing?.['a']?.token).toBeUndefined()
  const held: ResourcePool = { ...released, status: { ...released.status!, releasing: used.releasing! } }
  const back = nextSteps({ pool: held, quotas: new Map([...quotas, ['a', stored(quota!, '3')]]), isLive: true })
  expect([texts(back.writes), back.waits]).toEqual([['update a 3'], [{ namespace: 'a', for: 'usage' }]])
  const ended = lowerReleases({
    pool: { ...held, metadata: { ...held.metadata, resourceVersion: '9' } },
    quotas: new Map([['a', stored([...made(back.writes).values()][0]!, '1')]]),
  })
  expect(ended.status?.releasing).toEqual({ a: { room: { [CPU]: '2' }, token: '9' } })
})

test('a namespace that leaves is free when a live read finds no quota, and not when a cache has none', () => {
  const { pool, claims } = start()
  const quotas = raised(pool)
  const { pool: left } = settle(pool, claims, NAMESPACES.slice(1))
  expect(nextSteps({ pool: left, quotas, isLive: false })).toMatchObject({ writes: [], needsLivePool: true })
  expect(nextSteps({ pool: left, quotas, isLive: true }).writes).toEqual([
    { kind: 'delete', namespace: 'a', uid: 'u', resourceVersion: '7' },
  ])
  const without = new Map([...quotas].filter(([name]) => name !== 'a'))
  expect(texts(nextSteps({ pool: left, quotas: without, isLive: true }).writes)).toEqual(['confirm-gone a'])
  expect(lowerReleases({ pool: left, quotas: without })).toBe(left)
  expect(lowerReleases({ pool: left, quotas: without, gone: new Set(['a']) }).status?.releasing).toBeUndefined()
})

test('while a quota allows more than it should, others are not raised', () => {
  const { pool } = start()
  const quotas = raised(pool)
  const lowered = { ...pool, spec: { ...pool.spec, defaults: { [CPU]: '0' } } }
  const entry = { name: 'n', namespace: 'b', uid: 'n', claims: { [CPU]: '2' } }
  const status = { ...pool.status!, claims: { ...pool.status?.claims, b: [entry] } }
  const steps = nextSteps({ pool: { ...lowered, status }, quotas, isLive: true })
  expect(texts(steps.writes)).toEqual(['update a 3'])
  expect(steps.waits).toEqual([{ namespace: 'b', for: 'excess' }])
})

test('a quota that somebody changed is put right, and one of other scopes is made anew', () => {
  const { pool } = start()
  const [a] = [...raised(pool).values()]
  const writes = (quota: ResourceQuota) =>
    texts(nextSteps({ pool, quotas: new Map([...raised(pool), ['a', quota]]), isLive: true }).writes)
  expect(writes({ ...a!, spec: { ...a!.spec, hard: { [CPU]: '9' } } })).toEqual(['update a 4'])
  expect(writes({ ...a!, spec: { ...a!.spec, hard: { ...a!.spec?.hard, pods: '1' } } })).toEqual(['update a 4'])
  expect(writes({ ...a!, metadata: { ...a!.metadata, labels: {} } })).toEqual(['update a 4'])
  expect(writes({ ...a!, spec: { ...a!.spec, scopes: [] } })).toEqual(['replace a 1'])
  expect(writes({ ...a!, metadata: { ...a!.metadata, deletionTimestamp: 'now' } })).toEqual([])
})
