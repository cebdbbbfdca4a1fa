import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeToken, encodeToken } from './continue-token.ts'

const name = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/^\.{1,2}$|[/\0]/.test(text))

test('a token gives back what it was made of, and needs no escaping in a URL', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), name, (revision, after) => {
      const text = encodeToken({ revision, after })
      expect(text).toMatch(/^[\w-]+$/)
      expect(decodeToken(text)).toEqual({ revision, after })
    }),
    { numRuns: 200 },
  )
})

test('a token without a revision goes on from the present', () => {
  expect(decodeToken(encodeToken({ revision: undefined, after: 'a' }))).toEqual({ revision: undefined, after: 'a' })
})

const made = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

test('it is the token of a real API server', () => {
  expect(decodeToken(made({ v: 'meta.k8s.io/v1', rv: 5, start: 'a\0' }))).toEqual({ revision: 5, after: 'a' })
})

test.each([
  ['x', 'illegal base64 data at input byte 1'],
  ['!!!', 'illegal base64 data at input byte 0'],
  [Buffer.from('no').toString('base64url'), "invalid character 'o' in literal null (expecting 'u')"],
  [made([]), 'json: cannot unmarshal array into Go value of type storage.continueToken'],
  [made(null), 'server does not recognize this encoded version ""'],
  [made({}), 'server does not recognize this encoded version ""'],
  [made({ v: 1 }), 'json: cannot unmarshal number into Go struct field continueToken.v of type string'],
  [made({ v: 'meta.k8s.io/v2', rv: 1, start: 'a' }), 'server does not recognize this encoded version "meta.k8s.io/v2"'],
  [made({ v: 'meta.k8s.io/v1', start: 'a' }), 'incorrect encoded start resourceVersion (version meta.k8s.io/v1)'],
  [made({ v: 'meta.k8s.io/v1', rv: 1 }), 'encoded start key empty (version meta.k8s.io/v1)'],
  [made({ v: 'meta.k8s.io/v1', rv: 1, start: '../a' }), '../a'],
])('%s is an invalid token', (text, why) => {
  expect(() => decodeToken(text)).toThrow(`invalid continue token: continue key is not valid: ${why}`)
})
