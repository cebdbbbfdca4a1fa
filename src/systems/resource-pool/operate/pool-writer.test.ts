import { expect, test } from 'vitest'
import { claimOf, inPool, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { ManualClock, settled } from '../../../../test/kube/manual-clock.ts'
import { asCreated, PoolServer, watchingPools } from '../../../../test/operator/pool-server.ts'
import { conditionOf } from '../../../api/condition.ts'
import { POOL_FINALIZER } from '../api/pool-names.ts'
import { type ResourcePool, resourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import { decidePool, type DecidePoolInput } from '../decide/decide-pool.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { forbidden, isConflict, isForbidden, notFound } from '../../../machinery/status.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import { PoolWriter } from './pool-writer.ts'

const { signal } = new AbortController()
const REFUSAL = forbidden(RESOURCE_QUOTAS, 'q', 'unsupported scope')
const OTHER = forbidden(RESOURCE_QUOTAS, 'q', 'exceeded quota')

/** A server with the pool `p` of four CPUs. */
function serving(): PoolServer {
  const server = new PoolServer()
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } } })))
  return server
}

const stored = (server: PoolServer): ResourcePool => resourcePool.read(server.pools.state.get('/p') as KubeObject)
const readyOf = (server: PoolServer) => conditionOf(stored(server).status?.conditions, 'Ready')
const claimed = (server: PoolServer) =>
  Object.values(stored(server).status?.claims ?? {}).flatMap((entries) => entries.map(({ name }) => name))

/** The part of an operator that writes to the pool, as the operator knows it from its watches. */
async function operator(server: PoolServer) {
  const { caches, ...ends } = await watchingPools(server)
  const writer = new PoolWriter({ client: server.client, clock: new ManualClock(), logger: silentLogger }, caches)
  const seen = (): ResourcePool => {
    const pool = caches.pools.get('', 'p')
    if (pool === undefined) throw new Error('the pool is not seen')
    return pool
  }
  /** Decides about the claims of namespace a, and writes that. */
  const decide = (...claims: readonly ResourcePoolClaim[]) => {
    const pool = seen()
    const input: DecidePoolInput = { pool, claims, namespaces: inPool('p', 'a'), quotas: new Map() }
    return writer.writeLedger(pool, decidePool(input), input, signal)
  }
  return { writer, seen, decide, ...ends }
}

test('of operators that decide from the same ledger only the first writes: the others would grant its room once more', async () => {
  const server = serving()
  await using first = await operator(server)
  await using second = await operator(server)
  server.pools.muted = true
  await first.decide(claimOf('one', { cpu: '4' }))
  const before = server.pools.state.get('/p')
  await expect(second.decide(claimOf('two', { cpu: '4' }))).rejects.toSatisfy(isConflict)
  // All that others have added or taken away meanwhile stays.
  await expect(second.writer.writeFinalizers(second.seen(), { finalizer: true }, signal)).rejects.toSatisfy(isConflict)
  await expect(second.writer.writeFailure('p', REFUSAL, signal)).rejects.toSatisfy(isConflict)
  expect(server.pools.state.get('/p')).toBe(before)
  expect(claimed(server)).toEqual(['one'])
  server.pools.deliver()
  await settled()
  await second.decide(claimOf('one', { cpu: '4' }), claimOf('two', { cpu: '4' }))
  expect(claimed(server)).toEqual(['one'])
})

test('the writes of one reconcile follow each other: each knows the version that the former made', async () => {
  const server = serving()
  await using only = await operator(server)
  server.pools.muted = true
  const claims = [claimOf('one', { cpu: '1' })]
  const input: DecidePoolInput = { pool: only.seen(), claims, namespaces: inPool('p', 'a'), quotas: new Map() }
  const outcome = decidePool(input)
  const guarded = await only.writer.writeFinalizers(only.seen(), outcome, signal)
  const { pool } = await only.writer.writeLedger(guarded, outcome, input, signal)
  expect(pool.metadata.finalizers).toEqual([POOL_FINALIZER])
  expect(stored(server)).toEqual(pool)
  // Nothing waits for the watch: the operator reads at once what it wrote.
  expect(only.seen()).toBe(pool)
})

