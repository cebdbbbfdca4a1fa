import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { ApiServer, pod } from '../api-server.ts'

const RESYNC_MS = 300_000
let now = Date.parse('2026-11-21T00:00:00Z')
const api = new ApiServer()

// Only what repeats is taken from real time: requests, watches and backoff go on as ever.
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  await api.start({ now: () => now })
})
afterEach(() => {
  now = Date.parse('2026-11-21T00:00:00Z')
})
afterAll(async () => {
  await api.stop()
  vi.useRealTimers()
})

const pass = (ms: number): void => {
  now += ms
  vi.advanceTimersByTime(RESYNC_MS)
}

test('a pod whose deletion is overdue is charged until its grace has passed twice, and found by the next full count', async () => {
  const path = await api.namespace()
  await api.create(`${path}/resourcequotas`, {
    metadata: { name: 'q' },
    spec: { hard: { pods: '1', 'count/pods': '5' } },
  })
  await api.create(`${path}/pods`, pod('lost', { nodeName: 'gone', terminationGracePeriodSeconds: 30 }))
  await api.send('DELETE', `${path}/pods/lost`)
  pass(60_000)
  expect((await api.send('POST', `${path}/pods`, pod('next'))).status).toBe(403)
  pass(1)
  await api.until(`${path}/resourcequotas/q`, ({ status }) => status.used.pods === '0')
  expect((await api.get(`${path}/resourcequotas/q`)).status.used).toEqual({ pods: '0', 'count/pods': '1' })
  expect((await api.send('POST', `${path}/pods`, pod('next'))).status).toBe(201)
})

test('a batch whose quota changed by time alone is decided on the new usage, which is stored ahead of it', async () => {
  const path = await api.namespace()
  const { store } = api.running
  await api.create(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '1' } } })
  await api.create(`${path}/pods`, pod('lost', { nodeName: 'gone', terminationGracePeriodSeconds: 30 }))
  await api.send('DELETE', `${path}/pods/lost`)
  expect((await api.send('POST', `${path}/pods`, pod('early'))).status).toBe(403)
  const used: string[] = []
  const watch = store.watch({ bucket: 'resourcequotas' }, ({ record: { object } }) =>
    used.push((object['status'] as { readonly used: { readonly pods: string } }).used.pods),
  )
  // Only the clock moves: nothing that looks at it now and then has its turn.
  now += 60_001
  const codes = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => (await api.send('POST', `${path}/pods`, pod(name))).status),
  )
  watch.close()
  expect(codes.toSorted((a, b) => a - b)).toEqual([201, 403, 403])
  expect(used).toEqual(['0', '1'])
  expect((await api.get(`${path}/resourcequotas/q`)).status.used).toEqual({ pods: '1' })
  expect(await api.running.drifts()).toBe(0)
})

test('a batch whose quota changed by time alone gives back as of that time', async () => {
  const path = await api.namespace()
  await api.create(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '2' } } })
  await api.create(`${path}/pods`, pod('lost', { nodeName: 'gone', terminationGracePeriodSeconds: 30 }))
  await api.create(`${path}/pods`, pod('stays'))
  await api.send('DELETE', `${path}/pods/lost`)
  now += 60_001
  // The overdue pod costs nothing any more when it goes: only the other one is given back.
  await Promise.all(['lost', 'stays'].map((name) => api.send('DELETE', `${path}/pods/${name}?gracePeriodSeconds=0`)))
  expect((await api.get(`${path}/resourcequotas/q`)).status.used).toEqual({ pods: '0' })
  expect((await api.get(`${path}/pods`)).items).toEqual([])
})

test('a full count corrects a usage that somebody wrote, which does not count as drift', async () => {
  const path = await api.namespace()
  // The clock of these tests has gone back: what that changes is found first.
  pass(0)
  await api.create(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '3' } } })
  await api.patch(`${path}/resourcequotas/q/status`, { status: { hard: { pods: '3' }, used: { pods: '3' } } })
  const before = await api.running.drifts()
  pass(0)
  await api.until(`${path}/resourcequotas/q`, ({ status }) => status.used.pods === '0')
  expect(await api.running.drifts()).toBe(before)
})

test('the regular count finds a usage that is wrong without a reason, puts it right and counts it', async () => {
  const path = await api.namespace()
  await api.create(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { pods: '3' } } })
  const { store, drifts } = api.running
  // The clock of these tests has gone back: what that changes is found first.
  pass(0)
  const quota = await api.until(`${path}/resourcequotas/q`, ({ status }) => status?.used !== undefined)
  const { namespace, name } = quota.metadata
  const wrong = { ...quota, status: { ...quota.status, used: { pods: '2' } } }
  await store.commit([{ type: 'put', bucket: 'resourcequotas', key: `${namespace}/${name}`, object: wrong }])
  await api.until(`${path}/resourcequotas/q`, ({ status }) => status.used.pods === '2')
  const before = await drifts()
  pass(0)
  await api.until(`${path}/resourcequotas/q`, ({ status }) => status.used.pods === '0')
  expect(await drifts()).toBe(before + 1)
  pass(0)
  expect(await drifts()).toBe(before + 1)
})

test('times that the server gives are those of its clock, in whole seconds', async () => {
  now += 1_999
  const path = await api.namespace()
  expect((await api.get(path)).metadata.creationTimestamp).toBe('2026-11-21T00:00:01Z')
})
