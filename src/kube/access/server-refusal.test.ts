import { expect, test } from 'vitest'
import { failure, forbidden, unauthorized } from '../../machinery/status.ts'
import type { ClusterAccess, Credentials } from './cluster-access.ts'
import { refusalBy } from './server-refusal.ts'

const SOURCE = '/home/me/.kube/config, context "dev"'
const access = (credentials: Credentials, more: Partial<ClusterAccess> = {}): ClusterAccess => ({
  source: SOURCE,
  server: 'https://10.0.0.1:6443',
  namespace: 'default',
  insecureSkipTlsVerify: false,
  credentials,
  ...more,
})
const PEM = { text: 'secret' }
const plugin = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'cloud-login',
  args: ['secret'],
  env: [{ name: 'KEY', value: 'secret' }],
  interactiveMode: 'Never',
  provideClusterInfo: false,
  installHint: '',
} as const

test.each([
  ['a token', access({ type: 'token', token: 'secret' }), `the token of ${SOURCE}`, 'get a new one'],
  [
    'a token in a file',
    access({ type: 'token-file', file: '/run/token' }),
    `the token in /run/token (${SOURCE})`,
    'put there',
  ],
  ['a plugin', access({ type: 'exec', plugin }), `the credential that cloud-login gave (${SOURCE})`, 'log in again'],
  [
    'a password',
    access({ type: 'basic', username: 'me', password: 'secret' }),
    `the user name and password of ${SOURCE}`,
    'takes no passwords since 1.19',
  ],
  [
    'a client certificate',
    access({ type: 'none' }, { clientCertificate: { certificate: PEM, key: PEM } }),
    `the client certificate of ${SOURCE}`,
    'get a new one',
  ],
  [
    'a client certificate in a file',
    access({ type: 'none' }, { clientCertificate: { certificate: { file: '/me.crt' }, key: PEM } }),
    `the client certificate of ${SOURCE}, file /me.crt`,
    'get a new one',
  ],
])('a client whose %s is not accepted reads which one that is, and what to do', (_, of, what, advice) => {
  const refusal = refusalBy(of, unauthorized())
  expect(refusal.message).toBe(`https://10.0.0.1:6443 does not accept ${what} (Unauthorized)`)
  expect(refusal.advice).toContain(advice)
  expect(`${refusal.message} ${refusal.advice}`).not.toContain('secret')
})

test('a client without a credential reads that one is missing, whether the server answers 401 or 403', () => {
  const nobody = access({ type: 'none' })
  for (const error of [unauthorized(), forbidden({ group: '', resource: 'namespaces' }, '', 'anonymous')]) {
    const { message, advice } = refusalBy(nobody, error)
    expect(message).toBe(`https://10.0.0.1:6443 requires a credential, and there is none in ${SOURCE}`)
    expect(advice).toBe('name a user in that context, or choose another context with --context')
  }
})

test.each([
  [403, 'grant it to the account of'],
  [404, 'a Kubernetes API server'],
  [503, 'health of the API server'],
  [422, 'health of the API server'],
])('a refusal with %d says what the server says, and what to do', (code, advice) => {
  const refusal = refusalBy(access({ type: 'token', token: 't' }), failure(code, 'Reason', 'the words'))
  expect(refusal.message).toBe('https://10.0.0.1:6443 refused: the words')
  expect(refusal.advice).toContain(advice)
})
