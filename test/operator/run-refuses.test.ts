import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { LEASE_NAME, SYSTEM_NAMESPACE_ANNOTATION } from '../../src/install/installed-names.ts'
import { karmadaQuota } from '../../src/systems/karmada-quota/api/karmada-quota.ts'
import { type Handler, json, TlsServer } from '../kube/tls-server.ts'
import { seed, SeededRandom } from '../seeded-random.ts'
import { runAllot, temporaryDirectory } from '../start-allot.ts'
import { Faults, FaultyProxy } from './faulty-proxy.ts'
import { type BareServer, bareServers, launchOperator, startOperator, representative } from './operated.ts'
import { accountWith, created, makePrivileged } from './operator-account.ts'
import { MERGE } from './pool-objects.ts'
import { removeCrds } from './remove-crds.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/capsule-system/leases'
/** Servers are tested at the same time, what is done to one of them is not. */
const IN_ORDER = { concurrent: false } as const
const CAPSULE = '42c733ea.clastix.capsule.io'
const DECOYS = [CAPSULE, LEASE_NAME]
const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/allot'

/** A kubeconfig for a server and a token. */
function kubeconfigFor(server: string, token = 'none'): string {
  const file = join(temporaryDirectory(), 'kubeconfig')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  }
  writeFileSync(file, JSON.stringify(config))
  return file
}

/** Runs `allot run`, which must end by itself, and gives the only line that it says. */
async function refusal(kubeconfig: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runAllot('run', '--kubeconfig', kubeconfig, '--host', '127.0.0.1', ...args)
  expect(stdout).toBe('')
  expect([code, stderr.split('\n').length, stderr.endsWith('\n')], stderr).toEqual([1, 2, true])
  return stderr.trim()
}

describe.concurrent('allot run refuses in one line to start', () => {
  test('when the server is too old', async () => {
    await using server = await TlsServer.start((_request, response) => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ major: '1', minor: '19+', gitVersion: 'v1.19.16' }))
    })
    expect(await refusal(kubeconfigFor(server.url))).toBe(
      'the API server is Kubernetes v1.19.16; allot runs against Kubernetes 1.20 and newer',
    )
  })

  test('when another program than an API server answers', async () => {
    await using server = await TlsServer.start((_request, response) => void response.end('<html>welcome</html>'))
    expect(await refusal(kubeconfigFor(server.url))).toMatch(
      /^https:\S+\/version answered with something that no API server answers; check that /,
    )
  })

  test('when no certificate goes with --tls-ca', async () => {
    const kubeconfig = kubeconfigFor('https://127.0.0.1:1')
    expect(await runAllot('run', '--kubeconfig', kubeconfig, '--tls-ca', 'ca.crt')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: --tls-ca cannot be used without --tls-cert and --tls-key\n',
    })
  })

  test('when the server, on another machine, lacks an address of the webhooks', async () => {
    expect(await refusal(kubeconfigFor('https://192.0.2.1:6443'))).toBe(
      'the API server https://192.0.2.1:6443 needs an address for the webhooks; name its way here with --webhook-url, or with --webhook-service inside a cluster',
    )
  })
})

