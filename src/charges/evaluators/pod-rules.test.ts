// Covers pod.ts, pod-lifecycle.ts and scopes.ts.
import { describe, expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { formatResourceList } from '../../quantity/resource-list.ts'
import type { Attributes } from '../evaluator.ts'
import { isTerminating } from './pod-lifecycle.ts'
import { podEvaluator } from './pod.ts'
import { isBestEffort, qosClass } from '../../kinds/core/pod/qos-class.ts'
import { matchingScopes, podScopeFacts } from './scopes.ts'

const podOf = (spec: JsonObject, status: JsonObject = {}, metadata: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec,
  status,
})
const usage = (pod: KubeObject, now = 0): Record<string, string> => formatResourceList(podEvaluator.usage(pod, { now }))
const bearing = (resources: JsonObject): JsonObject => ({ containers: [{ name: 'c', resources }] })

const qualityOf = (spec: JsonObject): string => qosClass(spec)

describe('a pod with resources of its own', () => {
  const wanted = { requests: { cpu: '2', memory: '1Gi', 'example.com/gpu': '9' }, limits: { cpu: '4' } }
  const spec = { ...bearing({ requests: { cpu: '1', memory: '2Gi' } }), resources: wanted }
  const cpuOf = (status: JsonObject): readonly (string | undefined)[] => {
    const { 'requests.cpu': requests, 'limits.cpu': limits } = usage(podOf(spec, status))
    return [requests, limits]
  }

  test('costs them instead of what its containers ask for, as far as pods can have them', () => {
    expect(usage(podOf(spec))).toEqual({
      'count/pods': '1',
      pods: '1',
      cpu: '2',
      'requests.cpu': '2',
      memory: '1Gi',
      'requests.memory': '1Gi',
      'limits.cpu': '4',
    })
  })

  test('costs the most of what it asks for, what is in force and what is set aside while it is resized', () => {
    expect(cpuOf({ resources: { requests: { cpu: '3' }, limits: { cpu: '3' } } })).toEqual(['3', '4'])
    expect(
      cpuOf({ resources: { requests: { cpu: '1' }, limits: { cpu: '6' } }, allocatedResources: { cpu: '5' } }),
    ).toEqual(['5', '6'])
    expect(cpuOf({ allocatedResources: { cpu: '5' } })).toEqual(['2', '4'])
  })

  test('does not cost what it asks for where the node cannot give it', () => {
    const conditions = [
      { type: 'Ready', reason: 'Infeasible' },
      { type: 'PodResizePending', reason: 'Infeasible' },
    ]
    const resources = { requests: { cpu: '1' }, limits: { cpu: '3' } }
    expect(cpuOf({ resources, conditions })).toEqual(['1', '3'])
    expect(cpuOf({ resources, conditions: conditions.slice(0, 1) })).toEqual(['2', '4'])
  })

  test('needs no values of its containers', () => {
    const missing = (pod: KubeObject) => podEvaluator.missing?.(['limits.cpu', 'pods'], pod)
    expect(missing(podOf(spec))).toEqual([])
    expect(missing(podOf({ ...spec, resources: { requests: { 'example.com/gpu': '1' } } }))).toEqual([
      { resource: 'limits.cpu', containers: ['c'] },
    ])
    expect(missing(podOf({ ...spec, resources: { requests: { 'example.com/gpu': '1', cpu: '1' } } }))).toEqual([])
  })

  test('has the quality of service of its own resources', () => {
    expect(qualityOf(spec)).toBe('Burstable')
    expect(
      qualityOf({
        containers: [{}],
        resources: { requests: { cpu: '1', memory: '1' }, limits: { cpu: '1', memory: '1' } },
      }),
    ).toBe('Guaranteed')
    expect(isBestEffort(podOf({ containers: [{}], resources: { limits: { memory: '1' } } }))).toBe(false)
    expect(
      isBestEffort(podOf({ ...bearing({ requests: { cpu: '1' } }), resources: { limits: { memory: '0' } } })),
    ).toBe(true)
  })
})

