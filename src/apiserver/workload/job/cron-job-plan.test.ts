import { expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { beyondHistory, type CronPlan, planCronJob, startedStatus } from './cron-job-plan.ts'

const CREATED = '2026-01-01T00:00:30Z'
const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`)

const cronJob = (spec: JsonObject, status: JsonObject = {}): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: { name: 'tide', namespace: 'harbour', uid: 'c', creationTimestamp: CREATED },
  spec: {
    schedule: '*/10 * * * *',
    concurrencyPolicy: 'Allow',
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 1,
    jobTemplate: {
      metadata: { labels: { sea: 'north' }, annotations: { note: 'a' } },
      spec: { template: { spec: { restartPolicy: 'Never' } } },
    },
    ...spec,
  },
  status,
})
const job = (name: string, condition = '', ended = ''): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace: 'harbour', uid: name },
  status: {
    startTime: `2026-01-01T${ended || '00:00:00'}Z`,
    ...(condition === '' ? {} : { conditions: [{ type: condition, status: 'True' }] }),
    ...(condition === 'Complete' ? { completionTime: `2026-01-01T${ended}Z` } : {}),
  },
})
const active = (...names: readonly string[]): JsonObject => ({ active: names.map((name) => ({ name, uid: name })) })
const said = ({ events }: CronPlan): readonly string[] =>
  events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`)

test('before the first time there is nothing but waiting', () => {
  expect(planCronJob(cronJob({}), [], at('00:09:59'))).toEqual({
    events: [],
    status: {},
    next: at('00:10:00') + 100,
  })
})

test('a job is named after the minute of its time, and carries the time as an annotation', () => {
  const { start, next } = planCronJob(cronJob({}), [], at('00:10:01'))
  expect(start?.job).toMatchObject({
    metadata: {
      name: `tide-${at('00:10:00') / 60_000}`,
      labels: { sea: 'north' },
      annotations: { note: 'a', 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T00:10:00Z' },
      ownerReferences: [{ kind: 'CronJob', name: 'tide', uid: 'c', controller: true }],
    },
    spec: { template: { spec: { restartPolicy: 'Never' } } },
  })
  expect(start?.instead).toEqual([])
  expect(next).toBe(at('00:20:00') + 100)
})

test('of several times that were missed only the last starts a job, and many are reported', () => {
  const late = planCronJob(cronJob({}), [], at('05:05:00'))
  expect(late.start?.time).toBe(at('05:00:00'))
  expect(late.events).toEqual([])
  expect(said(planCronJob(cronJob({ schedule: '* * * * *' }), [], at('05:05:00')))).toEqual([
    'Warning TooManyMissedTimes: too many missed start times. ' +
      'Set or decrease .spec.startingDeadlineSeconds or check clock skew',
  ])
})

test('a time that has had its job does not get another', () => {
  const before = cronJob({}, { lastScheduleTime: '2026-01-01T00:10:00Z' })
  expect(planCronJob(before, [], at('00:15:00')).start).toBeUndefined()
  expect(planCronJob(before, [], at('00:20:00')).start?.time).toBe(at('00:20:00'))
})

test('a suspended or deleted CronJob starts nothing and waits for nothing', () => {
  expect(planCronJob(cronJob({ suspend: true }), [], at('00:10:01'))).toEqual({ events: [], status: {} })
  const { metadata, ...rest } = cronJob({})
  const deleted = { ...rest, metadata: { ...metadata, deletionTimestamp: CREATED } }
  expect(planCronJob(deleted as KubeObject, [], at('00:10:01'))).toEqual({ events: [], status: {} })
})

test('a time that lies behind the starting deadline is missed', () => {
  const strict = cronJob({ startingDeadlineSeconds: 60 })
  expect(planCronJob(strict, [], at('00:10:59')).start?.time).toBe(at('00:10:00'))
  const missed = planCronJob(strict, [], at('00:12:00'))
  expect(missed.start).toBeUndefined()
  expect(missed.next).toBe(at('00:20:00') + 100)
})

test('a job that still runs forbids the next, or is replaced by it', () => {
  const running = [job('old')]
  const forbidding = planCronJob(cronJob({ concurrencyPolicy: 'Forbid' }, active('old')), running, at('00:10:01'))
  expect(forbidding.start).toBeUndefined()
  expect(said(forbidding)).toEqual([
    'Normal JobAlreadyActive: Not starting job because prior execution is running and concurrency policy is Forbid',
  ])
  const replacing = planCronJob(cronJob({ concurrencyPolicy: 'Replace' }, active('old')), running, at('00:10:01'))
  expect(replacing.start?.instead).toEqual(['old'])
  const allowing = planCronJob(cronJob({}, active('old')), running, at('00:10:01'))
  expect(allowing.start?.instead).toEqual([])
})

test('jobs that end, go or come unasked leave the status right and are reported', () => {
  const jobs = [job('a', 'Complete', '00:05:00'), job('b', 'Failed', '00:06:00'), job('mine'), job('strange')]
  const plan = planCronJob(cronJob({}, active('a', 'b', 'mine', 'gone')), jobs, at('00:07:00'))
  expect(plan.status).toEqual({
    active: [{ name: 'mine', uid: 'mine' }],
    lastSuccessfulTime: '2026-01-01T00:05:00Z',
  })
  expect(said(plan)).toEqual([
    'Warning UnexpectedJob: Saw a job that the controller did not create or forgot: strange',
    'Normal SawCompletedJob: Saw completed job: a, condition: Complete',
    'Normal SawCompletedJob: Saw completed job: b, condition: Failed',
    'Normal MissingJob: Active job went missing: gone',
  ])
})

test('a job that was started is active, and its time is the last', () => {
  expect(startedStatus(cronJob({}, active('a')), job('b'), at('00:10:00'))).toEqual({
    active: [
      { name: 'a', uid: 'a' },
      { apiVersion: 'batch/v1', kind: 'Job', namespace: 'harbour', name: 'b', uid: 'b' },
    ],
    lastScheduleTime: '2026-01-01T00:10:00Z',
  })
})

test('the oldest finished jobs beyond the history go, by how they ended', () => {
  const jobs = [
    job('new', 'Complete', '00:03:00'),
    job('old', 'Complete', '00:01:00'),
    job('failed', 'Failed', '00:00:10'),
    job('running'),
  ]
  const gone = (spec: JsonObject): readonly unknown[] =>
    beyondHistory(cronJob(spec), jobs).map(({ metadata }) => metadata.name)
  expect(gone({})).toEqual(['old'])
  expect(gone({ successfulJobsHistoryLimit: 0, failedJobsHistoryLimit: 0 })).toEqual(['old', 'new', 'failed'])
  expect(gone({ successfulJobsHistoryLimit: null })).toEqual([])
})

test('a time in a zone is shown with its offset', () => {
  const { start } = planCronJob(
    cronJob({ schedule: '30 5 * * *', timeZone: 'Asia/Kolkata' }, { lastScheduleTime: '2025-12-31T00:00:00Z' }),
    [],
    at('00:01:00'),
  )
  expect(start?.job.metadata.annotations).toMatchObject({
    'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T05:30:00+05:30',
  })
})
