import { describe, expect, test } from 'vitest'
import type { ClusterAccess, ExecPlugin } from '../access/cluster-access.ts'
import { CredentialError } from './source.ts'
import { ExecCredential } from './exec.ts'
import type { PluginCall, PluginResult } from './run-plugin.ts'

const VERSION = 'client.authentication.k8s.io/v1'
const SECRET = 'hunter2-secret-value'

const plugin: ExecPlugin = {
  apiVersion: VERSION,
  command: 'login',
  args: ['--now'],
  env: [{ name: 'REGION', value: 'eu' }],
  interactiveMode: 'IfAvailable',
  provideClusterInfo: false,
  installHint: '',
}
const access: ClusterAccess = {
  source: 'test',
  server: 'https://host',
  namespace: 'default',
  authority: { file: '/ca' },
  insecureSkipTlsVerify: false,
  tlsServerName: 'api',
  credentials: { type: 'exec', plugin },
}
const printed = (status: unknown, more = {}): PluginResult => ({
  outcome: 'exited',
  code: 0,
  stdout: JSON.stringify({ apiVersion: VERSION, kind: 'ExecCredential', status, ...more }),
  complaint: '',
})
const never = new AbortController().signal

function source(
  answer: (run: number) => PluginResult | Promise<PluginResult>,
  { how = {}, interactive = false }: { how?: Partial<ExecPlugin>; interactive?: boolean } = {},
) {
  const calls: PluginCall[] = []
  const clock = { now: Date.UTC(2026, 0, 1) }
  const credential = new ExecCredential({ ...plugin, ...how }, access, {
    environment: { PATH: '/bin' },
    context: { now: () => clock.now, readText: (file) => `text of ${file}` },
    interactive,
    run: async (call) => {
      calls.push(call)
      return await answer(calls.length)
    },
  })
  return { credential, calls, clock }
}

const info = (call: PluginCall | undefined): unknown => JSON.parse(call?.environment['KUBERNETES_EXEC_INFO'] ?? '')

