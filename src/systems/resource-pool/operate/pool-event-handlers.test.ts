import { expect, test } from 'vitest'
import { claimOf, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { asCreated, PoolServer, watchingPools } from '../../../../test/operator/pool-server.ts'
import { RELEASE_ANNOTATION } from '../api/pool-names.ts'
import { resourcePoolClaim } from '../api/claim.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import type { ReconcileRequest } from '../../../operator/shell/controller.ts'
import { CLAIMS, POOLS } from './pool-controllers.ts'
import { poolEventHandlers } from './pool-event-handlers.ts'

const namespace = (name: string, pool: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { pool } },
})

/** The requests of the controller of pools on a server: parts of pools, and claims that no pool decides about. */
async function listening(server: PoolServer) {
  const { caches, ...ends } = await watchingPools(server)
  const asked: string[] = []
  const ask = ({ key, part }: ReconcileRequest): void => void asked.push(part === undefined ? key : `${key}: ${part}`)
  for (const source of poolEventHandlers(caches, (key) => asked.push(`stray ${key}`), { now: Date.now }))
    source.follow(POOLS, ask)
  return {
    caches,
    /** The requests that a change leads to. */
    after: async (change: () => unknown): Promise<readonly string[]> => {
      asked.length = 0
      await change()
      await settled()
      return [...new Set(asked)].toSorted()
    },
    ...ends,
  }
}

const pool = (status: JsonObject, metadata: JsonObject = {}): KubeObject =>
  asCreated(poolOf('p', { quota: { hard: { cpu: '4' } } }, { status: { ...STATUS, ...status }, metadata }))
const STATUS = { claimCount: 0, namespaceCount: 1, conditions: [], allocation: { available: { cpu: '2' } } }

test('claims that wait for any pool are looked at when a pool offers something else, and only then: there may be thousands', async () => {
  const server = new PoolServer()
  server.namespaces.put(namespace('a', 'none'))
  server.pools.put(pool({}))
  for (const name of ['one', 'two']) server.claims.put(asCreated(claimOf(name, { cpu: '1' }, { pool: '' })))
  await using all = await listening(server)
  const afterPut = (...change: Parameters<typeof pool>) => all.after(() => server.pools.put(pool(...change)))
  const nobody: readonly string[] = []
  const both = ['stray a/one', 'stray a/two']
  const condition = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'reconciled' }
  const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }]
  expect(await afterPut({ claimCount: 1, conditions })).toEqual(nobody)
  expect(await afterPut({ conditions }, { labels: { a: 'b' } })).toEqual(nobody)
  expect(await afterPut({ allocation: { available: { cpu: '3' } } })).toEqual(both)
  expect(await afterPut({ allocation: { available: { cpu: '3' } } }, { generation: 2 })).toEqual(both)
  expect(await all.after(() => server.pools.remove({ namespace: '', name: 'p' }))).toEqual(both)
  expect(await afterPut({})).toEqual(both)
})

test('a claim that waits for any pool is looked at when the pool of its namespace can have its quota there again', async () => {
  const server = new PoolServer()
  server.namespaces.put(namespace('a', 'p'))
  const blocked = (message: string) => ({ blockedNamespaces: [{ name: 'a', message }] })
  server.pools.put(pool(blocked('forbidden')))
  server.claims.put(asCreated(claimOf('one', { cpu: '1' }, { pool: '' })))
  await using all = await listening(server)
  expect(await all.after(() => server.pools.put(pool(blocked('forbidden still'))))).toEqual([])
  expect(await all.after(() => server.pools.put(pool({})))).toEqual(['p: a'])
  expect(await all.after(() => server.pools.put(pool(blocked('forbidden'))))).toEqual(['stray a/one'])
})

test('a claim whose decision was written is not looked at for that, unless it asks for something else since', async () => {
  const server = new PoolServer()
  server.namespaces.put(namespace('a', 'p'))
  const { uid = '' } = server.pools.put(pool({})).metadata
  const annotations = { [RELEASE_ANNOTATION]: 'true' }
  server.claims.put(asCreated(claimOf('one', { cpu: '1' }, { pool: '', annotations })))
  await using all = await listening(server)
  const { claims } = all.caches
  const place = { namespace: 'a', name: 'one' }
  const patch = (body: JsonObject, subresource = '') =>
    server.client.patch(resourcePoolClaim, place, { type: 'merge', body }, { subresource })
  const afterOwn = (...change: Parameters<typeof patch>) =>
    all.after(() => claims.observeWrite(place, CLAIMS, () => patch(...change)))
  const status = { pool: { name: 'p', uid }, conditions: [] }
  expect(await afterOwn({ status }, 'status')).toEqual([])
  expect(await afterOwn({ metadata: { labels: { a: 'b' } } })).toEqual([])
  // The status is to name the generation that it speaks of.
  expect(await afterOwn({ spec: { pool: 'p' } })).toEqual(['p: a'])
  expect(claims.get('a', 'one')?.metadata.generation).toBe(2)
  expect(await afterOwn({ metadata: { annotations: { [RELEASE_ANNOTATION]: null } } })).toEqual(['p: a'])
  // A claim that has lost its pool may get another.
  expect(await afterOwn({ status: { pool: null } }, 'status')).toEqual(['p: a'])
  expect(await all.after(() => patch({ status }, 'status'))).toEqual(['p: a'])
})
