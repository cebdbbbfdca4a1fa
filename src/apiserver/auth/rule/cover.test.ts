import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Action } from '../request/action.ts'
import { growth } from '../../../../test/growth.ts'
import { coversPath, type PolicyRule, Role } from './policy-rule.ts'
import { EVERYTHING, TooManyRules, uncovered } from './cover.ts'
import { describeRules, parts, quotedList } from './description.ts'

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

test('missing rules are reported by resource, with their verbs together, sorted', () => {
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

test('a user whose rules cover others may do all that they allow', () => {
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

/** Upstream's way: every combination of a verb and a thing by itself. */
function covers(rule: PolicyRule, part: PolicyRule): boolean {
  const holds = (held: readonly string[], values: readonly string[]): boolean =>
    held.includes('*') || values.every((one) => held.includes(one))
  if (!holds(rule.verbs, part.verbs)) return false
  if (part.nonResourceURLs.length > 0)
    return part.nonResourceURLs.every((path) => rule.nonResourceURLs.some((pattern) => coversPath(pattern, path)))
  const isHeld = (resource: string): boolean =>
    rule.resources.includes('*') ||
    rule.resources.includes(resource) ||
    (resource.includes('/') && rule.resources.includes(`*${resource.slice(resource.indexOf('/'))}`))
  return (
    holds(rule.apiGroups, part.apiGroups) &&
    part.resources.every(isHeld) &&
    (rule.resourceNames.length === 0 ||
      (part.resourceNames.length > 0 && part.resourceNames.every((name) => rule.resourceNames.includes(name))))
  )
}

test('the uncovered rules are those that a check of every combination finds', () => {
  const asTexts = (rules: Iterable<PolicyRule>): readonly string[] => [
    ...new Set(Array.from(rules, (part) => JSON.stringify(part)).toSorted()),
  ]
  fc.assert(
    fc.property(fc.array(anyRule, { maxLength: 5 }), fc.array(anyRule, { maxLength: 3 }), (held, wanted) => {
      const missing = [...parts(wanted)].filter((part) => !held.some((one) => covers(one, part)))
      expect(asTexts(parts(uncovered(held, wanted)))).toEqual(asTexts(missing))
    }),
    { numRuns: 1000 },
  )
})

const many = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`)
const large = (count: number): PolicyRule => ({
  verbs: many(count, 'v'),
  apiGroups: many(count, 'g'),
  resources: many(count, 'r'),
  resourceNames: many(count, 'n'),
  nonResourceURLs: [],
})

test.each<[string, (count: number) => readonly PolicyRule[], (count: number) => readonly PolicyRule[]]>([
  ['nothing', () => [], (count) => [large(count)]],
  ['a part of each list', (count) => [large(count - 1)], (count) => [large(count)]],
  [
    'one verb each',
    (count) => large(count).verbs.map((verb) => ({ ...large(9), verbs: [verb] })),
    (count) => [large(count)],
  ],
  [
    'the same rules',
    (count) => many(count, 'r').map((one) => rule('get', '', one)),
    (count) => many(count, 'r').map((one) => rule('get', '', one)),
  ],
  [
    'other verbs of the same',
    (count) => many(count, 'r').map((one) => rule('get', '', one)),
    (count) => many(count, 'r').map((one) => rule('get list', '', one)),
  ],
  [
    'prefixes of paths',
    (count) => many(count, '/p').map((one) => paths('get', `${one}*`)),
    (count) => [{ ...paths('get', ''), nonResourceURLs: many(count, '/p') }],
  ],
])('rules are compared with %s in time that is linear in their length', (_, held, wanted) => {
  const run = (count: number): unknown => describeRules(uncovered(held(count), wanted(count)))
  expect(growth(run, 50, 8)).toBeLessThan(24)
})

test('a refusal names so many combinations and counts the others', () => {
  const text = describeRules(uncovered([], [large(60)]))
  expect(text.length).toBeLessThan(1_000_000)
  expect(text).toMatch(/\nand \d+ more$/)
})

test('rules that overlap in every list are refused rather than compared for ever', () => {
  const without = (list: readonly string[], at: number): readonly string[] => list.filter((_, index) => index !== at)
  const wanted = large(40)
  const held = many(40, '').flatMap((_, at) => [
    { ...wanted, verbs: without(wanted.verbs, at), apiGroups: [wanted.apiGroups[at] ?? ''] },
    { ...wanted, resources: without(wanted.resources, at), apiGroups: without(wanted.apiGroups, at) },
    { ...wanted, resources: [wanted.resources[at] ?? ''], resourceNames: without(wanted.resourceNames, at) },
  ])
  expect(() => uncovered(held, [wanted], 100_000)).toThrow(TooManyRules)
})
