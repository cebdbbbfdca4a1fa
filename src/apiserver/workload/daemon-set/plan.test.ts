import { expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { daemonPod, daemonStatus, type DaemonPlan, endedEvent, planDaemonSet } from './plan.ts'

const NOW = Date.parse('2026-01-01T00:01:00Z')
const node = (name: string, ...taints: readonly JsonObject[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: { taints },
})
const daemon = (spec: JsonObject = {}, podSpec: JsonObject = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: {
    name: 'light',
    namespace: 'harbour',
    uid: 'd',
    generation: 3,
    annotations: { 'deprecated.daemonset.template.generation': '2' },
  },
  spec: {
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    template: { metadata: { labels: { app: 'light' } }, spec: podSpec },
    ...spec,
  },
})
interface Facts {
  readonly hash?: string
  readonly ready?: boolean
  readonly phase?: string
  readonly deleting?: boolean
}
const pod = (name: string, on: string, { hash = 'new', ready = true, phase, deleting }: Facts = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'harbour',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'controller-revision-hash': hash },
    ...(deleting === true ? { deletionTimestamp: '2026-01-01T00:00:30Z' } : {}),
  },
  spec: { nodeName: on },
  status: {
    phase: phase ?? 'Running',
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2026-01-01T00:00:10Z' }],
  },
})
const nodes = ['a', 'b', 'c'].map((name) => node(name))
const state = (set: KubeObject, pods: readonly KubeObject[], on = nodes) => ({
  set,
  nodes: on,
  pods,
  hash: 'new',
  now: NOW,
})
const plan = (
  set: KubeObject,
  pods: readonly KubeObject[],
  on = nodes,
): readonly [readonly string[], readonly unknown[]] => {
  const { create, remove, renew }: DaemonPlan = planDaemonSet(state(set, pods, on))
  const now = create.length === 0 ? [...remove, ...renew] : remove
  return [create, now.map(({ metadata }) => metadata.name)]
}
const old = { hash: 'old' }

test('every node gets one pod, and none a second', () => {
  expect(plan(daemon(), [])).toEqual([['a', 'b', 'c'], []])
  expect(plan(daemon(), [pod('p', 'b')])).toEqual([['a', 'c'], []])
  const all = ['a', 'b', 'c'].map((name) => pod(`on-${name}`, name))
  expect(plan(daemon(), all)).toEqual([[], []])
  expect(plan(daemon(), [...all, pod('second', 'a')])).toEqual([[], ['second']])
})

test('a node whose pod is going waits until it is gone', () => {
  expect(plan(daemon(), [pod('p', 'a', { deleting: true })], [node('a')])).toEqual([[], []])
})

test('pods that have ended, or whose node is gone, are deleted', () => {
  const on = [node('a')]
  expect(plan(daemon(), [pod('p', 'a', { phase: 'Failed' })], on)).toEqual([[], ['p']])
  expect(plan(daemon(), [pod('p', 'a'), pod('lost', 'b')], on)).toEqual([[], ['lost']])
  expect(endedEvent(pod('p', 'a', { phase: 'Failed' }))).toEqual([
    'Warning',
    'FailedDaemonPod',
    'Found failed daemon pod harbour/p on node a, will try to kill it',
  ])
})

test('only nodes that fit get a pod; a taint that forbids new pods leaves the old ones', () => {
  const taint = (effect: string): JsonObject => ({ key: 'storm', value: 'yes', effect })
  expect(plan(daemon({}, { nodeName: 'b' }), [])).toEqual([['b'], []])
  expect(plan(daemon({}, { nodeSelector: { deep: 'yes' } }), [pod('p', 'a')])).toEqual([[], ['p']])
  expect(plan(daemon(), [], [node('a', taint('NoSchedule'))])).toEqual([[], []])
  expect(plan(daemon(), [pod('p', 'a')], [node('a', taint('NoSchedule'))])).toEqual([[], []])
  expect(plan(daemon(), [pod('p', 'a')], [node('a', taint('NoExecute'))])).toEqual([[], ['p']])
  const cordoned = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
  expect(plan(daemon(), [], [node('a', cordoned)])).toEqual([['a'], []])
})

