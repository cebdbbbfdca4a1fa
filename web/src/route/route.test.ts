import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashOf, type Route, routeOf } from './route.ts'

const word = fc.string({ minLength: 1, unit: 'grapheme' })
const namespaceName = fc.stringMatching(/^[a-z0-9]{1,5}(?:-[a-z0-9]{1,5})?$/)
const route: fc.Arbitrary<Route> = fc.oneof(
  fc.constantFrom<Route>({ view: 'overview' }, { view: 'quotas' }, { view: 'pools' }, { view: 'namespaces' }),
  namespaceName.map((namespace) => ({ view: 'namespace', namespace }) as const),
  namespaceName.map((namespace) => ({ view: 'history', namespace }) as const),
  fc.constant({ view: 'no namespace', text: 'A B' } as const),
  fc.constant({ view: 'history', namespace: '' } as const),
  fc
    .tuple(namespaceName, word, word)
    .map(([namespace, kind, name]) => ({ view: 'explanation', namespace, kind, name }) as const),
)

test('an address leads to the view that it was made of', () => {
  fc.assert(
    fc.property(route, (one) => {
      expect(routeOf(hashOf(one))).toEqual(one)
    }),
  )
})

test.each([
  '#/what',
  '#/namespaces/a/b',
  '#/explain/a',
  '#/explain/a/b/',
  '#/quotas/x',
  '#/namespaces/%E0%A4%A',
  '#token=x',
])('%s leads nowhere', (hash) => expect(routeOf(hash).view).toBe('nowhere'))

test.each(['#/namespaces/A%20B', '#/history/A%20B', '#/explain/A%20B/Pod/web'])('%s names no namespace', (hash) =>
  expect(routeOf(hash)).toEqual({ view: 'no namespace', text: 'A B' }),
)

test.each(['', '#', '#/'])('"%s" is the overview', (hash) => expect(routeOf(hash).view).toBe('overview'))

test('no address makes it throw', () => {
  fc.assert(fc.property(fc.string(), (hash) => void routeOf(hash)))
})
