import { once } from 'node:events'
import { Registry } from '@prometheus-io/client'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { HttpKubeClient } from '../../src/kube/client/http-kube-client.ts'
import type { ResourceKind } from '../../src/kube/client/kube-client.ts'
import { keepWebhookCertificate } from '../../src/kube/webhook-certificates/webhook-certificates.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { ApiError } from '../../src/machinery/status.ts'
import { allowed, denied, patched, retryLater } from '../../src/runtime/admission/decision.ts'
import { AdmissionMetrics } from '../../src/runtime/admission/metrics.ts'
import type { AdmissionRequest } from '../../src/runtime/admission/request.ts'
import { AdmissionServer } from '../../src/runtime/admission/server.ts'
import { certificatesIn, isIssuedFor, type KeyPair } from '../../src/runtime/certificate/check.ts'
import type { CertificateKeeper } from '../../src/runtime/certificate/keeper.ts'
import { makeServerCertificate } from '../../src/runtime/certificate/certificates.ts'
import { silentLogger } from '../../src/runtime/process/logger.ts'
import { eventually } from '../eventually.ts'
import { CONFIG_MAPS, coreKind, NAMESPACES } from './core-kinds.ts'
import { openClient, servers, type TestServer } from './servers.ts'

const SECRETS = coreKind('secrets', 'Secret')
const configurations = (phase: 'Validating' | 'Mutating'): ResourceKind => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: `${phase.toLowerCase()}webhookconfigurations`,
  kind: `${phase}WebhookConfiguration`,
  namespaced: false,
})
const NAMESPACE = 'hooked'
const SECRET = { namespace: NAMESPACE, name: 'webhook-tls' }
const MINUTE = 60_000

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

const configMap = (word: string, labels: Readonly<Record<string, string>> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { generateName: 'map-', namespace: NAMESPACE, labels },
  data: { word },
})

const never = (ms: number, signal: AbortSignal): Promise<void> =>
  ms < 10_000
    ? new Promise((resolve) => setTimeout(resolve, ms))
    : new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))

