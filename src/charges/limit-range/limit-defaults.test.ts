import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { withLimitDefaults } from './limit-defaults.ts'

type List = Readonly<Record<string, string>>

const rangeOf = (...limits: readonly JsonObject[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'r', namespace: 'n' },
  spec: { limits },
})
const containerRange = (defaults: { readonly default?: List; readonly defaultRequest?: List }): KubeObject =>
  rangeOf({ type: 'Container', ...defaults })
const podOf = (spec: JsonObject, metadata: JsonObject = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'n', ...metadata },
  spec,
})
const filled = (resources: JsonObject | undefined, ...ranges: readonly KubeObject[]): unknown =>
  withLimitDefaults(podOf({ containers: [{ name: 'c', ...(resources && { resources }) }] }), ranges)['spec']
const annotationOf = (pod: KubeObject): unknown => pod.metadata.annotations?.['kubernetes.io/limit-ranger']

const BOTH = containerRange({
  default: { memory: '2Gi', cpu: '200m' },
  defaultRequest: { memory: '1Gi', cpu: '100m' },
})

describe('a container', () => {
  test.each<readonly [string, JsonObject | undefined, JsonObject]>([
    [
      'without resources gets every default',
      undefined,
      { limits: { cpu: '200m', memory: '2Gi' }, requests: { cpu: '100m', memory: '1Gi' } },
    ],
    [
      'keeps its own values and gets the others',
      { limits: { cpu: '3' }, requests: { memory: '4Gi' } },
      { limits: { cpu: '3', memory: '2Gi' }, requests: { cpu: '100m', memory: '4Gi' } },
    ],
    [
      'keeps values of resources without a default',
      { limits: { 'example.com/gpu': '1' }, claims: [{ name: 'x' }] },
      {
        limits: { cpu: '200m', memory: '2Gi', 'example.com/gpu': '1' },
        requests: { cpu: '100m', memory: '1Gi' },
        claims: [{ name: 'x' }],
      },
    ],
    [
      'that asks for nothing but zero keeps it',
      { limits: { cpu: '0', memory: '0' }, requests: { cpu: '0', memory: '0' } },
      { limits: { cpu: '0', memory: '0' }, requests: { cpu: '0', memory: '0' } },
    ],
  ])('%s', (_, resources, expected) => {
    expect(filled(resources, BOTH)).toStrictEqual({ containers: [{ name: 'c', resources: expected }] })
  })

  test('gets no requests from defaults of limits, and no limits from defaults of requests', () => {
    expect(filled(undefined, containerRange({ default: { cpu: '1' } }))).toStrictEqual({
      containers: [{ name: 'c', resources: { limits: { cpu: '1' } } }],
    })
    expect(filled(undefined, containerRange({ defaultRequest: { cpu: '1' } }))).toStrictEqual({
      containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }],
    })
  })

  test('gets its default of the first LimitRange that has one, and of the last item of that LimitRange', () => {
    const first = rangeOf(
      { type: 'Container', default: { cpu: '1' } },
      { type: 'Container', default: { cpu: '2' }, defaultRequest: { cpu: '1' } },
    )
    const second = containerRange({ default: { cpu: '3', memory: '4' }, defaultRequest: { cpu: '3' } })
    expect(filled(undefined, first, second)).toStrictEqual({
      containers: [{ name: 'c', resources: { limits: { cpu: '2', memory: '4' }, requests: { cpu: '1' } } }],
    })
  })

  test('gets nothing of items for pods and claims', () => {
    const range = rangeOf(
      { type: 'Pod', default: { cpu: '1' }, defaultRequest: { cpu: '1' } },
      { type: 'PersistentVolumeClaim', default: { cpu: '1' }, defaultRequest: { cpu: '1' } },
    )
    expect(filled(undefined, range)).toStrictEqual({ containers: [{ name: 'c' }] })
  })
})

