import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Action } from './action.ts'
import { type PolicyRule, Role } from './policy-rule.ts'
import { describeRules, EVERYTHING, quotedList, uncovered } from './rule-cover.ts'

const rule = (verbs: string, apiGroups: string, resources: string, resourceNames = ''): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: apiGroups.split(' '),
  resources: resources.split(' '),
  resourceNames: resourceNames === '' ? [] : resourceNames.split(' '),
  nonResourceURLs: [],
})
const paths = (verbs: string, nonResourceURLs: string): PolicyRule => ({
  verbs: verbs.split(' '),
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: nonResourceURLs.split(' '),
})

test.each<[string, readonly PolicyRule[], readonly PolicyRule[], boolean]>([
  ['everything covers everything', EVERYTHING, EVERYTHING, true],
  ['nothing covers nothing', [], [], true],
  ['nothing covers no rule', [], [rule('get', '', 'pods')], false],
  [
    'several rules together cover one',
    [rule('get', '', 'pods'), rule('list', '', 'pods')],
    [rule('get list', '', 'pods')],
    true,
  ],
  ['a star is not covered by what is known today', [rule('get list', '', 'pods')], [rule('*', '', 'pods')], false],
  ['all names cover one name', [rule('get', '', 'pods')], [rule('get', '', 'pods', 'a')], true],
  ['one name does not cover all names', [rule('get', '', 'pods', 'a')], [rule('get', '', 'pods')], false],
  ['some names cover those names', [rule('get', '', 'pods', 'a b')], [rule('get', '', 'pods', 'b')], true],
  ['another name is not covered', [rule('get', '', 'pods', 'a')], [rule('get', '', 'pods', 'a b')], false],
  ['a subresource of all covers that of one', [rule('get', '', '*/scale')], [rule('get', '', 'pods/scale')], true],
  ['a resource does not cover its subresources', [rule('get', '', 'pods')], [rule('get', '', 'pods/log')], false],
  ['a prefix covers a path', [paths('get', '/healthz/*')], [paths('get', '/healthz/ping')], true],
  ['a prefix covers a longer prefix', [paths('get', '/a*')], [paths('get', '/a/b*')], true],
  ['a longer prefix does not cover a shorter one', [paths('get', '/a/b*')], [paths('get', '/a*')], false],
  ['resources do not cover paths', [rule('*', '*', '*')], [paths('get', '/metrics')], false],
  ['paths do not cover resources', [paths('*', '*')], [rule('get', '', 'pods')], false],
])('%s', (_, held, wanted, covered) => {
  expect(uncovered(held, wanted).length === 0).toBe(covered)
})

test('what is missing is told by resource, with its verbs together, sorted', () => {
  const missing = uncovered(
    [rule('get', '', 'pods')],
    [rule('get list watch', ' apps', 'pods deployments'), paths('get', '/metrics'), rule('get', '', 'secrets', 'a b')],
  )
  expect(describeRules(missing)).toBe(
    [
      '{APIGroups:[""], Resources:["deployments"], Verbs:["get" "list" "watch"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["secrets"], ResourceNames:["b"], Verbs:["get"]}',
      '{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list" "watch"]}',
      '{APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list" "watch"]}',
      '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
    ].join('\n'),
  )
})

test('lists of texts are printed as Go prints them', () => {
  expect([quotedList([]), quotedList(['a', 'b "c"'])]).toEqual(['[]', '["a" "b \\"c\\""]'])
})

const some = (...texts: string[]): fc.Arbitrary<string[]> => fc.subarray(texts, { minLength: 1 })
const anyRule: fc.Arbitrary<PolicyRule> = fc.oneof(
  fc.record({
    verbs: some('get', 'list', '*'),
    apiGroups: some('', 'apps', '*'),
    resources: some('pods', 'pods/log', '*/log', '*'),
    resourceNames: fc.subarray(['a', 'b']),
    nonResourceURLs: fc.constant([]),
  }),
  fc.record({
    verbs: some('get', '*'),
    apiGroups: fc.constant([]),
    resources: fc.constant([]),
    resourceNames: fc.constant([]),
    nonResourceURLs: some('/a', '/a/b', '/a*', '/a/*', '*'),
  }),
)
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  fc.record({
    type: fc.constant('resource' as const),
    verb: fc.constantFrom('get', 'list', 'delete'),
    group: fc.constantFrom('', 'apps', 'batch'),
    resource: fc.constantFrom('pods', 'jobs'),
    subresource: fc.constantFrom('', 'log', 'scale'),
    namespace: fc.constant(''),
    name: fc.constantFrom('', 'a', 'c'),
  }),
  fc.record({
    type: fc.constant('path' as const),
    verb: fc.constantFrom('get', 'post'),
    path: fc.constantFrom('/a', '/a/b', '/a/b/c', '/b'),
  }),
)

test('whoever covers rules may do all that they allow', () => {
  fc.assert(
    fc.property(
      fc.array(anyRule, { maxLength: 4 }),
      fc.array(anyRule, { maxLength: 2 }),
      anyAction,
      (held, wanted, action) => {
        fc.pre(uncovered(held, wanted).length === 0 && new Role(wanted).allows(action))
        expect(new Role(held).allows(action)).toBe(true)
      },
    ),
    { numRuns: 500, maxSkipsPerRun: 1000 },
  )
})

test('rules cover themselves', () => {
  fc.assert(fc.property(fc.array(anyRule, { maxLength: 4 }), (rules) => uncovered(rules, rules).length === 0))
})
