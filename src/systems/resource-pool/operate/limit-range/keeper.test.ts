import { expect, test, vi } from 'vitest'
import { eventually } from '../../../../../test/eventually.ts'
import { claimOf, poolOf } from '../../../../../test/systems/resource-pool/pool-arena.ts'
import { asCreated, operating, PoolServer } from '../../../../../test/operator/pool-server.ts'
import { conditionOf } from '../../../../api/condition.ts'
import { type ResourcePoolClaim, resourcePoolClaim } from '../../api/claim.ts'
import { systemContext } from '../../../../kube/time/system-context.ts'
import { UNREACHABLE } from '../../../../../test/kube/scripted-client.ts'

/** So many times as fast as the clock of the machine. */
const SPEED = 50
const quick = {
  ...systemContext,
  monotonic: () => systemContext.monotonic() * SPEED,
  sleep: (ms: number, signal: AbortSignal) => systemContext.sleep(ms / SPEED, signal),
}

test('while LimitRanges cannot be written, released amounts go on to the next, and the writes are tried again seldom', async () => {
  const server = new PoolServer()
  const labels = { pool: 'p' }
  for (const name of ['a', 'b'])
    server.namespaces.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })
  const limitRange = { limits: [{ type: 'Container', max: { cpu: '2' } }] }
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } }, limitRange })))
  const create = vi.spyOn(server.limitRanges, 'create').mockRejectedValue(UNREACHABLE)
  server.claims.put(asCreated(claimOf('first', { cpu: '4' })))
  const has = (key: string): boolean => {
    const { status } = (server.claims.state.get(key) ?? {}) as object as Partial<ResourcePoolClaim>
    return conditionOf(status?.conditions, 'Allocated')?.status === 'True'
  }
  await operating(
    server,
    async (registry) => {
      await eventually(() => has('a/first'), Boolean)
      server.claims.put(asCreated(claimOf('second', { cpu: '4' }, { namespace: 'b', age: 1 })))
      await eventually(() => server.claims.state.get('b/second')?.['status'] !== undefined, Boolean)
      const { resourceVersion = '' } = server.claims.state.get('a/first')?.metadata ?? {}
      await server.claims.delete(resourcePoolClaim, { namespace: 'a', name: 'first' }, { resourceVersion })
      await eventually(() => has('b/second'), Boolean)
      // One try for each namespace, and few more: each look that followed would have made two.
      const tries = create.mock.calls.length
      await eventually(
        () => create.mock.calls.length,
        (now) => now > tries,
      )
      expect(await registry.metrics()).not.toMatch(/reconcil\w*\{[^}]*result="failed"[^}]*\} [1-9]/)
      create.mockRestore()
      await eventually(
        () => [...server.limitRanges.state.keys()].toSorted(),
        (keys) => keys.length === 2,
      )
    },
    quick,
  )
  expect([...server.limitRanges.state.keys()].toSorted()).toEqual(['a/capsule-pool-p', 'b/capsule-pool-p'])
})
