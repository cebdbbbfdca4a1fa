import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { KeyPair } from '../../../src/runtime/certificate/check.ts'
import { makeAuthority, makeServerCertificate } from '../../../src/runtime/certificate/certificates.ts'
import { assets, startRealServer } from '../../differential/real-server.ts'
import { eventually } from '../../eventually.ts'
import { makeClientCertificate } from '../../kube/make-client-certificate.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { COUNTED_MAPS, map, mapsIn, QuotaWorld } from '../custom-quota/quota-world.ts'
import { linesWithStacks } from '../failure/logged-lines.ts'
import { bareServers, launchOperator, over, startOperator } from '../operated.ts'
import { freePort } from '../../free-ports.ts'
import { Anybody, reviewOf, storedHooks } from './webhook-caller.ts'

const BARE = '/quantityledgers/validating'
const DAYS = 3
const TIMEOUT_SECONDS = 7
const REVIEW = reviewOf({
  kind: { group: 'capsule.clastix.io', version: 'v1beta2', kind: 'QuantityLedger' },
  resource: { group: 'capsule.clastix.io', version: 'v1beta2', resource: 'quantityledgers' },
  operation: 'DELETE',
  namespace: 'none',
  name: 'none',
  dryRun: true,
})
const directory = temporaryDirectory()
const at = (name: string): string => join(directory, name)
let authority: KeyPair
let stranger: KeyPair

beforeAll(async () => {
  authority = await makeAuthority(Date.now())
  stranger = await makeAuthority(Date.now())
  writeFileSync(at('clients.crt'), authority.certificate)
})

/** The status of a call, over a connection of its own. */
async function statusOf(origin: string, path: string, client?: KeyPair): Promise<number> {
  await using caller = new Anybody(client)
  return (await caller.post(origin, path, REVIEW)).status
}

test('callers without a certificate of --webhook-client-ca get 401, whatever path they know, and the file is followed [security/client-authority]', async () => {
  const [client, other] = [
    await makeClientCertificate(authority, 'CN=apiserver'),
    await makeClientCertificate(stranger, 'CN=apiserver'),
  ]
  const served = await makeServerCertificate(authority, ['127.0.0.1'], Date.now(), DAYS)
  writeFileSync(at('tls.crt'), served.certificate)
  writeFileSync(at('tls.key'), served.key)
  await using server = await bareServers[0]!.start()
  const world = new QuotaWorld(server)
  const [port, metrics] = [await freePort(), await freePort()]
  const origin = `https://127.0.0.1:${port}`
  await using operator = launchOperator(server.kubeconfig, [
    '--webhook-port',
    String(port),
    '--metrics-port',
    String(metrics),
    '--webhook-client-ca',
    at('clients.crt'),
    '--webhook-timeout',
    String(TIMEOUT_SECONDS),
    '--tls-cert',
    at('tls.crt'),
    '--tls-key',
    at('tls.key'),
    '--tls-ca',
    at('ca.crt'),
  ])
  writeFileSync(at('ca.crt'), authority.certificate)
  // The embedded API server presents no certificate, so the operator never gets ready here.
  const hooks = await eventually(
    () => storedHooks(world),
    (found) => found.some((hook) => hook.bare === BARE),
  )
  const { path, bare } = hooks.find((hook) => hook.bare === BARE) ?? { path: '', bare: '' }
  const statuses = async (): Promise<readonly number[]> => [
    await statusOf(origin, path),
    await statusOf(origin, bare),
    await statusOf(origin, path, other),
    await statusOf(origin, path, client),
    await statusOf(origin, bare, client),
  ]
  expect(await statuses()).toEqual([401, 401, 401, 200, 404])
  writeFileSync(at('next.crt'), stranger.certificate)
  renameSync(at('next.crt'), at('clients.crt'))
  await eventually(statuses, (now) => now.join() === [401, 401, 200, 401, 401].join())

  writeFileSync(at('clients.crt'), 'not a certificate')
  await eventually(operator.logs, (log) => log.includes('callers could not be read: the last good ones stay'))
  expect(await statuses()).toEqual([401, 401, 200, 401, 401])

  const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
  expect(text).toMatch(/^allot_admission_refused_calls_total\{reason="certificate"\} [1-9]/m)
  expect(text).toMatch(/^allot_build_info\{version="[^"]+",node="v\d[^"]*"\} 1$/m)
  const ends = (name: string): number =>
    Number(
      new RegExp(`^allot_certificate_expiry_timestamp_seconds\\{certificate="${name}"\\} (\\S+)$`, 'm').exec(text)?.[1],
    )
  expect(Math.abs(ends('webhooks') - Date.now() / 1000 - DAYS * 86_400)).toBeLessThan(3600)
  for (const name of ['webhooks-authority', 'webhook-clients-authority'])
    expect(ends(name)).toBeGreaterThan(Date.now() / 1000)
  expect(operator.logs()).toMatch(
    /"certificate":"webhooks","expires":"[^"]+","msg":"a certificate expires within a week"/,
  )
  // The API server says why it gets no answers; nothing that is logged of that lets anybody in.
  await eventually(operator.logs, (log) => log.includes('demand a client certificate'))
  for (const hook of hooks) expect(operator.logs()).not.toContain(hook.path.slice(hook.bare.length + 1))
  expect(linesWithStacks(operator.logs())).toEqual([])
  for (const phase of ['mutating', 'validating']) {
    const { webhooks } = await world.read(`/apis/admissionregistration.k8s.io/v1/${phase}webhookconfigurations/allot`)
    const seconds = webhooks.map((hook: { readonly timeoutSeconds: number }) => hook.timeoutSeconds)
    expect(new Set(seconds)).toEqual(new Set([TIMEOUT_SECONDS]))
  }
})

