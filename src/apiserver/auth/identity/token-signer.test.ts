import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { TokenSigner } from './token-signer.ts'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
const signer = new TokenSigner(key)
const token = signer.sign({ sub: 'robot', exp: 5 })
const [header = '', claims = '', signature = ''] = token.split('.')
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a signer with the same key knows the token', () => {
  expect(new TokenSigner(key).verify(token)).toEqual({ sub: 'robot', exp: 5 })
})

test('a signer with another key does not', () => {
  expect(new TokenSigner().verify(token)).toBeUndefined()
})

test('the header names the algorithm and the key', () => {
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
    alg: 'ES256',
    kid: expect.stringMatching(/^[\w-]{43}$/),
  })
})

test.each([
  ['other claims', `${header}.${encoded({ sub: 'admin' })}.${signature}`],
  ['no signature', `${header}.${claims}.`],
  ['no algorithm', `${encoded({ alg: 'none' })}.${claims}.`],
  ['two parts', `${header}.${claims}`],
  ['four parts', `${token}.${signature}`],
  ['another spelling of the signature', `${token}=`],
  [
    'another header that is well signed',
    (() => {
      const content = `${encoded({ alg: 'ES256' })}.${claims}`
      return `${content}.${sign('sha256', Buffer.from(content), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
    })(),
  ],
  ['nothing', ''],
])('a token with %s is invalid', (_, forged) => {
  expect(signer.verify(forged)).toBeUndefined()
})
