import { expect, test } from 'vitest'
import { eventually } from '../../../../test/eventually.ts'
import { claimOf, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { asCreated, operating, PoolServer } from '../../../../test/operator/pool-server.ts'
import { conditionOf } from '../../../api/condition.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import { systemContext } from '../../../kube/time/system-context.ts'

const MONTH = 30 * 24 * 3_600_000

test('a clock that jumps over the end of a claim, which was further away than timers reach, ends it', async () => {
  let ahead = 0
  const now = (): number => Date.now() + ahead
  const server = new PoolServer()
  server.namespaces.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', labels: { pool: 'p' } } })
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } } })))
  const claim = claimOf('c', { cpu: '2' })
  const expiresAt = new Date(now() + MONTH).toISOString()
  server.claims.put(asCreated({ ...claim, spec: { ...claim.spec, expiresAt } }))
  const reason = (): string | undefined => {
    const { status } = server.claims.state.get('a/c') as object as ResourcePoolClaim
    return conditionOf(status?.conditions, 'Expired')?.reason
  }
  const until = (wanted: string): Promise<unknown> =>
    eventually(
      async () => reason(),
      (one) => one === wanted,
    )
  await operating(
    server,
    async () => {
      await until('Lasts')
      ahead = MONTH - 60_000
      await until('EndsSoon')
      ahead = MONTH
      await until('Ended')
    },
    { ...systemContext, now },
  )
  expect(server.claims.state.get('a/c')).not.toHaveProperty('status.pool')
})

test('a claim that can never be served is looked at again when it has waited long enough', async () => {
  let ahead = 0
  const now = (): number => Date.now() + ahead
  const server = new PoolServer()
  server.namespaces.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', labels: { pool: 'p' } } })
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } } })))
  server.claims.put(asCreated(claimOf('large', { cpu: '5' })))
  server.claims.put(asCreated(claimOf('other', { pods: '1' })))
  const statusOf = (key: string): ResourcePoolClaim['status'] =>
    (server.claims.state.get(key) as object as ResourcePoolClaim).status
  const until = (wanted: string): Promise<unknown> =>
    eventually(
      async () => ['a/large', 'a/other'].map(statusOf),
      (statuses) => statuses.every((status) => conditionOf(status?.conditions, wanted)?.status === 'True'),
    )
  await operating(
    server,
    async () => {
      await until('Reconciling')
      ahead = 60_000
      await until('Stalled')
      expect(conditionOf(statusOf('a/other')?.conditions, 'Reconciling')).toBeUndefined()
    },
    { ...systemContext, now },
  )
})