describe('an exec plugin', () => {
  test('is run once for all waiting requests, and its token is kept', async () => {
    const { credential, calls } = source(() => printed({ token: 'a' }))
    const all = await Promise.all([credential.current(never), credential.current(never), credential.current(never)])
    expect([...all, await credential.current(never)]).toEqual(
      Array.from({ length: 4 }, () => ({ authorization: 'Bearer a' })),
    )
    expect(calls).toHaveLength(1)
  })

  test('gets the input that it needs', async () => {
    const { credential, calls } = source(() => printed({ token: 'a' }))
    await credential.current(never)
    expect(calls[0]).toMatchObject({
      command: 'login',
      args: ['--now'],
      interactive: false,
      environment: { PATH: '/bin', REGION: 'eu' },
    })
    expect(info(calls[0])).toEqual({ apiVersion: VERSION, kind: 'ExecCredential', spec: { interactive: false } })
  })

  test('gets the cluster when it asks for it', async () => {
    const how = { provideClusterInfo: true, clusterConfig: { audience: 'x' } }
    const { credential, calls } = source(() => printed({ token: 'a' }), { how })
    await credential.current(never)
    expect(info(calls[0])).toMatchObject({
      spec: {
        cluster: {
          server: 'https://host',
          'tls-server-name': 'api',
          'certificate-authority-data': Buffer.from('text of /ca').toString('base64'),
          config: { audience: 'x' },
        },
      },
    })
  })

  test('is run again when its credential expires', async () => {
    const { credential, calls, clock } = source((run) =>
      printed({ token: `t${run}`, expirationTimestamp: new Date(Date.UTC(2026, 0, 1, run)).toISOString() }),
    )
    await credential.current(never)
    clock.now = Date.UTC(2026, 0, 1, 0, 59, 59)
    expect(await credential.current(never)).toEqual({ authorization: 'Bearer t1' })
    clock.now = Date.UTC(2026, 0, 1, 1)
    expect(await credential.current(never)).toEqual({ authorization: 'Bearer t2' })
    expect(calls).toHaveLength(2)
  })

  test('is run again once when its credential is refused, however many requests had it', async () => {
    const { credential, calls } = source((run) => printed({ token: `t${run}` }))
    const old = await credential.current(never)
    expect(credential.refused(old)).toBe(true)
    await credential.current(never)
    credential.refused(old)
    expect([await credential.current(never), calls.length]).toEqual([{ authorization: 'Bearer t2' }, 2])
  })

  test('is run again after it has failed', async () => {
    const { credential } = source((run) =>
      run === 1 ? { outcome: 'exited', code: 1, stdout: '', complaint: 'log in first' } : printed({ token: 'a' }),
    )
    await expect(credential.current(never)).rejects.toThrow('the exec plugin login ended with code 1: log in first')
    expect(await credential.current(never)).toEqual({ authorization: 'Bearer a' })
  })

  test('may give a client certificate', async () => {
    const { credential } = source(() => printed({ clientCertificateData: 'c', clientKeyData: 'k', token: '' }))
    expect(await credential.current(never)).toEqual({ clientCertificate: { certificate: 'c', key: 'k' } })
  })

  test('goes on for the others when one of them gives up', async () => {
    let finish = (): void => {}
    const { credential, calls } = source(
      () => new Promise((resolve) => (finish = () => resolve(printed({ token: 'a' })))),
    )
    const stop = new AbortController()
    const first = credential.current(stop.signal)
    const second = credential.current(never)
    stop.abort(new Error('enough'))
    await expect(first).rejects.toThrow('enough')
    finish()
    expect([await second, calls.length]).toEqual([{ authorization: 'Bearer a' }, 1])
  })

  test.each([
    ['Never', true, false],
    ['IfAvailable', true, true],
    ['IfAvailable', false, false],
    ['Always', true, true],
  ] as const)('of mode %s with someone there (%s) may ask: %s', async (interactiveMode, interactive, asks) => {
    const { credential, calls } = source(() => printed({ token: 'a' }), { how: { interactiveMode }, interactive })
    await credential.current(never)
    expect([calls[0]?.interactive, info(calls[0])]).toMatchObject([asks, { spec: { interactive: asks } }])
  })

  test('that must ask is not run when nobody is there', async () => {
    const { credential, calls } = source(() => printed({ token: 'a' }), { how: { interactiveMode: 'Always' } })
    await expect(credential.current(never)).rejects.toMatchObject({ code: 'plugin-interactive' })
    expect(calls).toHaveLength(0)
  })

  test.each<[string, PluginResult, string]>([
    ['is missing', { outcome: 'not-started', reason: 'ENOENT' }, 'cannot be run (ENOENT)'],
    ['does not end', { outcome: 'timeout' }, 'did not end in time'],
    ['fails without a word', { outcome: 'exited', code: 3, stdout: SECRET, complaint: '' }, 'ended with code 3'],
    [
      'prints something else',
      { outcome: 'exited', code: 0, stdout: SECRET, complaint: '' },
      'printed no ExecCredential',
    ],
    ['prints another kind', printed({ token: SECRET }, { kind: 'Token' }), 'printed no ExecCredential'],
    [
      'prints another version',
      printed({ token: SECRET }, { apiVersion: 'v9' }),
      `does not answer with apiVersion ${VERSION}`,
    ],
    ['prints no status', printed(undefined), 'printed an ExecCredential without a status'],
    ['prints an empty status', printed({}), 'gave neither a token nor a client certificate'],
    [
      'prints a certificate without a key',
      printed({ clientCertificateData: SECRET }),
      'gave only one of clientCertificateData and clientKeyData',
    ],
    [
      'prints an invalid time',
      printed({ token: SECRET, expirationTimestamp: 'soon' }),
      'gave an invalid expirationTimestamp',
    ],
  ])('that %s is reported, without any secret', async (_, result, what) => {
    const error = await source(() => result)
      .credential.current(never)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(CredentialError)
    expect(String(error)).toBe(`CredentialError: the exec plugin login ${what}`)
    expect(JSON.stringify(error)).not.toContain(SECRET)
  })

  test('that is missing is reported with the hint to install it', async () => {
    const { credential } = source(() => ({ outcome: 'not-started', reason: 'ENOENT' }), {
      how: { installHint: 'get it from example.com' },
    })
    await expect(credential.current(never)).rejects.toMatchObject({ advice: 'get it from example.com' })
  })
})
