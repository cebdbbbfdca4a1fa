// Covers the plans of all workload controllers, with the largest numbers.
import { describe, expect, test } from 'vitest'
import { int64 } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { BURST } from './shared/burst.ts'
import { beyondHistory, planCronJob } from './job/cron-job-plan.ts'
import { planDaemonSet } from './daemon-set/plan.ts'
import { expectationOf, planDisruption } from './disruption/plan.ts'
import { planJob } from './job/job-plan.ts'
import { newReplicas, proportional, rolloutOf, shrunk, withSurge } from '../../kinds/apps/rollout.ts'
import { planStatefulSet, statefulSetStatus } from './stateful-set/plan.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')
const INT32 = 2 ** 31 - 1
const EXTREMES = [0, 1, INT32, -1, -INT32 - 1, int64(2n ** 63n - 1n), int64(-(2n ** 63n))]
const SHARES = [0, INT32, '0%', '100%', `${INT32}%`, `${'9'.repeat(500)}%`]

const object = (kind: string, spec: JsonObject, status: JsonObject = {}): KubeObject => ({
  apiVersion: 'x/v1',
  kind,
  metadata: { name: 'w', namespace: 'n', uid: 'w', generation: 1, creationTimestamp: '2026-11-21T11:00:00Z' },
  spec,
  status,
})
const pods: readonly KubeObject[] = [0, 1, 4, INT32 - 1, INT32].map((ordinal) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `w-${ordinal}`,
    uid: `u${ordinal}`,
    annotations: { 'batch.kubernetes.io/job-completion-index': String(ordinal) },
  },
  status: {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-21T11:59:00Z' }],
  },
}))

/** All values of each field on its own, and all fields at each of the values at once. */
const variants = (names: readonly string[]): readonly JsonObject[] => [
  ...names.flatMap((name) => EXTREMES.map((value) => ({ [name]: value }))),
  ...EXTREMES.map((value) => Object.fromEntries(names.map((name) => [name, value]))),
]
const isCount = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= INT32 + 1
const hasOnlyNumbers = (status: JsonObject): boolean => !/[:,]null|NaN|Infinity/.test(JSON.stringify(status))

describe('the plan of a workload depends on what is there, not on how much is wanted,', () => {
  test('of a StatefulSet', () => {
    const names = { current: 'a', update: 'b', collisions: 0 }
    for (const { start, partition, ...more } of variants(['replicas', 'start', 'partition', 'minReadySeconds']))
      for (const podManagementPolicy of ['OrderedReady', 'Parallel']) {
        const spec = {
          replicas: INT32,
          podManagementPolicy,
          ordinals: { start },
          updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
          ...more,
        }
        for (const present of [[], pods]) {
          const set = object('StatefulSet', spec)
          const { create, remove } = planStatefulSet(set, present, 'b', NOW)
          expect(create.length).toBeLessThanOrEqual(BURST)
          expect(create.every((ordinal) => ordinal <= INT32)).toBe(true)
          expect(remove.length).toBeLessThanOrEqual(present.length)
          expect(hasOnlyNumbers(statefulSetStatus(set, present, names, NOW))).toBe(true)
        }
      }
  })

  test('of a Job', () => {
    const fields = ['completions', 'parallelism', 'backoffLimit', 'activeDeadlineSeconds', 'ttlSecondsAfterFinished']
    const statuses = [{}, { completedIndexes: `0-2,9-${INT32}` }, { succeeded: INT32, failed: 1 }]
    for (const more of [...variants(fields), { completions: null, parallelism: INT32 }])
      for (const completionMode of ['Indexed', 'NonIndexed'])
        for (const status of statuses)
          for (const present of [[], pods]) {
            const spec = { completions: INT32, parallelism: INT32, completionMode, ...more }
            const plan = planJob(object('Job', spec, status), present, NOW)
            expect(plan.create.length).toBeLessThanOrEqual(BURST)
            expect(new Set(plan.create).size).toBe(
              completionMode === 'Indexed' ? plan.create.length : Math.min(1, plan.create.length),
            )
            expect(hasOnlyNumbers(plan.status)).toBe(true)
          }
  })

  test('of a Deployment', () => {
    for (const replicas of [0, 1, INT32])
      for (const maxSurge of SHARES)
        for (const maxUnavailable of SHARES) {
          const limits = rolloutOf(replicas, maxSurge, maxUnavailable)
          const fresh = { name: 'a', replicas: 1, available: 1 }
          const old = [{ name: 'b', replicas: INT32, available: 0 }]
          const total = withSurge(limits.replicas, limits.maxSurge)
          const numbers = [
            limits.maxSurge,
            limits.maxUnavailable,
            newReplicas(limits, fresh, old),
            ...shrunk(limits, fresh, old).values(),
            ...proportional(total, [fresh, ...old]).values(),
          ]
          expect(numbers.filter((number) => !isCount(number))).toEqual([])
        }
  })

  test('of a DaemonSet', () => {
    const nodes = [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' } }]
    for (const maxSurge of SHARES)
      for (const maxUnavailable of SHARES)
        for (const more of variants(['minReadySeconds', 'revisionHistoryLimit'])) {
          const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } }
          const set = object('DaemonSet', { updateStrategy, template: { spec: {} }, ...more })
          const plan = planDaemonSet({ set, nodes, pods: [], hash: 'h', now: NOW })
          expect([plan.create, plan.remove]).toEqual([['node'], []])
        }
  })

  test('of a CronJob', () => {
    const fields = ['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit']
    for (const more of variants(fields))
      for (const schedule of ['* * * * *', '@every 1s', '@every 2562047h', '0 0 30 2 *']) {
        const cronJob = object(
          'CronJob',
          { schedule, jobTemplate: {}, ...more },
          { lastScheduleTime: '0001-01-01T00:00:00Z' },
        )
        const { status, next = NOW } = planCronJob(cronJob, [], NOW)
        expect([hasOnlyNumbers(status), Number.isFinite(next)]).toEqual([true, true])
        expect(beyondHistory(cronJob, [])).toEqual([])
      }
  })

  test('of a PodDisruptionBudget', () => {
    for (const field of ['minAvailable', 'maxUnavailable'])
      for (const value of SHARES)
        for (const scale of [0, 1, INT32]) {
          const budget = object('PodDisruptionBudget', { [field]: value })
          const expectation = expectationOf(budget, scale, pods.length)
          expect(Object.values(expectation).filter((number) => !isCount(number))).toEqual([])
          expect(hasOnlyNumbers(planDisruption({ budget, pods, now: NOW }, expectation).status)).toBe(true)
        }
  })
})
