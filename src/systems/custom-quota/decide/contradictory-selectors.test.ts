import { expect, test } from 'vitest'
import { contradictorySelectors } from './contradictory-selectors.ts'

const source = { apiVersion: 'v1', kind: 'Gadget', op: 'count' } as const
const never = {
  matchLabels: { tier: 'gold' },
  matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['gold', 'tin'] }],
}
const impossible = {
  matchExpressions: [
    { key: 'tier', operator: 'Exists' },
    { key: 'tier', operator: 'DoesNotExist' },
  ],
}
const sometimes = { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['tin'] }] }

test('a quota without sources counts nothing', () => {
  expect(contradictorySelectors({ sources: [] })).toEqual([
    'spec.sources: the quota counts nothing, because it has no source',
  ])
})

test('selectors that no labels match are named by their path', () => {
  expect(
    contradictorySelectors({
      sources: [source, { ...source, selectors: [sometimes, never] }],
      scopeSelectors: [impossible, {}],
      namespaceSelectors: [sometimes, never],
    }),
  ).toEqual(
    ['spec.scopeSelectors[0]', 'spec.namespaceSelectors[1]', 'spec.sources[1].selectors[1]'].map(
      (path) => `${path}: selects nothing, because no labels match all of it`,
    ),
  )
})

test('selectors that some labels match are not mentioned', () => {
  const sources = [{ ...source, selectors: [sometimes] }]
  expect(contradictorySelectors({ sources, scopeSelectors: [sometimes, {}] })).toEqual([])
})
