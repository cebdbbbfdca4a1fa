// Covers reading.ts, shown-part.ts and weight.ts
import { expect, test } from 'vitest'
import { HttpKubeClient } from '../../kube/client/http-kube-client.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import type { TransportRequest } from '../../kube/transport/transport.ts'
import { Accounts } from './accounts.ts'
import { Reading } from './reading.ts'

const MIB = 1024 * 1024
const DEPLOYMENTS = { group: 'apps', version: 'v1', resource: 'deployments', kind: 'Deployment', namespaced: true }

/** A client of an API server that has so many objects of so many bytes, and the most that was held of them. */
function clientOf(
  accounts: Accounts,
  account: string,
  { objects, bytes }: { objects: number; bytes: number },
  spec = '',
) {
  const reading = new Reading(accounts.of({ name: account, isMinted: false }))
  const limits: number[] = []
  const text = (at: number): string =>
    JSON.stringify({
      metadata: { name: `d${at}`, annotations: { big: 'x'.repeat(bytes) }, managedFields: [{ manager: 'm' }] },
      spec,
    })
  const send = async ({ path, received }: TransportRequest) => {
    const query = new URL(path, 'http://server').searchParams
    const from = Number(query.get('continue') ?? 0)
    const limit = Number(query.get('limit') ?? objects)
    limits.push(limit)
    const items: string[] = []
    for (let at = from; at < Math.min(from + limit, objects); at++) {
      items.push(text(at))
      received?.(items.at(-1)?.length ?? 0)
    }
    const next = from + limit < objects ? String(from + limit) : ''
    const body = `{"metadata":{"resourceVersion":"1","continue":"${next}","remainingItemCount":${Math.max(0, objects - from - limit)}},"items":[${items.join(',')}]}`
    return { status: 200, contentType: 'application/json', retryAfterSeconds: undefined, text: body }
  }
  const stream = () => Promise.reject(new Error('no watch'))
  const client = new HttpKubeClient({ server: 'http://server', send, stream }, Math.random, reading)
  return { reading, limits, list: () => client.list(DEPLOYMENTS, { namespace: 'n' }) }
}

test('of large objects little is kept, and no page is much larger than the others [security/dashboard]', async () => {
  const accounts = new Accounts(systemContext)
  const { reading, limits, list } = clientOf(accounts, 'user a', { objects: 400, bytes: 250_000 })
  const { items } = await list()
  expect(items).toHaveLength(400)
  expect(JSON.stringify(items).length).toBeLessThan(3 * MIB)
  expect(items[0]?.metadata).toEqual({ name: 'd0', annotations: { big: 'x'.repeat(4096) } })
  for (const limit of limits.slice(1)) expect(limit * 250_000).toBeLessThanOrEqual(2 * MIB)
  expect(accounts.bytesOf('user a')).toBeGreaterThan(MIB)
  reading[Symbol.dispose]()
  expect([accounts.bytesOf('user a'), accounts.of({ name: 'user a', isMinted: false }).isAtRest]).toEqual([0, true])
})

test('small objects are read in large pages', async () => {
  const { limits, list } = clientOf(new Accounts(systemContext), 'user a', { objects: 1200, bytes: 10 })
  expect((await list()).items).toHaveLength(1200)
  expect(limits).toEqual([20, 500, 500, 500])
})

test('of a list that is too large the first objects are read, and it says how many are left out [security/dashboard]', async () => {
  const accounts = new Accounts(systemContext)
  const { list, limits } = clientOf(accounts, 'user a', { objects: 400, bytes: 0 }, 'y'.repeat(250_000))
  const { items, cut } = await list()
  expect(items.length).toBeGreaterThan(20)
  expect(items.length).toBeLessThan((8 * MIB) / 250_000)
  expect(cut).toEqual({ left: 400 - items.length })
  expect(limits.length).toBeLessThan(5)
  // A list that is as large as that takes no room from others of the same request, and what fits is whole.
  expect((await list()).items).toHaveLength(items.length)
  const small = clientOf(accounts, 'user a', { objects: 100, bytes: 10 })
  expect(await small.list()).not.toHaveProperty('cut')
})

test('a request reads no more than the bound, and takes nothing from others [security/dashboard]', async () => {
  const accounts = new Accounts(systemContext)
  const spec = 'y'.repeat(250_000)
  const greedy = clientOf(accounts, 'user a', { objects: 400, bytes: 0 }, spec)
  const counts: number[] = []
  for (let at = 0; at < 3; at++) counts.push((await greedy.list()).items.length)
  expect(new Set(counts).size).toBe(1)
  expect((await greedy.list()).items.length).toBeLessThan(counts[0] ?? 0)
  expect(await greedy.list()).toMatchObject({ items: [], cut: { left: 400 } })
  expect(accounts.bytesOf('user a')).toBeLessThanOrEqual(32 * MIB)
  const other = clientOf(accounts, 'user b', { objects: 20, bytes: 0 }, spec)
  expect((await other.list()).items).toHaveLength(20)
  // Another request of the same account may be repeated.
  const another = clientOf(accounts, 'user a', { objects: 20, bytes: 0 }, spec)
  await expect(another.list()).rejects.toMatchObject({ status: { code: 429 } })
  for (const { reading } of [greedy, another]) reading[Symbol.dispose]()
  expect(accounts.bytesOf('user a')).toBe(0)
  // What comes for a request that is over is dropped.
  await expect(greedy.list()).rejects.toThrow('over')
  expect(accounts.bytesOf('user a')).toBe(0)
})