describe('the annotation', () => {
  test('lists what was set, containers before init containers, requests before limits, resources by name', () => {
    const pod = podOf({
      initContainers: [{ name: 'i' }],
      containers: [{ name: 'a' }, { name: 'b', resources: { limits: { cpu: '1' }, requests: { memory: '1' } } }],
    })
    expect(annotationOf(withLimitDefaults(pod, [BOTH]))).toBe(
      'LimitRanger plugin set: cpu, memory request for container a; cpu, memory limit for container a; ' +
        'cpu request for container b; memory limit for container b; ' +
        'cpu, memory request for init container i; cpu, memory limit for init container i',
    )
  })

  test('names only the side that was set', () => {
    const pod = podOf({ containers: [{ name: 'a' }] })
    expect(annotationOf(withLimitDefaults(pod, [containerRange({ default: { cpu: '1' } })]))).toBe(
      'LimitRanger plugin set: cpu limit for container a',
    )
    expect(annotationOf(withLimitDefaults(pod, [containerRange({ defaultRequest: { cpu: '1' } })]))).toBe(
      'LimitRanger plugin set: cpu request for container a',
    )
  })

  test('stands beside the others of the pod, whose metadata stays', () => {
    const pod = podOf({ containers: [{ name: 'a' }] }, { annotations: { x: 'y' }, labels: { l: 'm' } })
    const { metadata } = withLimitDefaults(pod, [containerRange({ default: { cpu: '1' } })])
    expect(metadata).toEqual({
      name: 'p',
      namespace: 'n',
      labels: { l: 'm' },
      annotations: { x: 'y', 'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu limit for container a' },
    })
  })
})

test('a pod that needs no default stays the same pod', () => {
  const resources = { limits: { cpu: '1', memory: '1' }, requests: { cpu: '1', memory: '1' } }
  const pod = podOf({ initContainers: [{ name: 'i', resources }], containers: [{ name: 'c', resources }] })
  expect(withLimitDefaults(pod, [BOTH])).toBe(pod)
  expect(withLimitDefaults(podOf({}), [BOTH])).toEqual(podOf({}))
})

test('the other fields of a pod stay, and so do its containers that have all values', () => {
  const full = { name: 'f', image: 'x', resources: { limits: { cpu: '1' } } }
  const pod = podOf({ nodeName: 'node', containers: [full, { name: 'e', image: 'y' }] })
  expect(withLimitDefaults(pod, [containerRange({ default: { cpu: '2' } })])['spec']).toStrictEqual({
    nodeName: 'node',
    containers: [full, { name: 'e', image: 'y', resources: { limits: { cpu: '2' } } }],
  })
})

describe('defaults times containers', () => {
  const many = (count: number, prefix: string): List =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`example.com/${prefix}${at}`, '1']))
  const containers = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `c${at}` }))
  // One list each in ranges of their own: all of them count.
  const ranges = [
    containerRange({ default: many(600, 'a') }),
    containerRange({ defaultRequest: many(400, 'b') }),
    rangeOf({ type: 'Pod', default: many(1000, 'c') }),
  ]

  test('may be two hundred thousand', () => {
    const pod = podOf({ initContainers: containers(150), containers: containers(50) })
    expect(String(annotationOf(withLimitDefaults(pod, ranges))).endsWith(' request for init container c149')).toBe(true)
  })

  test('are refused with 403 from there on, before the pod is made', () => {
    const pod = podOf({ initContainers: containers(150), containers: containers(51) })
    expect(() => withLimitDefaults(pod, ranges)).toThrow(
      expect.objectContaining({
        message:
          'pods "p" is forbidden: the LimitRanges of the namespace have 1000 defaults, which are too many for 201 containers',
      }),
    )
    const { name: _, ...unnamed } = pod.metadata
    expect(() => withLimitDefaults({ ...pod, metadata: unnamed }, ranges)).toThrow(/^pods is forbidden: /)
  })
})

test('filling in a second time changes nothing, and no own value is ever replaced', () => {
  const list = fc.dictionary(fc.constantFrom('cpu', 'memory', 'example.com/gpu'), fc.constantFrom('1', '2', '3'))
  const resources = fc.record({ limits: list, requests: list }, { requiredKeys: [] })
  const anyRange = fc.record({ default: list, defaultRequest: list }, { requiredKeys: [] }).map(containerRange)
  fc.assert(
    fc.property(
      fc.array(resources, { minLength: 1, maxLength: 3 }),
      fc.array(anyRange, { maxLength: 3 }),
      (all, some) => {
        const containers = all.map((one, at) => ({ name: `c${at}`, resources: one }))
        const once = withLimitDefaults(podOf({ containers }), some)
        expect(withLimitDefaults(once, some)).toBe(once)
        expect(once['spec']).toMatchObject({ containers })
      },
    ),
    { numRuns: 100 },
  )
})
