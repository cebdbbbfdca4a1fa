import { expect, test } from 'vitest'
import type { Action } from '../../auth/request/action.ts'
import { requestTimeout } from './timeout.ts'

const resource = (verb: string, subresource = ''): Action => ({
  type: 'resource',
  verb,
  subresource,
  group: '',
  resource: 'pods',
  namespace: 'a',
  name: 'b',
})
const path: Action = { type: 'path', verb: 'get', path: '/version' }
const timeoutOf = (action: Action, timeout?: string) => {
  const query = new URLSearchParams(timeout === undefined ? {} : { timeout })
  return requestTimeout({ search: query.toString(), query }, action)
}

test.each([
  ...['get', 'list', 'deletecollection'].map((verb) => [verb, resource(verb), 60_000] as const),
  ...['create', 'update', 'patch', 'delete'].map((verb) => [verb, resource(verb), 34_000] as const),
  ['a path', path, 60_000] as const,
])('%s may take as long as upstream, and a client can only ask for less', (_what, action, longest) => {
  expect(timeoutOf(action)?.ms).toBe(longest)
  expect(timeoutOf(action, '')?.ms).toBe(longest)
  expect(timeoutOf(action, '1.5s')?.ms).toBe(1500)
  expect(timeoutOf(action, '2h')?.ms).toBe(longest)
  // Neither asks for anything.
  expect(timeoutOf(action, '0s')?.ms).toBe(longest)
  expect(timeoutOf(action, '-1s')?.ms).toBe(longest)
})

test.each([
  ['watch', resource('watch')] as const,
  ...['log', 'exec', 'attach', 'portforward', 'proxy'].map((sub) => [sub, resource('get', sub)] as const),
])('%s may last, whatever its timeout says', (_what, action) => {
  expect(timeoutOf(action)).toBeUndefined()
  expect(timeoutOf(action, 'nonsense')).toBeUndefined()
})

test('a timeout that is not a duration is refused', () => {
  const ask = (timeout: string) => () => timeoutOf(resource('get'), timeout)
  const prefix = 'invalid timeout specified in the request URL - '
  expect(ask('abc')).toThrow(`${prefix}time: invalid duration "abc"`)
  expect(ask('5')).toThrow(`${prefix}time: missing unit in duration "5"`)
  expect(ask('5x')).toThrow(`${prefix}time: unknown unit "x" in duration "5x"`)
})
