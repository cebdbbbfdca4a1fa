import '../../runtime/certificate/reflect-metadata.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { base64, config, errorOf, load, SECRET, withUser } from '../../../test/kube/kubeconfig-files.ts'
import { makeAuthority, makeServerCertificate } from '../../runtime/certificate/certificates.ts'
import type { KeyPair } from '../../runtime/certificate/check.ts'

let authority: KeyPair
let client: KeyPair
beforeAll(async () => {
  authority = await makeAuthority(Date.now())
  client = await makeServerCertificate(authority, ['client'], Date.now())
})

describe('users', () => {
  test.each([
    ['', { type: 'none' }],
    ['token: abc', { type: 'token', token: 'abc' }],
    ['username: me\npassword: "123"', { type: 'basic', username: 'me', password: '123' }],
    ['username: me', { type: 'basic', username: 'me', password: '' }],
  ])('that say %j have their credentials', (user, credentials) => {
    expect(withUser(user).credentials).toEqual(credentials)
  })

  test('with a token and a file of it use the file', () => {
    const files = { '/x/c': config({ user: 'token: old\ntokenFile: t' }), '/x/t': 'new' }
    expect(load(files, { kubeconfig: '/x/c' }).credentials).toEqual({ type: 'token-file', file: '/x/t' })
  })

  test('have client certificates from data or from files, and a token besides', () => {
    const user = `client-certificate-data: ${base64(client.certificate)}\nclient-key-data: ${base64(client.key)}\ntoken: t`
    expect(withUser(user)).toMatchObject({
      clientCertificate: { certificate: { text: client.certificate }, key: { text: client.key } },
      credentials: { type: 'token' },
    })
    const files = {
      '/x/c': config({ user: 'client-certificate: me.crt\nclient-key: /keys/me.key' }),
      '/x/me.crt': client.certificate,
      '/keys/me.key': client.key,
    }
    expect(load(files, { kubeconfig: '/x/c' }).clientCertificate).toEqual({
      certificate: { file: '/x/me.crt' },
      key: { file: '/keys/me.key' },
    })
  })

  test('act as others', () => {
    const user = `as: jane\nas-uid: u1\nas-groups: [dev, ops]\nas-user-extra:\n  example.com/scopes: [view, edit]`
    expect(withUser(user).impersonation).toEqual({
      user: 'jane',
      uid: 'u1',
      groups: ['dev', 'ops'],
      extra: { 'example.com/scopes': ['view', 'edit'] },
    })
  })

  test.each([
    ['as-groups: [dev]', '/c:13:3: users[0].user.as: as-uid, as-groups and as-user-extra need it'],
    ['as-user-extra: {a: [b]}', '/c:13:3: users[0].user.as: as-uid, as-groups and as-user-extra need it'],
    [
      `token: ${SECRET}\nusername: me`,
      '/c:15:5: users[0].user.username: there are a token and a user name; only one of them can be used',
    ],
    ['token: 1234567', '/c:14:5: users[0].user.token: it must be a string (put it in quotes)'],
    [`token: [${SECRET}]`, '/c:14:5: users[0].user.token: it must be a string (put it in quotes)'],
    ['tokenFile: gone', '/c:14:5: users[0].user.tokenFile: cannot read /gone'],
    [`client-key-data: ${base64(SECRET)}`, '/c:13:3: users[0].user.client-certificate: client-key needs a certificate'],
    [
      `client-certificate-data: ${base64(SECRET)}\nclient-key-data: ${base64(SECRET)}`,
      '/c:14:5: users[0].user.client-certificate-data: it holds no certificate in PEM',
    ],
    [
      `auth-provider: {name: gcp, config: {access-token: ${SECRET}}}`,
      '/c:14:5: users[0].user.auth-provider: the auth-provider "gcp" is not supported',
    ],
    ['exec: {command: x}', '/c:14:5: users[0].user.exec.apiVersion: it is needed'],
    [
      'exec: {apiVersion: client.authentication.k8s.io/v9, command: x}',
      '/c:14:12: users[0].user.exec.apiVersion: it must be one of client.authentication.k8s.io/v1, client.authentication.k8s.io/v1beta1, client.authentication.k8s.io/v1alpha1',
    ],
    [
      'exec: {apiVersion: client.authentication.k8s.io/v1, command: x}',
      '/c:14:5: users[0].user.exec.interactiveMode: it is needed',
    ],
    ['exec: {apiVersion: client.authentication.k8s.io/v1beta1}', '/c:14:5: users[0].user.exec.command: it is needed'],
    [
      'exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, env: [{value: x}]}',
      '/c:14:80: users[0].user.exec.env[0].name: it is needed',
    ],
    [
      'exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x, interactiveMode: Maybe}',
      '/c:14:74: users[0].user.exec.interactiveMode: it must be one of Never, IfAvailable, Always',
    ],
  ])('that say %j are refused with the place', (user, message) => {
    expect(errorOf(config({ user })).message).toBe(message)
  })

  test('whose key is not that of the certificate are refused', () => {
    const user = `client-certificate-data: ${base64(client.certificate)}\nclient-key-data: ${base64(authority.key)}`
    expect(errorOf(config({ user }))).toMatchObject({
      code: 'certificate-unusable',
      message: '/c:15:5: users[0].user.client-key-data: the key does not belong to the client certificate',
    })
  })
})
