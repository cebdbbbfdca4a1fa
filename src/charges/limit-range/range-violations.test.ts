import { describe, expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import { rangeViolations } from './range-violations.ts'

const objectOf = (kind: string, spec: JsonObject): KubeObject => ({ apiVersion: 'v1', kind, metadata: {}, spec })
const rangeOf = (...limits: readonly JsonObject[]): KubeObject => objectOf('LimitRange', { limits })
const container = (name: string, requests: JsonObject = {}, limits: JsonObject = {}): JsonObject => ({
  name,
  resources: { requests, limits },
})
const ofPod = (limit: JsonObject, spec: JsonObject): readonly string[] => [
  ...rangeViolations(rangeOf(limit), 'pods', objectOf('Pod', spec)),
]
const ofClaim = (limit: JsonObject, requests: JsonObject): readonly string[] => [
  ...rangeViolations(
    rangeOf(limit),
    'persistentvolumeclaims',
    objectOf('PersistentVolumeClaim', { resources: { requests } }),
  ),
]

describe('an item for containers', () => {
  test('holds for each container, then for each init container', () => {
    const spec = {
      containers: [container('a', { cpu: '1' }), container('b', { cpu: '4' })],
      initContainers: [container('c', { cpu: '2' })],
    }
    expect(ofPod({ type: 'Container', min: { cpu: '3' } }, spec)).toEqual([
      'minimum cpu usage per Container is 3, but request is 1',
      'minimum cpu usage per Container is 3, but request is 2',
    ])
  })

  test.each<readonly [JsonObject, string]>([
    [{ min: { memory: '2' } }, 'minimum memory usage per Container is 2, but request is 1'],
    [{ max: { memory: '2' } }, 'maximum memory usage per Container is 2, but limit is 3'],
    [
      { maxLimitRequestRatio: { memory: '2' } },
      'memory max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    ],
  ])('holds requests and limits to its bounds %j', (bounds, text) => {
    const spec = { containers: [container('a', { memory: '1' }, { memory: '3' })] }
    expect(ofPod({ type: 'Container', ...bounds }, spec)).toEqual([text])
  })

  test('names the resources of each bound by name', () => {
    const bounds = { memory: '1', cpu: '1', 'example.com/gpu': '1' }
    const texts = ofPod(
      { type: 'Container', min: bounds, max: bounds, maxLimitRequestRatio: bounds },
      { containers: [{ name: 'a' }] },
    )
    expect(texts.map((text) => /^(?:m..imum )?(\S+)/.exec(text)?.[1])).toEqual(
      ['min', 'max', 'ratio'].flatMap(() => ['cpu', 'example.com/gpu', 'memory']),
    )
  })

  test('says nothing of a pod without containers', () => {
    expect(ofPod({ type: 'Container', min: { cpu: '1' } }, {})).toEqual([])
  })
})

test('an item for pods holds for the sum of the containers', () => {
  const spec = { containers: [container('a', { cpu: '1' }, { cpu: '2' }), container('b', { cpu: '1' }, { cpu: '2' })] }
  const type = 'Pod'
  expect(ofPod({ type, min: { cpu: '2' }, max: { cpu: '4' }, maxLimitRequestRatio: { cpu: '2' } }, spec)).toEqual([])
  expect(ofPod({ type, min: { cpu: '3' } }, spec)).toEqual(['minimum cpu usage per Pod is 3, but request is 2'])
  expect(ofPod({ type, max: { cpu: '3' } }, spec)).toEqual(['maximum cpu usage per Pod is 3, but limit is 4'])
})

describe('an item for claims', () => {
  const type = 'PersistentVolumeClaim'

  test('holds for what the claim requests, and knows no ratio', () => {
    const bounds = { type, min: { storage: '2Gi' }, max: { storage: '4Gi' }, maxLimitRequestRatio: { storage: '1' } }
    expect(ofClaim(bounds, { storage: '1Gi' })).toEqual([
      `minimum storage usage per ${type} is 2Gi, but request is 1Gi`,
    ])
    expect(ofClaim(bounds, { storage: '2Gi' })).toEqual([])
    expect(ofClaim(bounds, { storage: '4Gi' })).toEqual([])
    expect(ofClaim(bounds, { storage: '5Gi' })).toEqual([
      `maximum storage usage per ${type} is 4Gi, but request is 5Gi`,
    ])
  })

  test('says nothing of pods, as items of other types say nothing of claims', () => {
    expect(ofPod({ type, min: { cpu: '1' } }, { containers: [{ name: 'a' }] })).toEqual([])
    expect(ofPod({ type: 'Node', min: { cpu: '1' } }, { containers: [{ name: 'a' }] })).toEqual([])
    for (const other of ['Pod', 'Container'])
      expect(ofClaim({ type: other, min: { storage: '1Gi' } }, { storage: '1' })).toEqual([])
  })
})

test('items after one for another kind still hold', () => {
  const range = rangeOf(
    { type: 'Container', min: { storage: '1' } },
    { type: 'PersistentVolumeClaim', min: { storage: '2' } },
    { type: 'PersistentVolumeClaim', max: { storage: '0' } },
  )
  const claim = objectOf('PersistentVolumeClaim', { resources: { requests: { storage: '1' } } })
  expect([...rangeViolations(range, 'persistentvolumeclaims', claim)]).toHaveLength(2)
})

test('an amount that is no quantity is an error', () => {
  expect(() => ofClaim({ type: 'PersistentVolumeClaim', min: { storage: 'x' } }, {})).toThrow(QuantityError)
})
