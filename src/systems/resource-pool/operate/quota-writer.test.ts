import { expect, test } from 'vitest'
import { poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { PoolServer, watchingPools } from '../../../../test/operator/pool-server.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { poolQuotaName } from '../api/quota-name.ts'
import { poolQuota } from '../decide/quota/pool-quota.ts'
import type { QuotaWrite } from '../decide/quota/write-order.ts'
import { failure, isConflict, isNotFound } from '../../../machinery/status.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { POOLS } from './pool-controllers.ts'
import { QuotaWriter } from './quota-writer.ts'

const NAME = poolQuotaName('p')
const REFUSAL = failure(422, 'Invalid', 'ResourceQuota "q" is invalid: unsupported scope')
const pool = poolOf('p', { quota: { hard: { cpu: '4' } } })

/** The pool's quota in namespace a, as it is created. */
const quota = (cpu: string, scopes: readonly string[] = []): ResourceQuota => {
  const { status: _, ...made } = poolQuota({
    pool,
    namespace: 'a',
    hard: { cpu: Quantity.parse(cpu) },
    release: undefined,
  })
  return { ...made, spec: { ...made.spec, scopes } }
}

/** The writer of an operator that watches a server, and the changes that its pools hear of: by which controller, and to what. */
async function operator(server: PoolServer) {
  const { caches, ...ends } = await watchingPools(server)
  const writer = new QuotaWriter(server, caches)
  const changes: (readonly [string | undefined, string | undefined])[] = []
  caches.quotas.onChange((_, current, { by }) => changes.push([by, current?.spec?.hard?.['cpu']]))
  changes.length = 0
  return {
    changes,
    write: (write: QuotaWrite) => writer.write(write, NAME, new AbortController().signal),
    seen: () => caches.quotas.get('a', NAME),
    ...ends,
  }
}

const KEY = `a/${NAME}`
const stored = ({ quotas }: PoolServer): ResourceQuota => quotas.state.get(KEY) as object as ResourceQuota
const limit = (server: PoolServer): string | undefined => stored(server).spec?.hard?.['cpu']

/** A server that has this quota, which is counted already. */
async function serverWith(object: ResourceQuota, more: object = {}): Promise<PoolServer> {
  const server = new PoolServer()
  server.quotas.put({ ...object, metadata: { ...object.metadata, ...more } })
  await settled()
  return server
}

/** A quota of these limits or scopes as it is updated: with the version that the server has. */
const next = (server: PoolServer, cpu: string): ResourceQuota => ({ ...quota(cpu), metadata: stored(server).metadata })

test('a quota of other scopes takes the place of the one that was there', async () => {
  const server = await serverWith(quota('1', ['Old']))
  await using only = await operator(server)
  const { uid = '', resourceVersion = '' } = stored(server).metadata
  await only.write({ kind: 'replace', namespace: 'a', uid, resourceVersion, quota: quota('1', ['New']) })
  expect(stored(server).spec?.scopes).toEqual(['New'])
})

test('one that the server would not take leaves everything as it is', async () => {
  const server = await serverWith(quota('1', ['Old']))
  await using only = await operator(server)
  const before = stored(server)
  const { uid = '', resourceVersion = '' } = before.metadata
  server.quotas.failNext('create', REFUSAL)
  const write: QuotaWrite = { kind: 'replace', namespace: 'a', uid, resourceVersion, quota: quota('1', ['Impossible']) }
  await expect(only.write(write)).rejects.toBe(REFUSAL)
  expect(stored(server)).toBe(before)
})

test('where somebody deletes it meanwhile, it is made by the next look', async () => {
  const server = await serverWith(quota('1', ['Old']))
  await using only = await operator(server)
  const { uid = '', resourceVersion = '' } = stored(server).metadata
  server.quotas.remove({ namespace: 'a', name: NAME })
  const write: QuotaWrite = { kind: 'replace', namespace: 'a', uid, resourceVersion, quota: quota('1', ['New']) }
  await expect(only.write(write)).rejects.toSatisfy(isNotFound)
  expect(server.quotas.state.size).toBe(0)
})

test.each<readonly [string, (before: ResourceQuota) => QuotaWrite]>([
  [
    'update',
    (before) => ({ kind: 'update', namespace: 'a', quota: { ...quota('4'), metadata: before.metadata }, raises: true }),
  ],
  [
    'delete',
    ({ metadata: { uid = '', resourceVersion = '' } }) => ({ kind: 'delete', namespace: 'a', uid, resourceVersion }),
  ],
  [
    'replacement',
    ({ metadata: { uid = '', resourceVersion = '' } }) => ({
      kind: 'replace',
      namespace: 'a',
      uid,
      resourceVersion,
      quota: quota('4', ['New']),
    }),
  ],
  [
    'release of the finalizers',
    (before) => {
      const { finalizers: _, ...metadata } = before.metadata
      return { kind: 'let-go', namespace: 'a', quota: { ...before, metadata } }
    },
  ],
])(
  'the %s of a quota that another operator has written since, or made anew, is a conflict: it goes by an older ledger',
  async (_, writeOf) => {
    const server = await serverWith(quota('1'), { finalizers: ['a.test/b'] })
    await using late = await operator(server)
    const write = writeOf(stored(server))
    await using other = await operator(server)
    await other.write({ kind: 'update', namespace: 'a', quota: next(server, '2'), raises: true })
    await settled()
    const raised = stored(server)
    await expect(late.write(write)).rejects.toSatisfy(isConflict)
    expect(stored(server)).toBe(raised)
    server.quotas.remove({ namespace: 'a', name: NAME })
    await other.write({ kind: 'create', namespace: 'a', quota: quota('3') })
    await settled()
    const remade = stored(server)
    await expect(late.write(write)).rejects.toSatisfy(isConflict)
    expect(stored(server)).toBe(remade)
  },
)

test('a quota that was seen by nobody since is deleted', async () => {
  const server = await serverWith(quota('1'))
  await using only = await operator(server)
  const { uid = '', resourceVersion = '' } = stored(server).metadata
  expect(await only.write({ kind: 'delete', namespace: 'a', uid, resourceVersion })).toEqual({ kind: 'done' })
  expect(server.quotas.state.size).toBe(0)
})

test.each([
  ['answered before watches show it', undefined],
  ['shown by watches before it is answered', settled],
] as const)(
  'a write that is %s is known as its own, so that its pool is not looked at for it, and is read at once',
  async (_, untilAnswer) => {
    const server = new PoolServer()
    await using only = await operator(server)
    Object.assign(server.quotas, { untilAnswer, muted: untilAnswer === undefined, isEnforcing: false })
    await only.write({ kind: 'create', namespace: 'a', quota: quota('1') })
    expect(only.seen()?.spec?.hard).toEqual({ cpu: '1' })
    await only.write({ kind: 'update', namespace: 'a', quota: next(server, '2'), raises: true })
    expect(only.seen()?.spec?.hard).toEqual({ cpu: '2' })
    server.quotas.deliver()
    await settled()
    expect(only.changes).toEqual([
      [POOLS, '1'],
      [POOLS, '2'],
    ])
  },
)

test('a quota that is there already without the labels of its pool is found, so that it can be adopted or reported', async () => {
  const server = await serverWith(quota('9'), { labels: {} })
  await using only = await operator(server)
  const written = await only.write({ kind: 'create', namespace: 'a', quota: quota('1') })
  expect(written).toEqual({ kind: 'found', namespace: 'a', quota: stored(server) })
  expect(limit(server)).toBe('9')
})

test('one that is gone again when it is looked at leaves nothing to report: the next reconcile makes it', async () => {
  const server = await serverWith(quota('9'), { labels: {} })
  await using only = await operator(server)
  const get = server.client.get.bind(server.client)
  server.client.get = (...call) => {
    server.quotas.remove({ namespace: 'a', name: NAME })
    return get(...call)
  }
  expect(await only.write({ kind: 'create', namespace: 'a', quota: quota('1') })).toEqual({ kind: 'done' })
})

test('a quota that is being deleted goes without its finalizers, and one that is gone already needs nothing', async () => {
  const server = await serverWith(quota('1'), { finalizers: ['a.test/b'] })
  await using only = await operator(server)
  const { uid = '', resourceVersion = '' } = stored(server).metadata
  await only.write({ kind: 'delete', namespace: 'a', uid, resourceVersion })
  const { finalizers: _, ...metadata } = stored(server).metadata
  const write: QuotaWrite = { kind: 'let-go', namespace: 'a', quota: { ...quota('1'), metadata } }
  // The pool has to look whether the room is free, although no event comes for what is not there.
  for (const there of [1, 0]) {
    expect(server.quotas.state.size).toBe(there)
    expect(await only.write(write)).toEqual({ kind: 'let-go', namespace: 'a' })
  }
})

test('the room of a namespace is given back only when a live read finds no quota', async () => {
  const server = await serverWith(quota('1'))
  await using only = await operator(server)
  expect(await only.write({ kind: 'confirm-gone', namespace: 'a' })).toEqual({ kind: 'done' })
  server.quotas.remove({ namespace: 'a', name: NAME })
  expect(await only.write({ kind: 'confirm-gone', namespace: 'a' })).toEqual({ kind: 'gone', namespace: 'a' })
  server.quotas.failNext('get', REFUSAL)
  await expect(only.write({ kind: 'confirm-gone', namespace: 'a' })).rejects.toBe(REFUSAL)
})
