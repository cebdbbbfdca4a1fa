import { expect, test } from 'vitest'
import { type CalculatedResource, calculationRules, EXEMPT_NAMESPACES } from './calculation-rules.ts'

const counted = (
  resource: string,
  { group = '', version = 'v1', namespaced = true, subresources = [] as readonly string[] } = {},
  ...namespaces: readonly string[]
): CalculatedResource => ({
  resource: { group, version, resource, namespaced, subresources },
  namespaces: namespaces.length === 0 ? undefined : new Set(namespaces),
})
const rules = (...all: readonly CalculatedResource[]) =>
  calculationRules(all, new Set([...EXEMPT_NAMESPACES, 'allot-system']))

test('each counted resource has a rule for its version, with the subresources that can change what it costs', () => {
  const subresources = ['status', 'resize', 'log', 'scale', 'exec', 'ephemeralcontainers']
  expect(
    rules(counted('pods', { subresources }, 'a'), counted('widgets', { group: 'x.io', version: 'v2' }, 'b')),
  ).toEqual([
    {
      name: 'calculation.custom-quotas.validating.projectcapsule.dev',
      path: '/custom-quotas/calculations',
      rules: [
        {
          groups: [''],
          versions: ['v1'],
          resources: ['pods', 'pods/ephemeralcontainers', 'pods/resize', 'pods/scale'],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
        {
          groups: ['x.io'],
          versions: ['v2'],
          resources: ['widgets'],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
      namespaces: { only: ['a', 'b'] },
    },
  ])
})

test('a resource that is counted in two versions stands in two webhooks, so that no quota reads the version of another', () => {
  const two = rules(counted('widgets', { version: 'v1' }, 'a'), counted('widgets', { version: 'v2' }, 'b'))
  expect(two.map(({ name, path, rules: [rule], namespaces }) => [name, path, rule?.versions, namespaces])).toEqual([
    ['calculation.custom-quotas.validating.projectcapsule.dev', '/custom-quotas/calculations', ['v1'], { only: ['a'] }],
    [
      'v2.calculation.custom-quotas.validating.projectcapsule.dev',
      '/custom-quotas/calculations/2',
      ['v2'],
      { only: ['b'] },
    ],
  ])
})

test('the same quotas give the same rules in whatever order they are known', () => {
  const all = [counted('pods', {}, 'a'), counted('secrets', {}, 'b'), counted('widgets', { group: 'x.io' })]
  expect(rules(...all.toReversed())).toEqual(rules(...all))
})

const EXCEPT = { except: ['kube-system', 'kube-node-lease', 'allot-system'] }

test.each([
  ['counted everywhere', [counted('pods')], EXCEPT],
  ['counted in exempt namespaces only', [counted('pods', {}, 'kube-system')], EXCEPT],
  [
    'counted in very many namespaces',
    [counted('pods', {}, ...Array.from({ length: 101 }, (_, at) => `n${at}`))],
    EXCEPT,
  ],
  ['outside namespaces', [counted('nodes', { namespaced: false }), counted('pods', {}, 'a')], { only: ['a'] }],
  ['namespaces themselves', [counted('namespaces', { namespaced: false }), counted('pods', {}, 'a')], EXCEPT],
] as const)('of objects that are %s, those are asked about that a quota counts', (_, all, namespaces) => {
  expect(rules(...all).map((rule) => rule.namespaces)).toEqual([namespaces])
})

test('requests that keep nodes alive, report or are never stored are not sent to the webhook', () => {
  expect(
    rules(
      counted('leases', { group: 'coordination.k8s.io' }),
      counted('events'),
      counted('events', { group: 'events.k8s.io' }),
      counted('tokenreviews', { group: 'authentication.k8s.io', namespaced: false }),
      counted('subjectaccessreviews', { group: 'authorization.k8s.io', namespaced: false }),
      counted('quantityledgers', { group: 'capsule.clastix.io', version: 'v1beta2' }),
    ),
  ).toEqual([])
})