test('a pool says what the server refuses for it until that is done, however often it is reconciled meanwhile', async () => {
  const server = serving()
  await using only = await operator(server)
  await only.decide()
  await only.writer.writeFailure('p', REFUSAL, signal)
  for (const claims of [[], [claimOf('one', { cpu: '1' })]]) {
    await only.decide(...claims)
    expect(readyOf(server)).toMatchObject({ status: 'False', message: REFUSAL.message })
  }
  expect(claimed(server)).toEqual(['one'])
  await only.writer.writeFailure('p', OTHER, signal)
  expect(readyOf(server)).toMatchObject({ status: 'False', message: OTHER.message })
  expect(only.writer.succeeded('p')).toBe(true)
  await only.decide(claimOf('one', { cpu: '1' }))
  expect(readyOf(server)).toMatchObject({ status: 'True' })
  // Otherwise the pool would be reconciled again and again.
  expect(only.writer.succeeded('p')).toBe(false)
})

test('each try that fails alike writes nothing more to the pool', async () => {
  const server = serving()
  await using only = await operator(server)
  await only.writer.writeFailure('p', REFUSAL, signal)
  const { resourceVersion } = stored(server).metadata
  const calls = server.pools.calls.length
  for (let n = 0; n < 3; n++) {
    await only.writer.writeFailure('p', new AggregateError([notFound(RESOURCE_QUOTAS, 'q'), REFUSAL]), signal)
    await only.writer.writeFailure('p', notFound(RESOURCE_QUOTAS, 'q'), signal)
  }
  expect([stored(server).metadata.resourceVersion, server.pools.calls.length]).toEqual([resourceVersion, calls])
})

test('a refusal whose report somebody overtook is reported by the next try', async () => {
  const server = serving()
  await using only = await operator(server)
  server.pools.muted = true
  server.pools.put(asCreated({ ...stored(server), spec: poolOf('p', { quota: { hard: { cpu: '5' } } }).spec }))
  await expect(only.writer.writeFailure('p', REFUSAL, signal)).rejects.toSatisfy(isConflict)
  server.pools.deliver()
  await settled()
  await only.writer.writeFailure('p', REFUSAL, signal)
  expect(readyOf(server)).toMatchObject({ status: 'False', message: REFUSAL.message })
})

test('a pool of the same name that comes after one that is gone does not say what was refused for that', async () => {
  const server = serving()
  await using only = await operator(server)
  await only.writer.writeFailure('p', REFUSAL, signal)
  only.writer.forget('p')
  await only.decide()
  expect(readyOf(server)).toMatchObject({ status: 'True' })
})

test('of a ledger that the server finds too large is written what goes, and nothing that comes', async () => {
  const server = serving()
  await using only = await operator(server)
  const [leaves, stays] = [claimOf('leaves', { cpu: '1' }), claimOf('stays', { cpu: '1' })]
  await only.decide(leaves, stays)
  server.pools.mostBytes = JSON.stringify(stored(server)).length + 400
  const comes = Array.from({ length: 20 }, (_, at) => claimOf(`comes-${at}`, { cpu: '10m' }, { age: at + 1 }))
  const { outcome, pool } = await only.decide(stays, ...comes)
  expect(claimed(server)).toEqual(['stays'])
  expect(readyOf(server)?.status).toBe('False')
  expect(readyOf(server)?.message).toMatch(/^the ledger of the pool: .*too large/)
  const granted = outcome.claims.filter(({ decision }) => decision.verdict === 'allocated')
  expect(granted.map(({ claim }) => claim.metadata.name)).toEqual(['stays'])
  expect(stored(server)).toEqual(pool)
})

test('any other refusal of a ledger leaves it as it is', async () => {
  const server = serving()
  await using only = await operator(server)
  server.pools.failNext('patch', OTHER)
  await expect(only.decide(claimOf('one', { cpu: '1' }))).rejects.toSatisfy(isForbidden)
  expect(claimed(server)).toEqual([])
})