describe.concurrent('allot run waits for an API server that will be there soon', () => {
  test('and says so, until that answers its questions', async () => {
    const tooOld = { major: '1', minor: '19', gitVersion: 'v1.19.16' }
    const faults: Handler[] = [
      (request) => void request.socket.destroy(),
      (_request, response) => json(response, 500, { kind: 'Status', status: 'Failure', code: 500, message: 'etcd' }),
      (_request, response) => json(response, 503, 'not yet', { 'retry-after': '1' }),
      (_request, response) => json(response, 429, 'too many', { 'retry-after': '1' }),
      (request) => void request.socket.destroy(),
      (request) => void request.socket.destroy(),
      (_request, response) => json(response, 200, tooOld),
    ]
    await using server = await TlsServer.start((...exchange) => faults.shift()?.(...exchange))
    const { code, stdout, stderr } = await runAllot('run', '--kubeconfig', kubeconfigFor(server.url))
    const lines = stderr.trim().split('\n')
    expect([code, stdout, lines.at(-1)]).toEqual([
      1,
      '',
      'the API server is Kubernetes v1.19.16; allot runs against Kubernetes 1.20 and newer',
    ])
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'warn', msg: expect.stringContaining('sent again') })
    expect(faults).toEqual([])
  })

  test('for a moment, where nobody knows its name', async () => {
    const kubeconfig = kubeconfigFor('https://nobody.invalid:6443')
    const { code, stderr } = await runAllot('run', '--kubeconfig', kubeconfig, '--webhook-url', 'https://a:1')
    // One that goes on for more than a minute is ended, and has another code.
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([1, expect.stringContaining('check the host name')])
    expect(stderr).toContain('--webhook-url names port 1, and the webhooks are served at any free port')
  })

  test('and ends in good order when it is interrupted meanwhile', async () => {
    await using operator = launchOperator(kubeconfigFor('https://127.0.0.1:1'))
    await eventually(operator.logs, (logs) => logs.includes('the connection was refused'))
    await operator[Symbol.asyncDispose]()
    expect(await operator.exited).toBe(0)
  })
})

