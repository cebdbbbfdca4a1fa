import { expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer, namesOf } from '../api-server.ts'

const MINUTE = 60_000
/** Half past a minute: nothing happens by itself while a test runs. */
const clock = { now: Date.parse('2026-01-01T00:00:30Z') }
const api = apiServer({ workloads: true, now: () => clock.now })

const byVersion = (a: Answer['body'], b: Answer['body']): number =>
  a.metadata.resourceVersion - b.metadata.resourceVersion

const cronJob = (spec: Readonly<Record<string, unknown>> = {}): unknown => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'tide' },
  spec: {
    schedule: '* * * * *',
    jobTemplate: {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } } },
    },
    ...spec,
  },
})
/** Its jobs wait, so they stay active. */
const waiting = {
  jobTemplate: {
    spec: {
      suspend: true,
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } },
    },
  },
}
const batch = (namespace: string): string => namespace.replace('/api/v1', '/apis/batch/v1')
const at = (namespace: string): string => `${batch(namespace)}/cronjobs/tide`
const jobs = async (namespace: string): Promise<readonly string[]> => namesOf(await api.get(`${batch(namespace)}/jobs`))
const said = async (namespace: string): Promise<readonly string[]> =>
  (await api.get(`${namespace}/events`)).items
    .filter((event: Answer['body']) => event.involvedObject.kind === 'CronJob')
    .toSorted(byVersion)
    .map((event: Answer['body']) => `${event.reason}: ${event.message}`)

let touches = 0
/** Moves the clock on, and has the controller look at it. */
async function pass(namespace: string, minutes: number): Promise<string> {
  clock.now += minutes * MINUTE
  await api.patch(at(namespace), { metadata: { annotations: { touched: String(++touches) } } })
  return `tide-${Math.floor(clock.now / MINUTE)}`
}

test('each time starts a job, which is active until it ends, and the history keeps the last ones', async () => {
  const ns = await api.namespace()
  await api.create(`${batch(ns)}/cronjobs`, cronJob({ successfulJobsHistoryLimit: 1 }))
  expect(await jobs(ns)).toEqual([])
  const first = await pass(ns, 1)
  const { status } = await api.until(
    at(ns),
    (one) => one.status.lastSuccessfulTime !== undefined && one.status.active === undefined,
  )
  expect(Date.parse(status.lastScheduleTime)).toBe(Math.floor(clock.now / MINUTE) * MINUTE)
  const [job] = (await api.get(`${batch(ns)}/jobs`)).items
  expect(job.metadata).toMatchObject({
    name: first,
    annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': status.lastScheduleTime },
    ownerReferences: [{ kind: 'CronJob', name: 'tide', controller: true }],
  })
  const second = await pass(ns, 5)
  await api.until(`${batch(ns)}/jobs`, ({ items }) => items.length === 1 && items[0].metadata.name === second)
  expect(await said(ns)).toEqual([
    `SuccessfulCreate: Created job ${first}`,
    `SawCompletedJob: Saw completed job: ${first}, condition: Complete`,
    `SuccessfulCreate: Created job ${second}`,
    `SawCompletedJob: Saw completed job: ${second}, condition: Complete`,
    `SuccessfulDelete: Deleted job ${first}`,
  ])
})

test('a suspended one starts nothing until it goes on', async () => {
  const ns = await api.namespace()
  await api.create(`${batch(ns)}/cronjobs`, cronJob({ suspend: true, ...waiting }))
  await pass(ns, 2)
  await api.patch(at(ns), { spec: { suspend: false } })
  const { status } = await api.until(at(ns), (one) => one.status.active !== undefined)
  expect(status.active).toMatchObject([{ kind: 'Job', apiVersion: 'batch/v1', name: (await jobs(ns))[0] }])
})

test.each([
  ['Allow', 2],
  ['Forbid', 1],
  ['Replace', 1],
])('while a job runs, %s leaves %d of them active at the next time', async (concurrencyPolicy, count) => {
  const ns = await api.namespace()
  await api.create(`${batch(ns)}/cronjobs`, cronJob({ concurrencyPolicy, ...waiting }))
  const first = await pass(ns, 1)
  await api.until(at(ns), ({ status }) => status.active?.length === 1)
  const second = await pass(ns, 1)
  const left = { Allow: [first, second], Forbid: [first], Replace: [second] }[concurrencyPolicy]
  const last = { Forbid: 'JobAlreadyActive', Replace: 'SuccessfulDelete' }[concurrencyPolicy] ?? 'SuccessfulCreate'
  await api.until(`${ns}/events`, ({ items }) => items.some((event: Answer['body']) => event.reason === last))
  const { status } = await api.until(
    at(ns),
    (one) => one.status.active?.length === count && one.status.active.at(-1).name === left?.at(-1),
  )
  expect(namesOf({ items: status.active.map((one: unknown) => ({ metadata: one })) })).toEqual(left)
  expect(await jobs(ns)).toEqual(left)
})

test('a job that a quota refuses is reported, and started when there is room', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { 'count/jobs.batch': '0' } } })
  await api.until(`${ns}/resourcequotas/q`, ({ status }) => status.used !== undefined)
  await api.create(`${batch(ns)}/cronjobs`, cronJob(waiting))
  const name = await pass(ns, 1)
  await api.until(`${ns}/events`, ({ items }) => items.length > 0)
  expect((await said(ns))[0]).toBe(
    `FailedCreate: Error creating job: jobs.batch "${name}" is forbidden: exceeded quota: q, ` +
      'requested: count/jobs.batch=1, used: count/jobs.batch=0, limited: count/jobs.batch=0',
  )
  await api.patch(`${ns}/resourcequotas/q`, { spec: { hard: { 'count/jobs.batch': '1' } } })
  await api.until(at(ns), ({ status }) => status.active?.length === 1)
})

test('it wakes by itself when the time comes', async () => {
  const ns = await api.namespace()
  clock.now = Math.ceil(clock.now / MINUTE) * MINUTE + 10 * MINUTE - 200
  await api.create(`${batch(ns)}/cronjobs`, cronJob(waiting))
  clock.now += 400
  await api.until(at(ns), ({ status }) => status.active?.length === 1)
  expect(await jobs(ns)).toEqual([`tide-${Math.floor(clock.now / MINUTE)}`])
})

test('a full quota on Jobs keeps none that the history does not want any more, and what waited for room starts', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/resourcequotas`, { metadata: { name: 'one' }, spec: { hard: { 'count/jobs.batch': '1' } } })
  await api.until(`${ns}/resourcequotas/one`, ({ status }) => status.used !== undefined)
  await api.create(`${batch(ns)}/cronjobs`, cronJob({ successfulJobsHistoryLimit: 3 }))
  const first = await pass(ns, 1)
  await api.until(at(ns), ({ status }) => status.lastSuccessfulTime !== undefined && status.active === undefined)
  const second = await pass(ns, 1)
  await api.until(`${ns}/events`, ({ items }) => items.some(({ reason }: Answer['body']) => reason === 'FailedCreate'))
  expect(await jobs(ns)).toEqual([first])
  await api.patch(at(ns), { spec: { successfulJobsHistoryLimit: 0 } })
  await api.until(`${ns}/events`, ({ items }) =>
    items.some(({ message }: Answer['body']) => message === `Created job ${second}`),
  )
  // It ends at once, and the history keeps none.
  await api.until(`${batch(ns)}/jobs`, ({ items }) => items.length === 0)
})
