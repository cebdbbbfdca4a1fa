import { expect, test, vi } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { reviewedRequest } from '../../../test/operator/reviewed-request.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { ServerUnreachable } from '../../kube/transport/server-unreachable.ts'
import { internalError } from '../../machinery/status.ts'
import { type LogFields, type Logger, silentLogger } from '../../runtime/process/logger.ts'
import { allowed } from '../../runtime/admission/decision.ts'
import { denied } from '../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../runtime/admission/request.ts'
import { HookProber, PROBE_ANNOTATION, probeHooks } from './hook-probe.ts'
import { TICKET_ANNOTATION } from '../webhook/callers/probe-tickets.ts'
import { type AnsweredHook, WebhookRules } from './registered-webhooks.ts'

const sample = {
  kind: { group: 'example.test', version: 'v1', resource: 'things', kind: 'Thing', namespaced: false },
  object: { apiVersion: 'example.test/v1', kind: 'Thing', metadata: { generateName: 'probe-' } },
}

test('while the API server gets no answers of the webhooks, the reason is reported now and then', async () => {
  let now = 0
  const warnings: LogFields[] = []
  const logger: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields) }
  const clock = { monotonic: () => now, sleep: async (ms: number) => void (now += ms) }
  const create: KubeClient['create'] = () =>
    Promise.reject(
      internalError(now < 60_000 ? 'connection refused' : 'denied the request: the webhooks of allot answer'),
    )
  await new HookProber({
    client: { create },
    sample,
    clock,
    logger,
    heard: () => undefined,
    unanswered: () => undefined,
  }).answered(new AbortController().signal)
  expect(warnings).toHaveLength(2)
  expect(String(warnings[0]?.['problem'])).toContain('connection refused')
  expect(String(warnings[0]?.['advice'])).toContain('--webhook-url')
})

test('a temporary failure does not end it, another failure does', async () => {
  let now = 0
  const clock = { monotonic: () => now, sleep: async (ms: number) => void (now += ms) }
  const failing: Error[] = [
    new ServerUnreachable('refused', 'no server'),
    new ServerUnreachable('dropped', 'cut off'),
    internalError('busy'),
    internalError('denied the request: the webhooks of allot answer'),
  ]
  const create: KubeClient['create'] = () => Promise.reject(failing.shift() ?? new Error('asked too often'))
  const { signal } = new AbortController()
  const prober = (of: KubeClient['create']) =>
    new HookProber({
      client: { create: of },
      sample,
      clock,
      logger: silentLogger,
      heard: () => undefined,
      unanswered: () => undefined,
    })
  await prober(create).answered(signal)
  expect(failing).toEqual([])
  const bug: KubeClient['create'] = () => Promise.reject(new TypeError('a bug'))
  await expect(prober(bug).answered(signal)).rejects.toThrow('a bug')
})

const probe = (username: string, mark: string): AdmissionRequest =>
  reviewedRequest(sample.kind, {
    userInfo: { username, uid: '', groups: [], extra: {} },
    object: { ...sample.object, metadata: { annotations: { [PROBE_ANNOTATION]: mark } } },
    dryRun: true,
  })

test('the operator learns by which name the API server knows it, whichever replica answers its probe', async () => {
  const name = 'system:serviceaccount:"a\\b":operator'
  const heard: string[] = []
  const other = new WebhookRules(probeHooks(sample.kind))
  const { signal } = new AbortController()
  const create: KubeClient['create'] = async () => {
    const decision = await other.at('/probe/validating/abc')?.handle(probe(name, 'seen by abc'), signal, 1000)
    const message = decision?.verdict === 'denied' ? decision.message : ''
    throw internalError(`admission webhook "probe.validating.allot.dev" denied the request: ${message}`)
  }
  const clock = { monotonic: () => 0, sleep: () => Promise.reject(new Error('asked too often')) }
  const prober = new HookProber({
    client: { create },
    sample,
    clock,
    logger: silentLogger,
    heard: (username) => void heard.push(username),
    unanswered: () => undefined,
  })
  expect(await prober.answered(signal)).toBe('abc')
  expect(heard).toEqual([name])
})

test('rules are live when a probe comes back with their hash, and no longer as soon as one changes', async () => {
  const rules = new WebhookRules(probeHooks(sample.kind))
  const hook = (...operations: ('CREATE' | 'UPDATE')[]): AnsweredHook => ({
    phase: 'validating',
    name: 'things.example.test',
    path: '/things',
    rules: [{ groups: ['example.test'], resources: ['things', 'things/scale'], operations }],
    handle: async () => allowed(),
  })
  rules.set(hook('CREATE'))
  const first = rules.hash
  /** The rules that the server has, which may be older than those that are wanted. */
  let served = rules.hooks
  const { signal } = new AbortController()
  const create: KubeClient['create'] = async () => {
    let mark = 'asked'
    for (const phase of ['mutating', 'validating']) {
      const { path = '' } = served.find(({ name }) => name === `probe.${phase}.allot.dev`) ?? {}
      const decision = await rules.at(path)?.handle(probe('operator', mark), signal, 1000)
      if (decision?.verdict === 'patched') mark = String((decision.patch[0] as { value?: unknown }).value)
      if (decision?.verdict === 'denied') throw internalError(`denied the request: ${decision.message}`)
    }
    throw internalError('nobody asked')
  }
  const clock = { monotonic: () => 0, sleep: () => new Promise<void>((resolve) => setImmediate(resolve)) }
  const prober = new HookProber({
    client: { create },
    sample,
    clock,
    logger: silentLogger,
    heard: () => undefined,
    unanswered: () => undefined,
  })
  const lives: boolean[] = []
  rules.onLive(() => lives.push(rules.isLive))
  const stop = new AbortController()
  const proving = prober.prove(rules, stop.signal)
  await vi.waitUntil(() => rules.isLive)
  rules.set(hook('CREATE', 'UPDATE'))
  expect([rules.isLive, rules.hash === first]).toEqual([false, false])
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(rules.isLive).toBe(false)
  served = rules.hooks
  await vi.waitUntil(() => rules.isLive)
  rules.remove(hook())
  served = rules.hooks
  await vi.waitUntil(() => rules.isLive)
  expect(rules.at('/things')).toBeUndefined()
  // The second proof is of the first rules, which the server still has after the change.
  expect(lives).toEqual([true, false, true, true])
  stop.abort()
  await proving
})