for (const { name, start } of representative(bareServers))
  describe(`${name}: the operator does not start`, { concurrent: true }, () => {
    let server: BareServer

    beforeAll(async () => {
      server = await start()
      await removeCrds(server, karmadaQuota)
    })
    afterAll(() => server?.[Symbol.asyncDispose]())

    test('with a token that the server does not know', IN_ORDER, async () => {
      const kubeconfig = kubeconfigFor(server.url, 'wrong')
      expect(await refusal(kubeconfig)).toBe(
        `${server.url} does not accept the token of ${kubeconfig}, context "x" (Unauthorized); it has expired, was revoked or is of another cluster: get a new one, or choose another context with --context`,
      )
    })

    test('without permissions, and names those that are missing', IN_ORDER, async () => {
      const account = await accountWith(server, [
        { apiGroups: [''], resources: ['*'], verbs: ['*'] },
        { apiGroups: ['capsule.clastix.io', 'quota.karmada.io'], resources: ['*'], verbs: ['*'] },
        { apiGroups: ['work.karmada.io', 'events.k8s.io', 'coordination.k8s.io'], resources: ['*'], verbs: ['*'] },
        { apiGroups: ['apiextensions.k8s.io'], resources: ['*'], verbs: ['get', 'list', 'watch', 'patch'] },
        { apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'], verbs: ['list'] },
        { apiGroups: ['admissionregistration.k8s.io', 'authorization.k8s.io'], resources: ['*'], verbs: ['*'] },
      ])
      expect(await refusal(kubeconfigFor(server.url, account.token))).toBe(
        'the API server does not allow to create customresourcedefinitions.apiextensions.k8s.io; grant it to the account of the kubeconfig; docs/reference/allot-run.md lists all that is needed',
      )
      const nobody = await accountWith(server, [])
      expect(await refusal(kubeconfigFor(server.url, nobody.token))).toMatch(
        /^the API server does not allow to get\/create\/list\/watch namespaces(?:, [a-z/]+ [^ ,;]+(?: [^ ,;]+)?(?: in [^ ,;]+)?)+; grant it /,
      )
    })

    test('with --crds=check where CRDs are missing', IN_ORDER, async () => {
      expect(await refusal(server.kubeconfig, '--crds=check')).toMatch(
        /^the CRD [a-z]+\.(?:capsule\.clastix\.io|openmcp\.cloud|quota\.karmada\.io) is not installed; have them installed /,
      )
    })

    test('while Capsule is alive, but does when its lease is stale', IN_ORDER, async () => {
      await created(server, '/api/v1/namespaces', { metadata: { name: 'capsule-system' } })
      const spec = { holderIdentity: 'capsule-0', leaseDurationSeconds: 3, renewTime: microTime() }
      await created(server, LEASES, { metadata: { name: CAPSULE }, spec })
      await makePrivileged(server, 'capsule-system')
      // A tenant keeps one of the same name, and one of allot's.
      await created(server, '/api/v1/namespaces', { metadata: { name: 'decoys' } })
      const decoys = LEASES.replace('capsule-system', 'decoys')
      for (const decoy of DECOYS)
        await created(server, decoys, { metadata: { name: decoy }, spec: { ...spec, holderIdentity: 'decoy' } })
      const alive = new AbortController()
      const renewing = renew(server, alive.signal)
      const decoy = new AbortController()
      await using deceiving = new AsyncDisposableStack()
      const deceived = Promise.all(DECOYS.map((name) => renew(server, decoy.signal, `${decoys}/${name}`)))
      deceiving.defer(async () => {
        decoy.abort()
        await deceived
        for (const name of DECOYS) await server.send('DELETE', `${decoys}/${name}`)
      })
      try {
        expect(await refusal(server.kubeconfig)).toBe(
          `Capsule (capsule-0) keeps its Lease capsule-system/${CAPSULE}; stop it first: two programs that grant from the same pools would overwrite each other`,
        )
      } finally {
        alive.abort()
        await renewing
      }
      // Its times say nothing, as another clock wrote them: it is stale when it is not renewed.
      await using operator = await startOperator(server.kubeconfig)
      expect(operator.logs().split('a Lease has the name of another operator, and nothing shows')).toHaveLength(3)
      await server.send('DELETE', `${LEASES}/${CAPSULE}`)
      // Another replica would share the work; one that keeps its Lease elsewhere would not know of this one.
      expect(await refusal(server.kubeconfig, '--system-namespace=elsewhere')).toMatch(
        /^An allot with another --system-namespace \(.+\) keeps its Lease allot-system\/allot; stop it first: /,
      )
      // Only who may write the configurations says where the operator is, and what somebody else says there is put right.
      const annotations = { [SYSTEM_NAMESPACE_ANNOTATION]: 'decoys', other: 'kept' }
      await server.send('PATCH', CONFIGURATION, { metadata: { annotations } }, MERGE)
      await eventually(
        async () => (await server.send('GET', CONFIGURATION)).json.metadata.annotations,
        (found) => found[SYSTEM_NAMESPACE_ANNOTATION] === 'allot-system' && found.other === 'kept',
        { what: 'the configuration to name the namespace of the operator' },
      )
    })

    test('while Capsule is alive, but does at once when it has given its lease back', IN_ORDER, async () => {
      const spec = { holderIdentity: '', leaseDurationSeconds: 3600, renewTime: microTime() }
      await server.send('PATCH', `${LEASES}/${CAPSULE}`, { spec }, MERGE)
      await using operator = await startOperator(server.kubeconfig)
      expect(operator.webhookPort).toBeGreaterThan(0)
    })

    test('until the server can answer, but then does', IN_ORDER, async ({ expect }) => {
      const faults = new Faults(new SeededRandom(seed), { oneIn: 1, watchMs: 0 })
      await using proxy = await FaultyProxy.before(server.url, faults)
      await using operator = launchOperator(kubeconfigFor(proxy.url, server.token))
      await expect.poll(() => faults.failed).toBeGreaterThan(5)
      faults.active = false
      await operator.ready()
      expect(operator.logs()).toContain('the API server is available again')
    })
  })

/** Lease times have microseconds. */
const microTime = (): string => new Date().toISOString().replace('Z', '000Z')

async function renew(server: BareServer, signal: AbortSignal, lease = `${LEASES}/${CAPSULE}`): Promise<void> {
  while (!signal.aborted) {
    await server.send('PATCH', lease, { spec: { renewTime: microTime() } }, MERGE)
    await sleep(1000, undefined, { signal }).catch(() => undefined)
  }
}
