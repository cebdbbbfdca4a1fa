// Covers pool-caches.ts: what they remember of pools that go.
import { queryObjects } from 'node:v8'
import { expect, test } from 'vitest'
import { claimOf, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { eventually } from '../../../../test/eventually.ts'
import { asObject, asCreated, operating, PoolServer } from '../../../../test/operator/pool-server.ts'
import { Quantity } from '../../../quantity/quantity.ts'

const POOLS = 4
const CLAIMS = 10
/** Each look for objects goes through all that the files of tests before have left in this process. */
const PATIENCE_MS = 240_000

const quantities = (): number => queryObjects(Quantity, { format: 'count' })

/** Creates pools of so many claims with amounts of their own, waits until all have their room, and deletes them. */
async function comeAndGo(server: PoolServer, round: number): Promise<void> {
  const name = (at: number): string => `p${round}-${at}`
  for (let at = 0; at < POOLS; at++) {
    server.namespaces.put({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: name(at), labels: { pool: name(at) } },
    })
    server.pools.put(asCreated(poolOf(name(at), { quota: { hard: { cpu: '100000' } } })))
    for (let n = 0; n < CLAIMS; n++) {
      const cpu = `${round * 10_000 + at * 100 + n + 1}m`
      server.claims.put(asCreated(claimOf(`c${n}`, { cpu }, { namespace: name(at), pool: name(at), age: n })))
    }
  }
  const claims = () => [...server.claims.state.values()]
  await eventually(() => claims().every((claim) => JSON.stringify(claim).includes('"Bound"')), Boolean, {
    patienceMs: PATIENCE_MS,
    what: 'room',
  })
  for (const { metadata } of claims())
    server.claims.remove({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' })
  const claimCounts = () => [...server.pools.state.values()].map((pool) => asObject(pool)['status'])
  await eventually(() => claimCounts().every((status) => JSON.stringify(status).includes('"claimCount":0')), Boolean, {
    patienceMs: PATIENCE_MS,
    what: 'pools that know that their claims are gone',
  })
  for (let at = 0; at < POOLS; at++) {
    server.pools.remove({ namespace: '', name: name(at) })
    server.quotas.remove({ namespace: name(at), name: `capsule-pool-${name(at)}` })
    server.namespaces.remove({ namespace: '', name: name(at) })
  }
}

test(
  'pools and claims that come and go leave none of their amounts in memory',
  { timeout: 2 * PATIENCE_MS },
  async () => {
    const server = new PoolServer()
    await operating(server, async () => {
      await comeAndGo(server, 0)
      const before = quantities()
      for (let round = 1; round <= 3; round++) await comeAndGo(server, round)
      await eventually(quantities, (now) => now <= before + CLAIMS, {
        patienceMs: PATIENCE_MS,
        what: `as many amounts as before, ${before},`,
      })
    })
    expect(server.claims.state.size).toBe(0)
  },
)
