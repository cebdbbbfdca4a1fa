import { expect, test } from 'vitest'
import { growth } from '../../../../test/growth.ts'
import { impersonation, wantsImpersonation } from './impersonation.ts'

const raw = (headers: Readonly<Record<string, string | readonly string[]>>): readonly string[] =>
  Object.entries(headers).flatMap(([name, values]) =>
    typeof values === 'string' ? [name, values] : values.flatMap((value) => [name, value]),
  )

test('only headers that begin with Impersonate- ask for it', () => {
  expect(wantsImpersonation({ authorization: 'x', 'x-remote-user': 'y' })).toBe(false)
  expect(wantsImpersonation({ 'impersonate-group': 'x' })).toBe(true)
})

test('a user is in the group of all authenticated users', () => {
  expect(impersonation(raw({ 'Impersonate-User': 'jane' })).caller).toEqual({
    name: 'jane',
    groups: ['system:authenticated'],
  })
})

test('groups are taken one by one, commas and all', () => {
  expect(impersonation(raw({ 'Impersonate-User': 'jane', 'Impersonate-Group': ['a, b', 'c'] })).caller.groups).toEqual([
    'a, b',
    'c',
    'system:authenticated',
  ])
})

test('a request that impersonates system:anonymous is unauthenticated', () => {
  expect(impersonation(raw({ 'Impersonate-User': 'system:anonymous' })).caller.groups).toEqual([
    'system:unauthenticated',
  ])
  expect(
    impersonation(raw({ 'Impersonate-User': 'x', 'Impersonate-Group': 'system:unauthenticated' })).caller.groups,
  ).toEqual(['system:unauthenticated'])
})

test('a service account comes with its groups unless others are asked for', () => {
  const user = { 'Impersonate-User': 'system:serviceaccount:shop:robot' }
  expect(impersonation(raw(user)).caller.groups).toEqual([
    'system:serviceaccounts',
    'system:serviceaccounts:shop',
    'system:authenticated',
  ])
  expect(impersonation(raw({ ...user, 'Impersonate-Group': 'g' })).caller.groups).toEqual(['g', 'system:authenticated'])
})

test('each part needs a permission of its own', () => {
  const { caller, demands } = impersonation(
    raw({
      'Impersonate-User': 'jane',
      'Impersonate-Group': 'dev',
      'Impersonate-Uid': '42',
      'Impersonate-Extra-acme.com%2FScopes': ['a', 'b'],
    }),
  )
  expect(caller).toMatchObject({ uid: '42', extra: { 'acme.com/scopes': ['a', 'b'] } })
  expect(
    demands.map(({ verb, group, resource, subresource, namespace, name }) =>
      [verb, group, resource, subresource, namespace, name].join('|'),
    ),
  ).toEqual([
    'impersonate||users|||jane',
    'impersonate||groups|||dev',
    'impersonate|authentication.k8s.io|userextras|acme.com/scopes||a',
    'impersonate|authentication.k8s.io|userextras|acme.com/scopes||b',
    'impersonate|authentication.k8s.io|uids|||42',
  ])
})

test('a service account is asked for in its namespace', () => {
  expect(impersonation(raw({ 'Impersonate-User': 'system:serviceaccount:shop:robot' })).demands).toEqual([
    {
      type: 'resource',
      verb: 'impersonate',
      group: '',
      resource: 'serviceaccounts',
      subresource: '',
      namespace: 'shop',
      name: 'robot',
    },
  ])
})

test('names are UTF-8', () => {
  const bytes = Buffer.from('zoë').toString('latin1')
  expect(impersonation(['Impersonate-User', bytes]).caller.name).toBe('zoë')
  expect(impersonation(['Impersonate-User', 'zo\xeb']).caller.name).toBe('zo\xeb')
})

test.each([
  [{ 'Impersonate-Group': 'x' }],
  [{ 'Impersonate-User': '', 'Impersonate-Uid': '1' }],
  [{ 'Impersonate-User': '' }],
  [{ 'Impersonate-User': ['a', 'b'] }],
  [{ 'Impersonate-User': 'a', 'Impersonate-Colour': 'blue' }],
])('%j is refused', (headers: Readonly<Record<string, string | readonly string[]>>) => {
  expect(() => impersonation(raw(headers))).toThrow(
    expect.objectContaining({ status: expect.objectContaining({ code: 400 }) }),
  )
})

test('many headers cost work in proportion to their number, of one name or of many', () => {
  const same = (count: number): unknown =>
    impersonation(['Impersonate-User', 'a', ...raw({ 'Impersonate-Extra-x': Array(count).fill('y') as string[] })])
  const different = (count: number): unknown =>
    impersonation([
      'Impersonate-User',
      'a',
      ...Array.from({ length: count }, (_, n) => [`Impersonate-Extra-${n}`, 'y']).flat(),
    ])
  expect(growth(same, 2000, 8)).toBeLessThan(32)
  expect(growth(different, 2000, 8)).toBeLessThan(32)
})