test('a rolling update deletes as many old pods as may be unavailable, and broken ones at once', () => {
  const pods = [pod('a1', 'a', old), pod('b1', 'b', old), pod('c1', 'c', old)]
  expect(plan(daemon(), pods)).toEqual([[], ['a1']])
  const two = daemon({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } } })
  expect(plan(two, pods)).toEqual([[], ['a1', 'b1']])
  const broken = [pod('a1', 'a', old), pod('b1', 'b', { ...old, ready: false }), pod('c1', 'c')]
  expect(plan(daemon(), broken)).toEqual([[], ['b1']])
  const going = [pod('a1', 'a', { ...old, deleting: true }), ...pods.slice(1)]
  expect(plan(daemon(), going)).toEqual([[], []])
  expect(plan(daemon({ updateStrategy: { type: 'OnDelete' } }), pods)).toEqual([[], []])
})

test('a surge makes the new pod first and deletes the old one when the new one is available', () => {
  const surging = daemon({
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  })
  const [a, b, c] = ['a', 'b', 'c'].map((name) => pod(`${name}1`, name, old))
  if (a === undefined || b === undefined || c === undefined) throw new Error('there are three')
  expect(plan(surging, [a, b, c])).toEqual([['a'], []])
  expect(plan(surging, [a, pod('a2', 'a', { ready: false }), b, c])).toEqual([[], []])
  expect(plan(surging, [a, pod('a2', 'a'), b, c])).toEqual([[], ['a1']])
})

test('a pod is bound to its node by name, tolerates the conditions of nodes, and carries its revision', () => {
  const mine = { key: 'mine', operator: 'Exists' }
  const made = daemonPod({ set: daemon({}, { tolerations: [mine], hostNetwork: true }), hash: 'new' }, 'b')
  expect(made.metadata).toMatchObject({
    generateName: 'light-',
    labels: { app: 'light', 'controller-revision-hash': 'new', 'pod-template-generation': '2' },
  })
  const { tolerations, affinity } = made['spec'] as JsonObject
  expect((tolerations as readonly JsonObject[]).map(({ key, effect }) => [key, effect])).toEqual([
    ['mine', undefined],
    ['node.kubernetes.io/not-ready', 'NoExecute'],
    ['node.kubernetes.io/unreachable', 'NoExecute'],
    ['node.kubernetes.io/disk-pressure', 'NoSchedule'],
    ['node.kubernetes.io/memory-pressure', 'NoSchedule'],
    ['node.kubernetes.io/pid-pressure', 'NoSchedule'],
    ['node.kubernetes.io/unschedulable', 'NoSchedule'],
    ['node.kubernetes.io/network-unavailable', 'NoSchedule'],
  ])
  expect(affinity).toMatchObject({
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }],
      },
    },
  })
})

test('the status counts nodes', () => {
  const set = daemon({}, { nodeSelector: {} })
  expect(daemonStatus(state(set, []), 0)).toEqual({
    currentNumberScheduled: 0,
    desiredNumberScheduled: 3,
    numberMisscheduled: 0,
    numberReady: 0,
    numberUnavailable: 3,
    observedGeneration: 3,
  })
  const pods = [pod('a1', 'a'), pod('b1', 'b', { ...old, ready: false }), pod('lost', 'x')]
  expect(daemonStatus(state(daemon(), pods), 0)).toEqual({
    currentNumberScheduled: 2,
    desiredNumberScheduled: 3,
    numberMisscheduled: 0,
    numberReady: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
    observedGeneration: 3,
  })
})

test('an outdated pod may go although another is missing, as far as that many may be unavailable', () => {
  const pods = [pod('a1', 'a', old), pod('b1', 'b', old)]
  const updating = (maxUnavailable: number): readonly unknown[] => {
    const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { maxUnavailable } }
    const { create, remove, renew } = planDaemonSet(state(daemon({ updateStrategy }), pods, nodes))
    return [create, remove, renew.map(({ metadata }) => metadata.name)]
  }
  expect(updating(1)).toEqual([['c'], [], []])
  expect(updating(2)).toEqual([['c'], [], ['a1']])
})
