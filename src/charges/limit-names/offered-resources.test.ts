import { expect, test } from 'vitest'
import { type OfferedResource, OfferedResources } from './offered-resources.ts'

const base = { namespaced: true, verbs: ['list'] }
const PODS: OfferedResource = { ...base, group: '', resource: 'pods', kind: 'Pod', singular: 'pod', shortNames: ['po'] }
const WIDGETS: OfferedResource = { ...base, group: 'example.com', resource: 'widgets', kind: 'Widget' }
const METRICS: OfferedResource = {
  ...base,
  group: 'metrics.k8s.io',
  resource: 'pods',
  kind: 'PodMetrics',
  singular: '',
}
const offered = new OfferedResources([PODS, WIDGETS, METRICS])

test('a resource is found by its group and its plural', () => {
  expect(offered.find({ group: '', resource: 'pods' })).toBe(PODS)
  expect(offered.find({ group: 'metrics.k8s.io', resource: 'pods' })).toBe(METRICS)
  expect(offered.find({ group: 'apps', resource: 'pods' })).toBeUndefined()
  expect(offered.find({ group: '', resource: 'pod' })).toBeUndefined()
  expect(offered.all).toEqual([PODS, WIDGETS, METRICS])
})

test.each<readonly [string, readonly OfferedResource[]]>([
  ['pods', [PODS, METRICS]],
  ['pod', [PODS]],
  ['po', [PODS]],
  ['widget', [WIDGETS]],
  ['widgets', [WIDGETS]],
  ['podmetrics', [METRICS]],
  ['Pod', []],
  ['', []],
])('by %j resources are called in the order in which they are offered', (form, called) => {
  expect(offered.called(form)).toEqual(called)
})

test('the forms are all plurals, singulars, kinds and short names, each once and in lower case', () => {
  expect([...offered.forms]).toEqual(['pods', 'pod', 'po', 'widgets', 'widget', 'podmetrics'])
})

test('of a resource in several versions the first counts', () => {
  const later = { ...PODS, kind: 'Podlet', shortNames: ['pl'] }
  const both = new OfferedResources([PODS, later])
  expect(both.all).toEqual([PODS])
  expect(both.find(PODS)).toBe(PODS)
  expect(both.called('pods')).toEqual([PODS])
  expect(both.called('pl')).toEqual([])
})
