import { expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { affinityTo, targetNode, toleratesNode, wantsNode } from './node-fit.ts'

const node = (name: string, labels: Readonly<Record<string, string>> = {}, ...taints: JsonObject[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels },
  spec: { taints },
})
const requiring = (...nodeSelectorTerms: readonly JsonObject[]): JsonObject => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
})
const expression = (key: string, operator: string, ...values: readonly string[]): JsonObject => ({
  matchExpressions: [{ key, operator, values }],
})

test('a node selector wants every one of its labels', () => {
  const spec = { nodeSelector: { disk: 'ssd', zone: 'a' } }
  expect(wantsNode(spec, node('n', { disk: 'ssd', zone: 'a', more: 'x' }))).toBe(true)
  expect(wantsNode(spec, node('n', { disk: 'ssd' }))).toBe(false)
  expect(wantsNode({}, node('n'))).toBe(true)
})

test.each([
  [expression('zone', 'In', 'a', 'b'), true],
  [expression('zone', 'NotIn', 'a'), false],
  [expression('rack', 'NotIn', 'a'), true],
  [expression('zone', 'Exists'), true],
  [expression('rack', 'DoesNotExist'), true],
  [expression('cores', 'Gt', '8'), true],
  [expression('cores', 'Lt', '8'), false],
  [expression('zone', 'Like', 'a'), false],
  [{}, false],
])('the term %j fits: %j', (term, fits) => {
  expect(wantsNode(requiring(term), node('n', { zone: 'a', cores: '16' }))).toBe(fits)
})

test('one of the terms is enough, and all of a term is needed', () => {
  const labels = { zone: 'a' }
  expect(wantsNode(requiring(expression('zone', 'In', 'b'), expression('zone', 'In', 'a')), node('n', labels))).toBe(
    true,
  )
  const both = {
    ...expression('zone', 'In', 'a'),
    matchFields: [{ key: 'metadata.name', operator: 'In', values: ['m'] }],
  }
  expect(wantsNode(requiring(both), node('n', labels))).toBe(false)
  expect(wantsNode(requiring(both), node('m', labels))).toBe(true)
})

test.each([
  [{ key: 'k', operator: 'Equal', value: 'v', effect: 'NoSchedule' }, true],
  [{ key: 'k', value: 'v' }, true],
  [{ key: 'k', value: 'w' }, false],
  [{ key: 'k', operator: 'Exists' }, true],
  [{ operator: 'Exists' }, true],
  [{ operator: 'Exists', effect: 'NoExecute' }, false],
  [{ key: 'other', operator: 'Exists' }, false],
])('%j tolerates k=v:NoSchedule: %j', (toleration, isTolerated) => {
  const tainted = node('n', {}, { key: 'k', value: 'v', effect: 'NoSchedule' })
  expect(toleratesNode({ tolerations: [toleration] }, tainted, ['NoSchedule', 'NoExecute'])).toBe(isTolerated)
  expect(toleratesNode({ tolerations: [toleration] }, tainted, ['NoExecute'])).toBe(true)
})

test('a pod for one node says which, until it is on one', () => {
  const affinity = affinityTo('n', {
    podAffinity: { kept: true },
    ...(requiring(expression('a', 'Exists'))['affinity'] as object),
  })
  const pod = (spec: JsonObject): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: {}, spec })
  expect(affinity).toEqual({
    podAffinity: { kept: true },
    ...(requiring({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] })['affinity'] as object),
  })
  expect(wantsNode({ affinity }, node('n'))).toBe(true)
  expect(wantsNode({ affinity }, node('m'))).toBe(false)
  expect(targetNode(pod({ affinity }))).toBe('n')
  expect(targetNode(pod({ affinity, nodeName: 'm' }))).toBe('m')
  expect(targetNode(pod({}))).toBe('')
})
