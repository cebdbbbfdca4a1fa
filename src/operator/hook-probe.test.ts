import { expect, test } from 'vitest'
import type { KubeClient } from '../kube/kube-client.ts'
import { ServerUnreachable } from '../kube/server-unreachable.ts'
import { internalError } from '../machinery/status.ts'
import { type LogFields, type Logger, silentLogger } from '../runtime/logger.ts'
import { allowed } from '../runtime/admission-decision.ts'
import type { AdmissionRequest } from '../runtime/admission-request.ts'
import { answersProbes, PROBE_ANNOTATION, webhooksAnswer } from './hook-probe.ts'

const sample = {
  kind: { group: 'example.test', version: 'v1', resource: 'things', kind: 'Thing', namespaced: false },
  object: { apiVersion: 'example.test/v1', kind: 'Thing', metadata: { generateName: 'probe-' } },
}

test('while the API server gets no answers of the webhooks, it is told now and then why', async () => {
  let now = 0
  const told: LogFields[] = []
  const logger: Logger = { ...silentLogger, warn: (fields) => void told.push(fields) }
  const clock = { monotonic: () => now, sleep: async (ms: number) => void (now += ms) }
  const create: KubeClient['create'] = () =>
    Promise.reject(
      internalError(now < 60_000 ? 'connection refused' : 'denied the request: the webhooks of allot answer'),
    )
  await webhooksAnswer({ create }, sample, 'a token', clock, logger, new AbortController().signal)
  expect(told).toHaveLength(2)
  expect(String(told[0]?.['problem'])).toContain('connection refused')
  expect(String(told[0]?.['advice'])).toContain('--webhook-url')
})

test('what passes by itself keeps it from nothing, what does not ends it', async () => {
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
  await webhooksAnswer({ create }, sample, 'a token', clock, silentLogger, signal)
  expect(failing).toEqual([])
  const bug: KubeClient['create'] = () => Promise.reject(new TypeError('a bug'))
  await expect(webhooksAnswer({ create: bug }, sample, 'a token', clock, silentLogger, signal)).rejects.toThrow('a bug')
})

test('only who knows the token of this process is taken for the operator', async () => {
  const heard: string[] = []
  const hook = {
    phase: 'mutating',
    name: 'hook.example.test',
    path: '/hook',
    operations: ['CREATE'],
    group: 'example.test',
    resource: 'things',
    handle: async () => allowed(),
  } as const
  const probed = answersProbes(hook, 'a token', (name) => heard.push(name))
  const probe = (username: string, token: string): AdmissionRequest => ({
    uid: 'u',
    kind: { group: 'example.test', version: 'v1', kind: 'Thing' },
    resource: { group: 'example.test', version: 'v1', resource: 'things' },
    subResource: '',
    requestKind: { group: 'example.test', version: 'v1', kind: 'Thing' },
    requestResource: { group: 'example.test', version: 'v1', resource: 'things' },
    requestSubResource: '',
    name: '',
    namespace: '',
    operation: 'CREATE',
    userInfo: { username, uid: '', groups: [], extra: {} },
    object: { ...sample.object, metadata: { annotations: { [PROBE_ANNOTATION]: token } } },
    oldObject: undefined,
    dryRun: true,
    options: undefined,
  })
  const { signal } = new AbortController()
  expect((await probed.handle(probe('mallory', 'asked'), signal)).verdict).toBe('patched')
  expect(heard).toEqual([])
  await probed.handle(probe('operator', 'a token'), signal)
  expect(heard).toEqual(['operator'])
})
