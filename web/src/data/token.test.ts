import fc from 'fast-check'
import { expect, test } from 'vitest'
import { namespaceOfUser, tokenIn, userIn } from './token.ts'

const jwtOf = (claims: unknown): string =>
  `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2lnbmF0dXJl`

test('finds the token in the address, and nothing in other addresses', () => {
  expect(tokenIn('#token=abc.def')).toBe('abc.def')
  expect(tokenIn('#token=a%2Bb')).toBe('a+b')
  for (const hash of ['', '#/', '#token=', '#/explain/token=x/a/b', '#token=%E0%A4%A'])
    expect(tokenIn(hash), hash).toBeUndefined()
})

test('reads the user and the namespace that a token of a ServiceAccount names', () => {
  const user = userIn(jwtOf({ sub: 'system:serviceaccount:shop:owner' }))
  expect(user).toBe('system:serviceaccount:shop:owner')
  expect(namespaceOfUser(user)).toBe('shop')
  expect(namespaceOfUser(userIn(jwtOf({ sub: 'Zoë' })))).toBeUndefined()
  expect(userIn(jwtOf({ sub: 'Zoë' }))).toBe('Zoë')
})

test('no token makes it throw', () => {
  fc.assert(fc.property(fc.string(), (text) => void userIn(text)))
  fc.assert(fc.property(fc.jsonValue(), (claims) => void userIn(jwtOf(claims))))
})
