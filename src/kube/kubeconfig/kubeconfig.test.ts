import '../../runtime/certificate/reflect-metadata.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { config, errorOf, load, SECRET, withUser } from '../../../test/kube/kubeconfig-files.ts'
import { makeAuthority } from '../../runtime/certificate/certificates.ts'
import type { KeyPair } from '../../runtime/certificate/check.ts'

let authority: KeyPair
beforeAll(async () => {
  authority = await makeAuthority(Date.now())
})

describe('where the kubeconfig is found', () => {
  const at = (server: string): string => config({ cluster: `server: ${server}` })
  const all = {
    '/flag': at('https://flag'),
    '/env': at('https://env'),
    '/home/me/.kube/config': at('https://home'),
    '/var/run/secrets/kubernetes.io/serviceaccount/token': 'pod-token',
    '/var/run/secrets/kubernetes.io/serviceaccount/namespace': 'pods\n',
    '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt': 'authority',
  }
  const pod = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' }

  test.each([
    ['--kubeconfig counts first', { kubeconfig: '/flag', environment: { ...pod, KUBECONFIG: '/env' } }, 'https://flag'],
    ['then $KUBECONFIG', { environment: { ...pod, KUBECONFIG: '/env' } }, 'https://env'],
    ['then the cluster that the process runs in', { environment: pod }, 'https://10.0.0.1:443'],
    ['then the file in the home folder', {}, 'https://home'],
    ['an empty $KUBECONFIG does not count', { environment: { KUBECONFIG: '' } }, 'https://home'],
    ['an empty --kubeconfig does not count', { kubeconfig: '', environment: { KUBECONFIG: '/env' } }, 'https://env'],
    ['a context is not looked for in a pod', { context: 'dev', environment: pod }, 'https://home'],
  ])('%s', (_, options, server) => {
    expect(load(all, options).server).toBe(server)
  })

  test('a pod uses its service account, read again as it is renewed', () => {
    expect(load(all, { environment: pod })).toEqual({
      source: 'the service account of this pod',
      server: 'https://10.0.0.1:443',
      namespace: 'pods',
      insecureSkipTlsVerify: false,
      authority: { file: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt' },
      credentials: { type: 'token-file', file: '/var/run/secrets/kubernetes.io/serviceaccount/token' },
    })
  })

  test('an IPv6 address of the service is put in brackets', () => {
    const environment = { ...pod, KUBERNETES_SERVICE_HOST: 'fd00::1' }
    expect(load(all, { environment }).server).toBe('https://[fd00::1]:443')
  })

  test('a process with the variables but without a token runs in no pod', () => {
    const { '/home/me/.kube/config': own } = all
    expect(load({ '/home/me/.kube/config': own }, { environment: pod }).server).toBe('https://home')
  })

  test.each([
    [
      '--kubeconfig',
      { kubeconfig: '/gone' },
      'file-missing',
      'cannot read /gone (from --kubeconfig): it does not exist',
    ],
    [
      '$KUBECONFIG',
      { environment: { KUBECONFIG: '/a:/b' } },
      'file-missing',
      '$KUBECONFIG names no file that exists: /a, /b',
    ],
    [
      'nothing',
      {},
      'no-cluster',
      'no API server is known: there is no /home/me/.kube/config, and this process does not run in a pod',
    ],
  ])('a missing file is reported (%s)', (_, options, code, message) => {
    expect(errorOf({}, options)).toMatchObject({ code, message })
  })

  test('a file that may not be read is reported', () => {
    const readText = (): never => {
      throw Object.assign(new Error('denied'), { code: 'EACCES' })
    }
    const environment = { KUBECONFIG: '/a' }
    expect(errorOf({}, { environment, readText }).message).toBe(
      'cannot read /a (from $KUBECONFIG): this user may not do that',
    )
  })
})

describe('several files', () => {
  const first = `
current-context: one
contexts: [{name: one, context: {cluster: shared, user: u}}]
clusters: [{name: shared, cluster: {server: "https://first"}}]
users: [{name: u, user: {token: first}}]`
  const second = `
current-context: two
contexts: [{name: two, context: {cluster: other, user: u, namespace: second}}, {name: one, context: {cluster: other}}]
clusters: [{name: shared, cluster: {server: "https://second", tls-server-name: second}}, {name: other, cluster: {server: "https://other"}}]
users: [{name: u, user: {username: second}}]`
  const both = { '/a': first, '/b/c': second }
  const environment = { KUBECONFIG: '/a:/missing::/b/c:/a' }

  test('are merged: the first one that has a name has it alone', () => {
    expect(load(both, { environment })).toMatchObject({ server: 'https://first', credentials: { token: 'first' } })
    expect(load(both, { environment }).tlsServerName).toBeUndefined()
  })

  test('give contexts, clusters and users to each other', () => {
    expect(load(both, { environment, context: 'two' })).toMatchObject({
      server: 'https://other',
      namespace: 'second',
      credentials: { type: 'token', token: 'first' },
      source: '/a, /b/c, context "two"',
    })
  })

  test('in another order give another current context', () => {
    expect(load(both, { environment: { KUBECONFIG: '/b/c:/a' } })).toMatchObject({ namespace: 'second' })
  })

  test('may be empty', () => {
    expect(load({ ...both, '/e': '' }, { environment: { KUBECONFIG: '/e:/a' } }).server).toBe('https://first')
  })

  test('resolve relative paths each from their own folder', () => {
    const files = {
      '/a/config': 'current-context: x\ncontexts: [{name: x, context: {cluster: c, user: u}}]',
      '/b/config': 'clusters: [{name: c, cluster: {server: "https://c", certificate-authority: pki/ca.crt}}]',
      '/d/config': 'users: [{name: u, user: {tokenFile: ../token}}]',
      '/b/pki/ca.crt': authority.certificate,
      '/token': 'token',
    }
    expect(load(files, { environment: { KUBECONFIG: '/a/config:/b/config:/d/config' } })).toMatchObject({
      authority: { file: '/b/pki/ca.crt' },
      credentials: { type: 'token-file', file: '/token' },
    })
  })
})

describe('contexts', () => {
  test('another than the current one can be asked for', () => {
    const more = `preferences: {}\n`
    const two = config({ more }).replace(
      'contexts:',
      'contexts:\n- name: prod\n  context: {cluster: main, namespace: p}',
    )
    expect(load({ '/c': two }, { kubeconfig: '/c', context: 'prod' })).toMatchObject({
      namespace: 'p',
      credentials: { type: 'none' },
    })
  })

  test('have the namespace default', () => {
    expect(withUser('').namespace).toBe('default')
  })

  test.each([
    ['that does not exist', config(), { context: 'prod' }, '/c: there is no context "prod"; there are: dev'],
    [
      'that is not chosen',
      config().replace('current-context: dev', ''),
      {},
      '/c: no current-context is set; there are: dev',
    ],
    ['in an empty file', '{}', {}, '/c: no current-context is set and no context at all'],
  ])('one %s is reported with the existing ones', (_, text, options, message) => {
    expect(errorOf(text, { kubeconfig: '/c', ...options })).toMatchObject({ code: 'no-context', message })
  })

  test.each([
    [
      'cluster',
      config().replace('cluster: main', 'cluster: gone'),
      '/c:6:13: contexts[0].context.cluster: there is no cluster "gone"',
    ],
    ['user', config().replace('user: me', 'user: gone'), '/c:6:28: contexts[0].context.user: there is no user "gone"'],
  ])('one whose %s does not exist is reported with its place', (_, text, message) => {
    expect(errorOf(text).message).toBe(message)
  })

  test('that are broken do not matter while they are not used', () => {
    const more = `- name: broken\n  user: {token: [1]}`
    expect(load({ '/c': config({ more }) }, { kubeconfig: '/c' }).server).toBe('https://host:6443')
  })

  test('of one name twice in a file are refused', () => {
    const text = config().replace('clusters:', '- name: dev\n  context: {cluster: main}\nclusters:')
    expect(errorOf(text).message).toBe('/c:7:3: contexts[1].name: the name "dev" is used twice')
  })
})

describe('an invalid kubeconfig is reported with the place of the error', () => {
  test.each([
    ['a: [', '/c:1:5: this is not YAML: '],
    [`users:\n- user:\n    token: "${SECRET}\n  x`, '/c:'],
    [`token: *${SECRET}`, '/c:1:1: this is not YAML: unknown anchor … referenced'],
    ['[1]', '/c:1:1: invalid kubeconfig: it must be a map'],
    ['kind: Pod', '/c:1:1: kind: invalid kubeconfig: its kind must be Config'],
    ['current-context: x\ncontexts: {}', '/c:2:1: contexts: it must be a list'],
    ['current-context: [x]', '/c:1:1: current-context: it must be a string (put it in quotes)'],
    ['current-context: x\ncontexts: [x]', '/c:2:12: contexts[0]: it must be a map'],
  ])('%j', (text, start) => {
    expect(errorOf(text).message.slice(0, start.length)).toBe(start)
  })

  test('a JSON file is one too', () => {
    const text = JSON.stringify({
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'c' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://json' } }],
    })
    expect(load({ '/c': text }, { kubeconfig: '/c' }).server).toBe('https://json')
  })
})
