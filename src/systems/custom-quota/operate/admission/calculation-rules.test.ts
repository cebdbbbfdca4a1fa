import { expect, test } from 'vitest'
import { type CalculatedResource, calculationRules } from './calculation-rules.ts'

const counted = (
  resource: string,
  { group = '', version = 'v1', namespaced = true, subresources = [] as readonly string[] } = {},
  ...namespaces: readonly string[]
): CalculatedResource => ({
  resource: { group, version, resource, namespaced, subresources },
  namespaces: new Set(namespaces.length === 0 ? ['*'] : namespaces),
})
const rules = (...all: readonly CalculatedResource[]) => calculationRules(all, new Set(['kube-system', 'allot-system']))

test('each counted resource has a rule for its version, with the subresources that can change what it costs', () => {
  const subresources = ['status', 'resize', 'log', 'scale', 'exec', 'ephemeralcontainers']
  expect(
    rules(counted('pods', { subresources }, 'a'), counted('widgets', { group: 'x.io', version: 'v2' }, 'b')),
  ).toEqual([
    {
      key: '/v1/pods',
      rules: [
        {
          groups: [''],
          versions: ['v1'],
          resources: ['pods', 'pods/ephemeralcontainers', 'pods/resize', 'pods/scale'],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
      namespaces: new Set(['a']),
    },
    {
      key: 'x.io/v2/widgets',
      rules: [
        {
          groups: ['x.io'],
          versions: ['v2'],
          resources: ['widgets'],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
      namespaces: new Set(['b']),
    },
  ])
})

test('the same quotas give the same rules in whatever order they are known', () => {
  const all = [counted('pods', {}, 'a'), counted('secrets', {}, 'b'), counted('widgets', { group: 'x.io' })]
  expect(rules(...all.toReversed())).toEqual(rules(...all))
})

const selector = JSON.stringify({ matchLabels: { a: 'b' } })

test.each([
  ['everywhere', counted('pods'), ['*']],
  ['in namespaces, of which some are exempt', counted('pods', {}, 'kube-system', 'a'), ['a']],
  ['in exempt namespaces only', counted('pods', {}, 'kube-system'), undefined],
  ['outside namespaces', counted('nodes', { namespaced: false }), ['*']],
  [
    'outside namespaces, by a quota that selects namespaces',
    counted('nodes', { namespaced: false }, selector),
    undefined,
  ],
] as const)(
  'objects that are counted %s are asked about where something is counted and not exempt [security/exempt-namespaces]',
  (_, one, namespaces) => {
    expect(rules(one).map((rule) => [...rule.namespaces])).toEqual(namespaces === undefined ? [] : [namespaces])
  },
)

test('requests that keep nodes alive, report or are never stored are not sent to the webhook [security/exempt-namespaces]', () => {
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
