import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Action } from '../request/action.ts'
import { coversPath, type PolicyRule, Role } from './policy-rule.ts'

const rule = (
  verbs: string,
  apiGroups: string,
  resources: string,
  resourceNames: readonly string[] = [],
): PolicyRule => ({
  verbs: verbs.split(','),
  apiGroups: apiGroups.split(','),
  resources: resources.split(','),
  resourceNames,
  nonResourceURLs: [],
})
const action = (verb: string, group: string, resource: string, name = ''): Action => {
  const [main = '', subresource = ''] = resource.split('/')
  return { type: 'resource', verb, group, resource: main, subresource, namespace: 'n', name }
}

test.each<[PolicyRule, Action, boolean]>([
  [rule('get,list', '', 'pods'), action('list', '', 'pods'), true],
  [rule('get', '', 'pods'), action('list', '', 'pods'), false],
  [rule('get', '', 'pods'), action('get', 'apps', 'pods'), false],
  [rule('*', '', 'pods'), action('dance', '', 'pods'), true],
  [rule('get', '*', 'pods'), action('get', 'apps', 'pods'), true],
  [rule('get', '', '*'), action('get', '', 'pods/log'), true],
  [rule('get', '', 'pods'), action('get', '', 'pods/log'), false],
  [rule('get', '', 'pods/log'), action('get', '', 'pods/log'), true],
  [rule('get', '', 'pods/log'), action('get', '', 'pods'), false],
  [rule('get', '', '*/log'), action('get', '', 'pods/log'), true],
  [rule('get', '', '*/log'), action('get', '', 'pods/exec'), false],
  [rule('get', '', 'pods/*'), action('get', '', 'pods/log'), false],
  [rule('get', '', 'po*'), action('get', '', 'pods'), false],
  [rule('get', '', 'pods', ['a']), action('get', '', 'pods', 'a'), true],
  [rule('get', '', 'pods', ['a']), action('get', '', 'pods', 'b'), false],
  [rule('get', '', 'pods', ['a']), action('get', '', 'pods'), false],
  [rule('get a', '', 'pods'), action('get', 'a ', 'pods'), false],
])('%j and %j: %s', (held, asked, allowed) => {
  expect(new Role([held]).allows(asked)).toBe(allowed)
})

test.each([
  ['/a', '/a', true],
  ['/a', '/a/b', false],
  ['/a*', '/a/b', true],
  ['/a/*', '/a', false],
  ['*', '/x', true],
  ['/*/b', '/a/b', false],
])('the pattern %s and the path %s: %s', (pattern, path, covered) => {
  expect(coversPath(pattern, path)).toBe(covered)
})

test('a rule with very many names costs as much as another, and means the same', () => {
  const many = Array.from({ length: 300 }, (_, i) => `x${i}`)
  const role = new Role([{ verbs: many, apiGroups: many, resources: many, resourceNames: [], nonResourceURLs: [] }])
  expect([role.allows(action('x1', 'x2', 'x299')), role.allows(action('x1', 'x2', 'x300'))]).toEqual([true, false])
})

test('a role allows what one of its rules allows', () => {
  const part = (...texts: string[]): fc.Arbitrary<string> =>
    fc.subarray(texts, { minLength: 1 }).map((list) => list.join(','))
  const anyRule = fc
    .tuple(part('get', 'list', '*'), part('', 'a', '*'), part('x', 'x/s', '*/s', '*'))
    .map(([verbs, groups, resources]) => rule(verbs, groups, resources))
  const anyAction = fc
    .tuple(
      fc.constantFrom('get', 'list', 'watch'),
      fc.constantFrom('', 'a', 'b'),
      fc.constantFrom('x', 'x/s', 'y', 'y/s'),
    )
    .map(([verb, group, resource]) => action(verb, group, resource))
  fc.assert(
    fc.property(
      fc.array(anyRule, { maxLength: 4 }),
      anyAction,
      (rules, asked) => new Role(rules).allows(asked) === rules.some((one) => new Role([one]).allows(asked)),
    ),
  )
})
