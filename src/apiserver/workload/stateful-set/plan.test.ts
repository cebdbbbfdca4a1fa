import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { ordinalOf, planStatefulSet, revisionFor, statefulSetStatus } from './plan.ts'

const NOW = Date.parse('2026-01-01T00:01:00Z')
const set = (replicas: number, spec: JsonObject = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'n', uid: 's', generation: 2 },
  spec: {
    replicas,
    podManagementPolicy: 'OrderedReady',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    ...spec,
  },
})
const PARALLEL = { podManagementPolicy: 'Parallel' }
const ON_DELETE = { updateStrategy: { type: 'OnDelete' } }
const from = (partition: number): JsonObject => ({
  updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } },
})
interface Facts {
  readonly revision?: string
  readonly ready?: boolean
  readonly phase?: string
  readonly deleting?: boolean
}
const pod = (
  ordinal: number,
  { revision = 'new', ready = true, phase = 'Running', deleting }: Facts = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `web-${ordinal}`,
    labels: { 'controller-revision-hash': revision },
    ...(deleting === true ? { deletionTimestamp: '2026-01-01T00:00:30Z' } : {}),
  },
  status: {
    phase,
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:10Z' }],
  },
})
const plan = (of: KubeObject, ...pods: readonly KubeObject[]): readonly [readonly number[], readonly number[]] => {
  const { create, remove, renew } = planStatefulSet(of, pods, 'new', NOW)
  return [create, [...remove, ...renew].map((one) => ordinalOf(of, one))]
}
const old = { revision: 'old' }
const down = { ready: false }
const going = { deleting: true }

test.each([
  ['web-0', 0],
  ['web-12', 12],
  ['web-01', -1],
  ['web-', -1],
  ['web-a-1', -1],
  ['other-1', -1],
])('the ordinal of %s is %d', (name, ordinal) => {
  expect(ordinalOf(set(1), { apiVersion: 'v1', kind: 'Pod', metadata: { name } })).toBe(ordinal)
})

test('in order, each pod waits for the one before it', () => {
  expect(plan(set(3))).toEqual([[0], []])
  expect(plan(set(3), pod(0, down))).toEqual([[], []])
  expect(plan(set(3), pod(0))).toEqual([[1], []])
  expect(plan(set(3), pod(0), pod(2))).toEqual([[1], []])
  expect(plan(set(3, { minReadySeconds: 60 }), pod(0))).toEqual([[], []])
  expect(plan(set(3, { minReadySeconds: 50 }), pod(0))).toEqual([[1], []])
})

test('in parallel, all pods are made at once', () => {
  expect(plan(set(3, PARALLEL), pod(1, down))).toEqual([[0, 2], []])
})

test('ordinals begin where the set says', () => {
  expect(plan(set(2, { ordinals: { start: 5 }, ...PARALLEL }), pod(0))).toEqual([[5, 6], [0]])
})

test('a set shrinks from the highest ordinal, a pod at a time, and not while another is down', () => {
  expect(plan(set(1), pod(0), pod(1), pod(2))).toEqual([[], [2]])
  expect(plan(set(1), pod(0), pod(1), pod(2, going))).toEqual([[], []])
  expect(plan(set(1), pod(0, down), pod(1), pod(2))).toEqual([[], []])
  expect(plan(set(1), pod(0), pod(1), pod(2, down))).toEqual([[], [2]])
  expect(plan(set(1), pod(0), pod(1, down), pod(2, down))).toEqual([[], []])
  expect(plan(set(1, PARALLEL), pod(0, down), pod(1), pod(2, down), pod(3, going))).toEqual([[], [2, 1]])
})

test('a pod that has ended is deleted, and made anew when it is gone', () => {
  expect(plan(set(2), pod(0, { phase: 'Failed', ready: false }), pod(1))).toEqual([[], [0]])
  expect(plan(set(2), pod(0, { phase: 'Succeeded', ready: false, ...going }), pod(1))).toEqual([[], []])
  expect(plan(set(2, PARALLEL), pod(0, { phase: 'Failed', ready: false }))).toEqual([[1], [0]])
})

