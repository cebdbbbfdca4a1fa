// Covers fair-lists.ts and fair-list.ts
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HttpKubeClient } from '../../kube/client/http-kube-client.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import type { TransportRequest } from '../../kube/transport/transport.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { Accounts } from './accounts.ts'
import { FairList } from './fair-list.ts'
import { FairLists } from './fair-lists.ts'
import { Reading } from './reading.ts'
import { weightOf } from './weight.ts'

const EVENTS = { group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true }
const QUOTAS = { group: 'g', version: 'v1', resource: 'customquotas', kind: 'CustomQuota', namespaced: true }

/** Lists of an API server that has these objects, each made when it is asked for. */
function listsOf(accounts: Accounts, count: number, objectAt: (at: number) => object) {
  const send = async ({ path, received }: TransportRequest) => {
    const query = new URL(path, 'http://server').searchParams
    const from = Number(query.get('continue') ?? 0)
    const to = Math.min(count, from + Number(query.get('limit') ?? count))
    const items = Array.from({ length: to - from }, (_, at) => objectAt(from + at))
    const text = JSON.stringify({ metadata: { resourceVersion: '1', continue: to < count ? String(to) : '' }, items })
    received?.(text.length)
    return { status: 200, contentType: 'application/json', retryAfterSeconds: undefined, text }
  }
  const stream = () => Promise.reject(new Error('no watch'))
  const reading = new Reading(accounts.of({ name: 'admin', isMinted: false }))
  const lists = new FairLists(
    reading,
    (reader) => new HttpKubeClient({ server: 'http://server', send, stream }, Math.random, reader),
  )
  return { lists, reading }
}

const countsOf = (items: readonly KubeObject[]) =>
  Object.fromEntries(
    [...Map.groupBy(items, ({ metadata }) => metadata.namespace ?? '')].map(([n, all]) => [n, all.length]),
  )

test('large Events of a namespace hide nobody else, and the newest of them stay [security/dashboard]', async () => {
  const accounts = new Accounts(systemContext)
  const loud = 7000
  const { lists, reading } = listsOf(accounts, loud + 2, (at) => ({
    metadata: {
      name: `e${at}`,
      namespace: at < loud ? 'aaa' : 'zoe',
      annotations: { big: 'x'.repeat(4000) },
    },
    involvedObject: { kind: 'Deployment', name: `d${at}` },
    reason: 'QuotaExceeded',
    message: 'm'.repeat(1024),
    lastTimestamp: new Date(at * 1000).toISOString(),
  }))
  const { items, cut } = await lists.list(EVENTS)
  const { aaa = 0, zoe } = countsOf(items)
  expect([zoe, aaa > 2000, aaa < loud, cut]).toEqual([2, true, true, { left: loud - aaa }])
  expect(items.some(({ metadata }) => metadata.name === `e${loud - 1}`)).toBe(true)
  expect(items[0]?.metadata.annotations).toBeUndefined()
  expect(accounts.bytesOf('admin')).toBeLessThanOrEqual(8 * 1024 * 1024)
  reading[Symbol.dispose]()
  expect(accounts.bytesOf('admin')).toBe(0)
})

test('large quotas of a namespace hide nobody else, and small lists are whole [security/dashboard]', async () => {
  const quota = (at: number) => ({
    metadata: { name: `q${at}`, namespace: at < 100 ? 'aaa' : `n${at}` },
    spec: 'y'.repeat(at < 100 ? 200_000 : 100),
  })
  const { items, cut } = await listsOf(new Accounts(systemContext), 600, quota).lists.list(QUOTAS)
  const { aaa = 0, ...others } = countsOf(items)
  expect([aaa > 20, Object.keys(others).length, cut]).toEqual([true, 500, { left: 100 - aaa }])
  const small = await listsOf(new Accounts(systemContext), 90, (at) => quota(at + 100)).lists.list(QUOTAS)
  expect([small.items.length, small.cut]).toEqual([90, undefined])
})

test('what is read for one request is bounded, however little of it is kept [security/dashboard]', async () => {
  const { lists } = listsOf(new Accounts(systemContext), 1_000, (at) => ({
    metadata: { name: `e${at}`, namespace: 'aaa', annotations: { big: 'x'.repeat(250_000) } },
  }))
  const { items, cut } = await lists.list(EVENTS)
  expect([items.length > 200, items.length < 300, cut]).toEqual([true, true, { left: undefined }])
})

test('whatever namespaces have, one that has no more than its share loses nothing [security/dashboard]', () => {
  const objects = fc.array(fc.tuple(fc.nat(9), fc.nat(400)), { maxLength: 200 })
  fc.assert(
    fc.property(objects, (all) => {
      const most = 8_000
      const list = new FairList<KubeObject>(most)
      const made = all.map(([namespace, size], at) => ({
        apiVersion: 'v1',
        kind: 'Thing',
        metadata: { name: `o${at}`, namespace: `n${namespace}` },
        spec: 'x'.repeat(size),
      }))
      for (const object of made) list.add(object)
      expect(list.weight).toBe(list.objects.reduce((sum, object) => sum + weightOf(object), 0))
      expect(list.weight).toBeLessThanOrEqual(most)
      expect(list.objects.length + list.left).toBe(made.length)
      const kept = countsOf(list.objects)
      for (const [name, own] of Map.groupBy(made, ({ metadata }) => metadata.namespace)) {
        const weight = own.reduce((sum, object) => sum + weightOf(object), 0)
        if (weight <= (most * 3) / 4 / 10) expect(kept[name]).toBe(own.length)
      }
    }),
  )
})
