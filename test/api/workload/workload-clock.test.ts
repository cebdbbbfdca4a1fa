import { expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer, namesOf } from '../api-server.ts'

/** Workloads that wait for a time of the wall clock go on when that clock is set, without any other change. */
const HOUR = 3600
const clock = { now: Date.parse('2026-01-01T00:00:30Z') }
const api = apiServer({ workloads: true, now: () => clock.now })

const running = { containers: [{ name: 'c', image: 'i' }] }
/** There is no such node: the pods wait. */
const placed = { ...running, nodeName: 'absent' }
const waiting = { ...placed, restartPolicy: 'Never' }
const labels = { app: 'a' }
const templated = (spec: object) => ({ selector: { matchLabels: labels }, template: { metadata: { labels }, spec } })

interface Case {
  readonly what: string
  readonly path: (namespace: string) => string
  readonly spec: object
  /** Is it as far as it gets before its time? */
  readonly isWaiting: (object: Answer['body']) => boolean
  /** Has happened what its time brings? */
  readonly isOver: (object: Answer['body']) => boolean
}

const below = (group: string, resource: string) => (namespace: string) =>
  `${namespace.replace('/api/v1', `/apis/${group}/v1`)}/${resource}`

const conditionsOf = (object: Answer['body']): readonly string[] =>
  (object.status?.conditions ?? []).map(({ type, reason }: Answer['body']) => `${type}: ${reason}`)
const isGone = ({ code }: Answer['body']): boolean => code === 404

const CASES: readonly Case[] = [
  {
    what: 'a CronJob starts its Job',
    path: below('batch', 'cronjobs'),
    spec: { schedule: '30 * * * *', jobTemplate: { spec: { suspend: true, template: { spec: waiting } } } },
    isWaiting: ({ kind }) => kind === 'CronJob',
    isOver: ({ status }) => status?.lastScheduleTime !== undefined,
  },
  {
    what: 'a Job fails at its deadline',
    path: below('batch', 'jobs'),
    spec: { activeDeadlineSeconds: HOUR, template: { spec: waiting } },
    isWaiting: ({ status }) => status?.active === 1,
    isOver: (job) => conditionsOf(job).includes('Failed: DeadlineExceeded'),
  },
  {
    what: 'a Job that has ended goes',
    path: below('batch', 'jobs'),
    spec: { ttlSecondsAfterFinished: HOUR, template: { spec: { ...running, restartPolicy: 'Never' } } },
    isWaiting: ({ status }) => status?.completionTime !== undefined,
    isOver: isGone,
  },
  {
    what: 'a Deployment that does not get on says so',
    path: below('apps', 'deployments'),
    spec: { progressDeadlineSeconds: HOUR, ...templated(placed) },
    isWaiting: ({ status }) => status?.unavailableReplicas === 1,
    isOver: (deployment) => conditionsOf(deployment).includes('Progressing: ProgressDeadlineExceeded'),
  },
  ...['replicasets', 'statefulsets', 'daemonsets'].map((resource) => ({
    what: `pods of ${resource} that have been ready for long enough are available`,
    path: below('apps', resource),
    spec: {
      minReadySeconds: HOUR,
      ...templated(running),
      ...(resource === 'statefulsets' ? { serviceName: 's' } : {}),
    },
    isWaiting: ({ status }: Answer['body']) => (status?.readyReplicas ?? status?.numberReady) === 1,
    isOver: ({ status }: Answer['body']) => (status?.availableReplicas ?? status?.numberAvailable) === 1,
  })),
]

test.each(CASES)('when the clock is set forward, $what', async ({ path, spec, isWaiting, isOver }) => {
  const collection = path(await api.namespace())
  await api.create(collection, { metadata: { name: 'timely' }, spec })
  const object = await api.until(`${collection}/timely`, isWaiting)
  expect(isOver(object)).toBe(false)
  clock.now += (HOUR + 1) * 1000
  await api.until(`${collection}/timely`, isOver)
})

test('when the clock is set back, nothing happens before its time, and when it is set right, what was missed', async () => {
  const made = await Promise.all(
    CASES.map(async ({ path, spec, isWaiting, isOver }) => {
      const collection = path(await api.namespace())
      await api.create(collection, { metadata: { name: 'timely' }, spec })
      await api.until(`${collection}/timely`, isWaiting)
      return { at: `${collection}/timely`, isOver }
    }),
  )
  clock.now -= 2 * HOUR * 1000
  // As long as a step forward needs to be noticed.
  const probe = below('batch', 'cronjobs')(await api.namespace())
  await api.create(probe, {
    metadata: { name: 'probe' },
    spec: { schedule: '* * * * *', jobTemplate: { spec: { suspend: true, template: { spec: waiting } } } },
  })
  clock.now += 60_000
  await api.until(`${probe}/probe`, ({ status }) => status?.lastScheduleTime !== undefined)
  for (const { at, isOver } of made) expect(isOver((await api.send('GET', at)).body), at).toBe(false)
  expect(namesOf(await api.get(probe))).toEqual(['probe'])
  clock.now += 4 * HOUR * 1000
  for (const { at, isOver } of made) await api.until(at, isOver)
})