test('an update goes down from the highest ordinal, waiting for each', () => {
  expect(plan(set(3), pod(0, old), pod(1, old), pod(2, old))).toEqual([[], [2]])
  expect(plan(set(3), pod(0, old), pod(1, old), pod(2))).toEqual([[], [1]])
  expect(plan(set(3, PARALLEL), pod(0, old), pod(1, old), pod(2, down))).toEqual([[], []])
  expect(plan(set(3, PARALLEL), pod(0, old), pod(1, old), pod(2, { ...old, ...going }))).toEqual([[], []])
  expect(plan(set(3, from(2)), pod(0, old), pod(1, old), pod(2, old))).toEqual([[], [2]])
  expect(plan(set(3, from(2)), pod(0, old), pod(1, old), pod(2))).toEqual([[], []])
  expect(plan(set(3, ON_DELETE), pod(0, old), pod(1, old), pod(2, old))).toEqual([[], []])
})

test('a pod below the partition is made as it was, others as they are to be', () => {
  const names = { current: 'old', update: 'new' }
  expect(revisionFor(set(3, from(1)), 0, names)).toBe('old')
  expect(revisionFor(set(3, from(1)), 1, names)).toBe('new')
  expect(revisionFor(set(3, { ...from(1), ordinals: { start: 5 } }), 5, names)).toBe('old')
  expect(revisionFor(set(3, ON_DELETE), 0, names)).toBe('new')
})

test('the status counts pods by their state and revision, and forgets the old one when all are new', () => {
  const names = { current: 'old', update: 'new', collisions: 0 }
  expect(statefulSetStatus(set(3), [pod(0, old), pod(1, down), pod(2, going)], names, NOW)).toEqual({
    observedGeneration: 2,
    replicas: 3,
    readyReplicas: 2,
    currentReplicas: 1,
    updatedReplicas: 1,
    availableReplicas: 2,
    currentRevision: 'old',
    updateRevision: 'new',
    collisionCount: 0,
  })
  expect(statefulSetStatus(set(2), [pod(0), pod(1)], names, NOW)).toMatchObject({
    currentReplicas: 2,
    currentRevision: 'new',
    updateRevision: 'new',
  })
  expect(statefulSetStatus(set(0, ON_DELETE), [], names, NOW)).toEqual({
    observedGeneration: 2,
    replicas: 0,
    availableReplicas: 0,
    currentRevision: 'old',
    updateRevision: 'new',
    collisionCount: 0,
  })
})

test('whatever it starts from, a set comes to have just its pods in their revisions; in order, one pod changes at a time', () => {
  const start = fc.record({
    replicas: fc.integer({ min: 0, max: 5 }),
    first: fc.integer({ min: 0, max: 2 }),
    partition: fc.integer({ min: 0, max: 6 }),
    isParallel: fc.boolean(),
    present: fc.uniqueArray(fc.tuple(fc.integer({ min: 0, max: 7 }), fc.constantFrom('old', 'new')), {
      selector: ([ordinal]) => ordinal,
    }),
  })
  fc.assert(
    fc.property(start, ({ replicas, first, partition, isParallel, present }) => {
      const of = set(replicas, {
        ...from(partition),
        ordinals: { start: first },
        ...(isParallel ? PARALLEL : {}),
      })
      let pods = new Map(present.map(([ordinal, revision]) => [ordinal, pod(ordinal, { revision })]))
      for (let step = 0; step < 50; step++) {
        const plan = planStatefulSet(of, [...pods.values()], 'new', NOW)
        const { create } = plan
        const remove = [...plan.remove, ...plan.renew]
        if (create.length + remove.length === 0) break
        if (!isParallel) expect(create.length + remove.length).toBe(1)
        pods = new Map([...pods].filter(([, one]) => !remove.includes(one)))
        for (const ordinal of create) {
          const revision = revisionFor(of, ordinal, { current: 'old', update: 'new' })
          pods.set(ordinal, pod(ordinal, { revision }))
        }
      }
      expect([...pods.keys()].toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: replicas }, (_, index) => first + index),
      )
      for (const [ordinal, { metadata }] of pods)
        if (ordinal >= first + partition) expect(metadata.labels?.['controller-revision-hash']).toBe('new')
    }),
  )
})

test('where a pod is missing in order, only if it is refused may the highest pod go that the set does not want', () => {
  const planned = planStatefulSet(set(2), [pod(1), pod(2), pod(3)], 'new', NOW)
  expect([planned.create, planned.remove]).toEqual([[0], []])
  expect(planned.ifRefused.map((one) => ordinalOf(set(2), one))).toEqual([3])
  expect(planStatefulSet(set(2), [pod(1), pod(2), pod(3, going)], 'new', NOW).ifRefused).toEqual([])
  // One that is there and only not ready yet was not refused.
  expect(planStatefulSet(set(2), [pod(0, down), pod(1), pod(2)], 'new', NOW).ifRefused).toEqual([])
})