test('webhooks that get no questions any more are reported while nothing changes, and when they get them again', async () => {
  const rules = new WebhookRules(probeHooks(sample.kind))
  const clock = new ManualClock()
  const warnings: LogFields[] = []
  const logger: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields) }
  const answers: { failure: Error | undefined } = { failure: undefined }
  const create: KubeClient['create'] = () =>
    Promise.reject(
      answers.failure ?? internalError(`the webhooks of allot answer by rules ${rules.hash} and ${rules.hash}`),
    )
  const prober = new HookProber({
    client: { create },
    sample,
    clock,
    logger,
    heard: () => undefined,
    unanswered: () => undefined,
  })
  const outages: (string | undefined)[] = []
  rules.onOutage(() => outages.push(rules.outage))
  const stop = new AbortController()
  const proving = prober.prove(rules, stop.signal)
  await clock.advance(100)
  expect(rules.isLive).toBe(true)
  // An API server that is away says nothing about the webhooks.
  answers.failure = new ServerUnreachable('refused', 'the connection was refused')
  await clock.advance(60_000)
  expect(outages).toEqual([])
  answers.failure = internalError('failed calling webhook: connection refused by port 1')
  await clock.advance(60_000)
  answers.failure = internalError('failed calling webhook: connection refused by port 2')
  await clock.advance(60_000)
  expect(outages).toEqual(['Internal error occurred: failed calling webhook: connection refused by port 1'])
  expect(warnings.length).toBeGreaterThan(3)
  answers.failure = undefined
  await clock.advance(10_000)
  expect(outages).toEqual(['Internal error occurred: failed calling webhook: connection refused by port 1', undefined])
  // A configuration that was written may lead elsewhere: it is proven anew, at once.
  answers.failure = internalError('failed calling webhook: certificate signed by unknown authority')
  rules.doubt()
  expect(rules.isLive).toBe(false)
  await clock.advance(10_000)
  expect(outages.at(-1)).toBe(
    'Internal error occurred: failed calling webhook: certificate signed by unknown authority',
  )
  stop.abort()
  await proving
  // Another replica leads now, and knows.
  expect(rules.outage).toBeUndefined()
})

test('probes go past all other webhooks, which may wait for their proof, and nothing else does', async () => {
  const rules = new WebhookRules(probeHooks(sample.kind))
  rules.set({
    phase: 'validating',
    name: 'closed.test',
    path: '/closed',
    rules: [],
    handle: async () => denied('the quota is not ready'),
  })
  const { signal } = new AbortController()
  const asked = async (request: AdmissionRequest) => (await rules.at('/closed')?.handle(request, signal, 1000))?.verdict
  const sent = probe('allot', 'asked')
  expect(await asked(sent)).toBe('allowed')
  expect(await asked({ ...sent, dryRun: false })).toBe('denied')
  expect(await asked({ ...sent, operation: 'UPDATE' })).toBe('denied')
  expect(await asked({ ...sent, object: sample.object })).toBe('denied')
  expect(await asked({ ...sent, resource: { ...sent.resource, resource: 'pods' } })).toBe('denied')
})

test('a probe of its own kind shows a ticket, another one each time, and none where there are none', async () => {
  const sent: { readonly ticket: string | undefined; readonly single: boolean | undefined }[] = []
  const create: KubeClient['create'] = async (_, object, options = {}) => {
    sent.push({ ticket: object.metadata.annotations?.[TICKET_ANNOTATION], single: options.single })
    throw internalError(sent.length === 2 ? 'connection refused' : 'denied the request: the webhooks of allot answer')
  }
  let made = 0
  const prober = (ticket?: () => string) =>
    new HookProber({
      client: { create },
      sample,
      clock: new ManualClock(),
      logger: silentLogger,
      heard: () => undefined,
      unanswered: () => undefined,
      ticket,
    })
  const { signal } = new AbortController()
  const shown = prober(() => `ticket ${made++}`)
  expect([await shown.once(signal), await shown.once(signal)]).toEqual([true, false])
  await prober().answered(signal)
  expect(sent).toEqual([
    { ticket: 'ticket 0', single: true },
    { ticket: 'ticket 1', single: true },
    { ticket: undefined, single: undefined },
  ])
})
