import { expect, test } from 'vitest'
import { poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { asCreated, PoolServer, watchingPools } from '../../../../test/operator/pool-server.ts'
import { type ResourcePool, resourcePool } from '../api/resource-pool.ts'
import { POOLS } from './pool-controllers.ts'

test.each([
  ['answered before watches show it', undefined],
  ['shown by watches before it is answered', settled],
] as const)(
  'a pool of the operator that is %s is never read for it: its status may be large',
  async (_, untilAnswer) => {
    const server = new PoolServer()
    server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } } })))
    await using watching = await watchingPools(server)
    const { caches } = watching
    const writers: (string | undefined)[] = []
    caches.pools.onChange((_old, _current, { by }) => writers.push(by))
    writers.length = 0
    server.pools.calls.length = 0
    server.pools.untilAnswer = untilAnswer
    const pool = caches.pools.get('', 'p') as ResourcePool
    const place = { namespace: '', name: 'p' }
    const status = { claimCount: 0, namespaceCount: 1, conditions: [] }
    const written = await caches.writePool('p', POOLS, async () => {
      const body = { metadata: { resourceVersion: pool.metadata.resourceVersion }, status }
      const patch = { type: 'merge', body } as const
      const metadata = await server.client.patchMetadata(resourcePool, place, patch, { subresource: 'status' })
      return { ...pool, metadata, status }
    })
    await settled()
    expect(caches.pools.get('', 'p')).toBe(written)
    expect([server.pools.calls, writers]).toEqual([['patch'], [POOLS]])
  },
)

test('a pool that somebody else writes is read, also while a write of the operator to it fails', async () => {
  const server = new PoolServer()
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } } })))
  await using watching = await watchingPools(server)
  const failing = watching.caches.writePool('p', POOLS, async () => {
    server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '5' } } })))
    await settled()
    throw new Error('overtaken')
  })
  await expect(failing).rejects.toThrow('overtaken')
  await expect.poll(() => watching.caches.pools.get('', 'p')?.spec.quota.hard).toEqual({ cpu: '5' })
})