describe('the quality of service', () => {
  test.each(['Guaranteed', 'Burstable', 'BestEffort'])(
    'is %s where the status says so, whatever is asked for',
    (known) => {
      for (const spec of [bearing({}), bearing({ requests: { cpu: '1' } })])
        expect(isBestEffort(podOf(spec, { qosClass: known }))).toBe(known === 'BestEffort')
    },
  )

  test('is Guaranteed only where every container has limits of both that equal its requests', () => {
    const both = { cpu: '1', memory: '1Gi' }
    const of = (...all: readonly JsonObject[]): string =>
      qualityOf({ containers: all.map((resources) => ({ resources })) })
    expect(of({ requests: both, limits: both })).toBe('Guaranteed')
    expect(of({ requests: both, limits: both }, {})).toBe('Burstable')
    expect(of({ requests: { cpu: '1', memory: '2Gi' }, limits: both })).toBe('Burstable')
    expect(of({ requests: { cpu: '1' }, limits: { memory: '1Gi' } })).toBe('Burstable')
    expect(of({ requests: both, limits: { cpu: '1' } })).toBe('Burstable')
    expect(of({ requests: { cpu: '0', memory: '0' }, limits: { cpu: '0' } })).toBe('BestEffort')
  })
})

describe('a pod is charged again by an update', () => {
  const flip = { object: podOf({ activeDeadlineSeconds: 5 }), oldObject: podOf({}) }
  const handles = (attributes: Partial<Attributes>): boolean =>
    podEvaluator.handles({
      group: '',
      resource: 'pods',
      subresource: '',
      operation: 'UPDATE',
      name: 'p',
      namespace: 'ns',
      object: podOf({}),
      dryRun: false,
      ...attributes,
    })

  test('only when it gets or loses a deadline, or is resized', () => {
    expect(handles(flip)).toBe(true)
    expect(handles({ ...flip, oldObject: flip.object })).toBe(false)
    expect(handles({ subresource: 'resize' })).toBe(true)
  })

  test('not by one of another subresource, one of an object that is not known, or another operation', () => {
    expect(handles({ ...flip, subresource: 'status' })).toBe(false)
    expect(handles({ object: flip.object })).toBe(false)
    expect(handles({ ...flip, operation: 'DELETE' })).toBe(false)
    expect(handles({ operation: 'DELETE', subresource: 'resize' })).toBe(false)
    expect(handles({ operation: 'CREATE', subresource: 'binding' })).toBe(false)
  })
})

describe('a deadline', () => {
  test.each([
    [0, true],
    [5n, true],
    [-1, false],
    [-1n, false],
    ['5', false],
    [null, false],
    [undefined, false],
  ])('of %s makes a pod terminating: %s', (activeDeadlineSeconds, expected) => {
    expect(isTerminating(podOf({ activeDeadlineSeconds }))).toBe(expected)
  })
})

describe('a pod that is being deleted', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  const at = Date.parse(deletionTimestamp)
  test('is charged until twice its grace is over', () => {
    const pod = podOf(bearing({}), {}, { deletionTimestamp, deletionGracePeriodSeconds: 30 })
    expect(podEvaluator.expiry?.(pod)).toBe(at + 30_000)
    expect(usage(pod, at + 30_000)).toEqual({ 'count/pods': '1', pods: '1' })
    expect(usage(pod, at + 30_001)).toEqual({ 'count/pods': '1' })
  })

  test.each([
    {},
    { deletionTimestamp },
    { deletionTimestamp, deletionGracePeriodSeconds: null },
    { deletionGracePeriodSeconds: 30 },
  ])('is never overdue without both times: case %#', (metadata) => {
    expect(podEvaluator.expiry?.(podOf({}, {}, metadata))).toBeUndefined()
  })
})