describe.each(servers)('the webhooks that %s calls', (_, start) => {
  let server: TestServer
  let client: HttpKubeClient
  let hooks: AdmissionServer
  let keeper: CertificateKeeper
  let aheadMs = 0
  const retried = new Set<string>()
  const closing = new AsyncDisposableStack()
  const signal = new AbortController().signal

  const keep = (): Promise<CertificateKeeper> =>
    keepWebhookCertificate(
      {
        client,
        secret: SECRET,
        names: ['127.0.0.1', 'localhost'],
        context: { now: () => Date.now() + aheadMs, random: Math.random, sleep: never },
        clockSteps: { subscribe: () => () => undefined },
        logger: silentLogger,
      },
      signal,
    )

  async function validate({ object }: AdmissionRequest, signal: AbortSignal) {
    const { word = '' } = (object as ConfigMap).data ?? {}
    if (word === 'deny') return denied('no room for it')
    if (word === 'throw') throw new Error('the ledger is gone')
    if (word === 'slow') await once(signal, 'abort')
    if (word === 'slow') return await new Promise<never>(() => {})
    if (!word.startsWith('retry') || retried.has(word)) return allowed()
    retried.add(word)
    return retryLater('not yet', 1)
  }

  /** The webhooks at a port, with another one for what is labelled `probe`. */
  async function register(bundle: string, probePort = hooks.port): Promise<void> {
    const webhook = (name: string, port: number, path: string, labels: object): object => ({
      name: `${name}.example.test`,
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
      clientConfig: {
        url: `https://127.0.0.1:${port}${path}`,
        caBundle: Buffer.from(bundle).toString('base64'),
      },
      namespaceSelector: { matchLabels: { hooked: NAMESPACE } },
      objectSelector: { matchExpressions: [labels] },
      admissionReviewVersions: ['v1', 'v1beta1'],
      sideEffects: 'None',
      timeoutSeconds: 2,
    })
    const plain = { key: 'probe', operator: 'DoesNotExist' }
    const probe = { key: 'probe', operator: 'Exists' }
    for (const phase of ['Validating', 'Mutating'] as const) {
      const word = phase === 'Mutating' ? 'mutate' : 'validate'
      const webhooks = [
        webhook(word, hooks.port, `/${word}`, plain),
        webhook(`probe-${word}`, probePort, `/${word}`, probe),
      ]
      await client.patch(
        configurations(phase),
        { namespace: '', name: 'hooks.example.test' },
        {
          type: 'apply',
          fieldManager: 'test',
          force: true,
          body: {
            apiVersion: 'admissionregistration.k8s.io/v1',
            kind: `${phase}WebhookConfiguration`,
            metadata: { name: 'hooks.example.test' },
            webhooks,
          },
        },
      )
    }
  }

  const create = (word: string, labels = {}): Promise<ConfigMap> =>
    client.create(CONFIG_MAPS, configMap(word, labels), { dryRun: true })

  async function refusal(call: Promise<unknown>): Promise<ApiError['status']> {
    const error = await call.then(
      () => undefined,
      (error: unknown) => error,
    )
    if (error instanceof ApiError) return error.status
    throw new Error(`not refused: ${String(error)}`)
  }

  async function serveHooks(certificate: KeyPair): Promise<AdmissionServer> {
    const running = await AdmissionServer.listen({
      host: '127.0.0.1',
      port: 0,
      certificate,
      webhooks: [
        { path: '/validate', handle: validate },
        { path: '/mutate', handle: async () => patched([{ op: 'add', path: '/data/touched', value: 'yes' }]) },
      ],
      metrics: new AdmissionMetrics(new Registry()),
      logger: silentLogger,
    })
    closing.defer(() => running.stop({ noticeMs: 0, timeoutMs: 1000 }))
    return running
  }

  beforeAll(async () => {
    server = await start()
    const opened = openClient(server.kubeconfig, { rate: { qps: 0, burst: 0 } })
    client = opened.client
    closing.defer(server.stop)
    closing.defer(opened.close)
    await vi.waitFor(() => client.get(NAMESPACES, { namespace: '', name: 'default' }), 20_000)
    const metadata = { name: NAMESPACE, labels: { hooked: NAMESPACE } }
    await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata })
    keeper = await keep()
    closing.defer(() => keeper.stop())
    hooks = await serveHooks(keeper.current)
    keeper.onChange((certificate) => hooks.useCertificate(certificate))
    await register(keeper.current.bundle)
    // Both are learned of some time after they are written.
    await vi.waitFor(async () => {
      await refusal(create('deny'))
      if ((await create('plain')).data?.['touched'] === undefined) throw new Error('not mutated yet')
    }, 20_000)
  })
  afterAll(() => closing.disposeAsync())

  test('decide what happens to a request', async () => {
    expect((await create('plain')).data).toEqual({ word: 'plain', touched: 'yes' })
    expect(await refusal(create('deny'))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'admission webhook "validate.example.test" denied the request: no room for it',
    })
    expect(await refusal(create('throw'))).toMatchObject({
      code: 500,
      message: 'admission webhook "validate.example.test" denied the request: the ledger is gone',
    })
  })

  test('say themselves which of them ran out of time', async () => {
    // On a busy machine the API server may stop waiting before it has read the answer, and say so in words of its own.
    const timedOut = await eventually(
      () => refusal(create('slow')),
      ({ code }) => code === 504,
      { what: 'an answer in time' },
    )
    expect(timedOut).toMatchObject({
      reason: 'Timeout',
      message:
        'admission webhook "validate.example.test" denied the request: the webhook /validate did not decide within 1.8s, please try again',
    })
  })

  test('can have a client ask again by itself', async () => {
    expect((await create('retry-once')).data).toMatchObject({ word: 'retry-once' })
    expect(retried).toContain('retry-once')
  })

  test('share one certificate, in whatever order they start', async () => {
    const others = await Promise.all([keep(), keep(), keep()])
    for (const other of others) {
      expect(other.current).toEqual(keeper.current)
      await other.stop()
    }
    await client.delete(SECRETS, { ...SECRET })
    const together = await Promise.all([keep(), keep(), keep()])
    expect(new Set(together.map(({ current }) => current.certificate)).size).toBe(1)
    for (const other of together) await other.stop()
  })

  test('are reached throughout while certificate and authority are replaced', async () => {
    // A server that was never called before is reached only with what was just registered.
    const learned = async (bundle: string, certificate: KeyPair): Promise<void> => {
      const { port } = await serveHooks(certificate)
      await register(bundle, port)
      await vi.waitFor(() => create('probe', { probe: 'yes' }), 20_000)
    }
    await keeper.refresh()
    await learned(keeper.current.bundle, keeper.current)
    const stop = new AbortController()
    let answered = 0
    const failures: string[] = []
    const load = Array.from({ length: 4 }, async () => {
      while (!stop.signal.aborted)
        await create('load').then(
          () => answered++,
          (error: unknown) => failures.push(String(error)),
        )
    })

    // By the same authority, again and again.
    const old = keeper.current
    for (let round = 0; round < 4; round++) {
      const before: string = keeper.current.certificate
      await client.patch(SECRETS, SECRET, { type: 'merge', body: { data: { 'tls.key': '' } } })
      await keeper.refresh()
      expect(keeper.current.certificate).not.toBe(before)
    }
    expect(keeper.current.bundle).toBe(old.bundle)

    // The authority is lost: a new one is made known …
    await client.patch(SECRETS, SECRET, { type: 'merge', body: { data: { 'ca.key': '' } } })
    const presented: string = keeper.current.certificate
    await keeper.refresh()
    expect(keeper.current.certificate).toBe(presented)
    const [added = '', ...rest] = certificatesIn(keeper.current.bundle)
    expect(rest).toEqual(certificatesIn(old.bundle))
    const secret = await client.get<KubeObject & { data: Record<string, string> }>(SECRETS, SECRET)
    const key = Buffer.from(secret.data['ca.key'] ?? '', 'base64').toString()
    const byAdded = await makeServerCertificate({ certificate: added, key }, ['127.0.0.1'], Date.now())
    await learned(keeper.current.bundle, byAdded)
    // … and signs when everyone knows it.
    aheadMs += 20 * MINUTE
    await keeper.refresh()
    expect(isIssuedFor(keeper.current.certificate, added, ['127.0.0.1'])).toBe(true)
    const before = answered
    await vi.waitFor(() => expect(answered).toBeGreaterThan(before + 50), 20_000)
    // A client that trusts only the new authority connects again.
    await learned(added, byAdded)
    await vi.waitFor(() => expect(answered).toBeGreaterThan(before + 200), 30_000)
    stop.abort()
    await Promise.all(load)
    expect(failures).toEqual([])
  })
})
