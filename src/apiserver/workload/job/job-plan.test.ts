import { expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { INDEX, planJob, TRACKING } from './job-plan.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const job = (spec: JsonObject, status: JsonObject = {}): KubeObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'j', uid: 'job' },
  spec: { parallelism: 1, completionMode: 'NonIndexed', backoffLimit: 6, ...spec },
  status,
})
const pod = (
  uid: string,
  phase: string,
  more: { readonly index?: number; readonly counted?: boolean } = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: uid,
    uid,
    ...(more.counted === true ? {} : { finalizers: [TRACKING] }),
    ...(more.index === undefined ? {} : { annotations: { [INDEX]: String(more.index) } }),
  },
  status: { phase },
})
const types = (status: JsonObject): readonly unknown[] =>
  ((status['conditions'] ?? []) as readonly JsonObject[]).map(
    (one) => `${String(one['type'])}=${String(one['status'])}`,
  )

test('no more pods run at once than may, nor than there are completions left', () => {
  expect(planJob(job({ completions: 5, parallelism: 3 }), [], NOW).create).toHaveLength(3)
  expect(planJob(job({ completions: 5, parallelism: 3 }, { succeeded: 4 }), [], NOW).create).toHaveLength(1)
  expect(planJob(job({ completions: 5, parallelism: 2 }), [pod('a', 'Running')], NOW).create).toHaveLength(1)
  expect(
    planJob(job({ completions: 5, parallelism: 1 }), [pod('a', 'Running'), pod('b', 'Pending')], NOW).remove,
  ).toHaveLength(1)
})

test('a finished pod is listed first, counted when its finalizer is gone, and never twice', () => {
  const listing = planJob(job({ completions: 2 }), [pod('a', 'Succeeded')], NOW)
  expect(listing.status).toMatchObject({ uncountedTerminatedPods: { succeeded: ['a'] } })
  expect(listing.status['succeeded']).toBeUndefined()
  expect(listing.counted.map(({ metadata }) => metadata.uid)).toEqual(['a'])
  const again = planJob(job({ completions: 2 }, listing.status), [pod('a', 'Succeeded')], NOW)
  expect(again.status).toEqual(listing.status)
  const counted = planJob(job({ completions: 2 }, listing.status), [pod('a', 'Succeeded', { counted: true })], NOW)
  expect(counted.status).toMatchObject({ succeeded: 1, uncountedTerminatedPods: {} })
  expect(planJob(job({ completions: 2 }, counted.status), [], NOW).status['succeeded']).toBe(1)
})

test('a job is complete when all its completions are counted', () => {
  const listing = planJob(job({ completions: 1 }), [pod('a', 'Succeeded')], NOW)
  expect(types(listing.status)).toEqual(['SuccessCriteriaMet=True'])
  const complete = planJob(job({ completions: 1 }, listing.status), [], NOW)
  expect(types(complete.status)).toEqual(['SuccessCriteriaMet=True', 'Complete=True'])
  expect(complete.status['completionTime']).toBe('2026-11-21T12:00:00Z')
  expect(planJob(job({ completions: 1 }, complete.status), [], NOW).create).toEqual([])
})

test('a work queue is complete when one pod succeeded and none runs', () => {
  const spec = { parallelism: 2 }
  const running = planJob(job(spec), [pod('a', 'Succeeded'), pod('b', 'Running')], NOW)
  expect([running.create.length, types(running.status)]).toEqual([0, []])
  expect(types(planJob(job(spec, running.status), [pod('b', 'Succeeded')], NOW).status)).toEqual([
    'SuccessCriteriaMet=True',
  ])
})

test('each index is made once, and again when it failed', () => {
  const spec = { completions: 4, parallelism: 3, completionMode: 'Indexed' }
  expect(planJob(job(spec), [], NOW).create).toEqual([0, 1, 2])
  const pods = [
    pod('a', 'Succeeded', { index: 0 }),
    pod('b', 'Failed', { index: 1 }),
    pod('c', 'Running', { index: 2 }),
  ]
  const plan = planJob(job(spec), pods, NOW)
  expect(plan.create).toEqual([1, 3])
  expect(plan.status).toMatchObject({ completedIndexes: '0', succeeded: 1, uncountedTerminatedPods: { failed: ['b'] } })
})

test('a job fails when too many pods did, and stops those that run', () => {
  const plan = planJob(job({ completions: 3, backoffLimit: 0 }), [pod('a', 'Failed'), pod('b', 'Running')], NOW)
  expect([plan.create, plan.remove.map(({ metadata }) => metadata.uid)]).toEqual([[], ['b']])
  expect(types(plan.status)).toEqual(['FailureTarget=True'])
})

test('a job fails at its deadline, and asks to be looked at then', () => {
  const spec = { completions: 1, activeDeadlineSeconds: 60 }
  const first = planJob(job(spec), [], NOW)
  expect(first.next).toBe(NOW + 60_000)
  const late = planJob(job(spec, first.status), [pod('a', 'Running')], NOW + 60_000)
  expect(late.remove).toHaveLength(1)
  expect(JSON.stringify(late.status['conditions'])).toContain('DeadlineExceeded')
})

test('a suspended job has no pods and no start, until it is resumed', () => {
  const suspended = planJob(job({ completions: 1, suspend: true }), [pod('a', 'Running')], NOW)
  expect([suspended.remove.length, types(suspended.status), suspended.status['startTime']]).toEqual([
    1,
    ['Suspended=True'],
    undefined,
  ])
  const resumed = planJob(job({ completions: 1 }, suspended.status), [], NOW)
  expect([resumed.create.length, types(resumed.status)]).toEqual([1, ['Suspended=False']])
})