describe('a real API server', { skip: assets === undefined }, () => {
  test('is let in with the certificate that its admission configuration names', async () => {
    const { certificate, key } = await makeClientCertificate(authority, 'CN=apiserver')
    const port = await freePort()
    const kubeConfigFile = at('webhooks.kubeconfig')
    const clientData = {
      'client-certificate-data': Buffer.from(certificate).toString('base64'),
      'client-key-data': Buffer.from(key).toString('base64'),
    }
    const users = [{ name: `127.0.0.1:${port}`, user: clientData }]
    writeFileSync(kubeConfigFile, JSON.stringify({ apiVersion: 'v1', kind: 'Config', users }))
    const plugins = ['ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook'].map((name) => ({
      name,
      configuration: {
        apiVersion: 'apiserver.config.k8s.io/v1',
        kind: 'WebhookAdmissionConfiguration',
        kubeConfigFile,
      },
    }))
    const configuration = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }
    writeFileSync(at('admission.json'), JSON.stringify(configuration))
    writeFileSync(at('real-clients.crt'), authority.certificate)
    await using server = over(
      await startRealServer({ flags: `--admission-control-config-file=${at('admission.json')}` }),
    )
    const flags = ['--webhook-port', String(port), '--webhook-client-ca', at('real-clients.crt')]
    await using operator = await startOperator(server.kubeconfig, flags)
    expect(operator.webhookPort).toBe(port)
    const world = new QuotaWorld(server)
    await world.namespace('vouched')
    await world.quota('vouched', 'one', {
      limit: '1',
      sources: [COUNTED_MAPS],
      scopeSelectors: [{ matchLabels: { counted: 'yes' } }],
    })
    const codes = [
      (await world.send('POST', mapsIn('vouched'), map('first'))).status,
      (await world.send('POST', mapsIn('vouched'), map('second'))).status,
    ]
    expect(codes).toEqual([201, 403])
    const [hook] = await storedHooks(world)
    expect(await statusOf(hook?.origin ?? '', hook?.path ?? '')).toBe(401)
  })
})