describe('while a container is resized', () => {
  const containers = [
    { name: 'c', resources: { requests: { cpu: '1' } } },
    { name: 'd', resources: { requests: { cpu: '1' } } },
  ]
  const cpu = (spec: JsonObject, status: JsonObject): string | undefined => usage(podOf(spec, status))['cpu']

  test('the most of what it asks for and what it has is charged, and others as they ask', () => {
    expect(cpu({ containers }, { containerStatuses: [{ name: 'c', resources: { requests: { cpu: '3' } } }] })).toBe('4')
    expect(
      cpu({ containers }, { containerStatuses: [{ name: 'c', resources: {}, allocatedResources: { cpu: '2' } }, {}] }),
    ).toBe('3')
    expect(cpu({ containers }, { containerStatuses: [{ name: 'c', allocatedResources: { cpu: '2' } }] })).toBe('2')
  })

  test('sidecars are looked up in the statuses of init containers', () => {
    const initContainers = [{ name: 's', restartPolicy: 'Always', resources: { requests: { cpu: '1' } } }]
    const status = { initContainerStatuses: [{ name: 's', resources: { requests: { cpu: '5' } } }] }
    expect(cpu({ containers, initContainers }, status)).toBe('7')
  })
})

test('the extended resources that a pod requests decide whether claims may be made for it', () => {
  const asking = (requests: JsonObject, list = 'containers') => podOf({ [list]: [{}, { resources: { requests } }] })
  expect(podEvaluator.entangled?.(asking({ 'example.com/gpu': '1', cpu: '1' }))).toBe(true)
  expect(podEvaluator.entangled?.(asking({ 'example.com/gpu': '1' }, 'initContainers'))).toBe(true)
  expect(podEvaluator.entangled?.(asking({ cpu: '1' }))).toBe(false)
})

describe('scopes of pods', () => {
  test('are facts that differ wherever a scope does', () => {
    const facts = [
      {},
      { activeDeadlineSeconds: 1 },
      { priorityClassName: 'high' },
      bearing({ requests: { cpu: '1' } }),
      { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ namespaceSelector: {} }] } } },
    ].map((spec) => podScopeFacts(podOf(spec)))
    expect(new Set(facts).size).toBe(facts.length)
  })

  const matches = (
    operator: string | undefined,
    values: readonly string[] | undefined,
    priorityClassName?: string,
  ): boolean =>
    matchingScopes(
      podEvaluator,
      [
        {
          scopeName: 'PriorityClass',
          ...(operator === undefined ? {} : { operator }),
          ...(values === undefined ? {} : { values }),
        },
      ],
      podOf(priorityClassName === undefined ? {} : { priorityClassName }),
    ).length > 0

  test('by priority class follow the rules of selectors, a pod without a class having no label', () => {
    expect([matches('In', ['a', ''], 'a'), matches('In', ['a', '']), matches('In', ['a'], 'b')]).toEqual([
      true,
      false,
      false,
    ])
    expect([matches('NotIn', ['a'], 'a'), matches('NotIn', ['a', '']), matches('NotIn', ['a'], 'b')]).toEqual([
      false,
      true,
      true,
    ])
    expect([matches('Exists', undefined, 'a'), matches('Exists', undefined)]).toEqual([true, false])
    expect([matches('DoesNotExist', undefined, 'a'), matches('DoesNotExist', undefined)]).toEqual([false, true])
  })

  test('that make no sense are errors that say why', () => {
    expect(() => matches('Near', ['a'])).toThrow('"Near" is not a valid scope selector operator')
    expect(() => matches(undefined, ['a'])).toThrow('"" is not a valid scope selector operator')
    for (const operator of ['In', 'NotIn'])
      expect(() => matches(operator, [])).toThrow(
        expect.objectContaining({
          name: 'ScopeError',
          message: "failed to parse and convert selector: for 'in', 'notin' operators, values set can't be empty",
        }),
      )
    expect(() => matches('NotIn', ['fine', `${'x'.repeat(64)}!`])).toThrow(/values\[1\]\[PriorityClass\]: .*; /)
  })
})
