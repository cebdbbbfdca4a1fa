import { expect, test } from 'vitest'
import { compiled } from '../../../../test/systems/custom-quota/custom-quotas.ts'

const source = { apiVersion: 'v1', kind: 'Gadget', op: 'count' } as const
const only = (tier: string) => ({ matchLabels: { tier } })
const contradictory = {
  matchExpressions: ['a', 'b'].map((value) => ({ key: 'tier', operator: 'In', values: [value] })),
}
const WHOLE = 'the quota counts nothing, because no labels'

test.each([
  ['no sources', { sources: [] }, ['spec.sources: the quota counts nothing, because it has no source']],
  [
    'selectors of objects that match none',
    { sources: [source], scopeSelectors: [contradictory] },
    [`spec.scopeSelectors: ${WHOLE} match any of them`],
  ],
  [
    'selectors of namespaces that match none',
    { sources: [source], namespaceSelectors: [contradictory] },
    [`spec.namespaceSelectors: ${WHOLE} of a namespace match any of them`],
  ],
  [
    'an empty selector of namespaces, which stands for none',
    { sources: [source], namespaceSelectors: [{}] },
    [`spec.namespaceSelectors: ${WHOLE} of a namespace match any of them`],
  ],
  [
    'a source whose selectors exclude those of the quota',
    { sources: [source, { ...source, kind: 'Widget', selectors: [only('b')] }], scopeSelectors: [only('a')] },
    [
      'spec.sources[1] (/v1, Kind=Widget) counts nothing, because no labels match its selectors and spec.scopeSelectors',
    ],
  ],
  [
    'a source whose own selectors match none',
    { sources: [{ ...source, selectors: [contradictory] }] },
    ['spec.sources[0] (/v1, Kind=Gadget) counts nothing, because no labels match its selectors'],
  ],
  [
    'one selector of several that matches',
    {
      sources: [{ ...source, selectors: [contradictory, only('a')] }],
      scopeSelectors: [only('b'), only('a')],
      namespaceSelectors: [contradictory, only('a')],
    },
    [],
  ],
  ['no selectors', { sources: [source] }, []],
])('of %s a quota knows whether it counts nothing', (_, spec, expected) => {
  expect(compiled(spec).countsNothing).toEqual(expected)
})
