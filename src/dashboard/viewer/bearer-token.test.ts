import { expect, test } from 'vitest'
import { bearerToken } from './bearer-token.ts'

test.each([
  ['Bearer abc.def-_~+/==', 'abc.def-_~+/=='],
  ['bearer   abc', 'abc'],
  [undefined, undefined],
  ['', undefined],
  ['Bearer', undefined],
  ['Bearer ', undefined],
  ['Bearer a b', undefined],
  ['Bearer a, Bearer b', undefined],
  ['Bearer ä', undefined],
  ['Bearer a\u0000', undefined],
  ['Basic YTpi', undefined],
  [`Bearer ${'a'.repeat(16_400)}`, undefined],
])('the token in %j is %j', (authorization, token) => {
  expect(bearerToken(authorization)).toBe(token)
})
