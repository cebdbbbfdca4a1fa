import { Registry } from '@prometheus-io/client'
import { Agent, request } from 'undici'
import { afterEach, beforeAll } from 'vitest'
import { AdmissionMetrics } from '../../src/runtime/admission/metrics.ts'
import {
  AdmissionServer,
  type AdmissionServerOptions,
  type AdmissionWebhook,
} from '../../src/runtime/admission/server.ts'
import type { KeyPair } from '../../src/runtime/certificate/check.ts'
import { makeAuthority, makeServerCertificate } from '../../src/runtime/certificate/certificates.ts'
import { createLogger } from '../../src/runtime/process/logger.ts'

/** The authority of the servers, and their certificate. */
export let authority: KeyPair
export let certificate: KeyPair
beforeAll(async () => {
  authority = await makeAuthority(Date.now())
  certificate = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
})

const open: { stop(): Promise<unknown> }[] = []
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.stop()
})

export interface Running {
  readonly server: AdmissionServer
  readonly agent: Agent
  readonly registry: Registry
  readonly log: string[]
  readonly ask: (
    path: string,
    body?: unknown,
  ) => Promise<{ code: number; headers: Record<string, unknown>; body: Body }>
}
// oxlint-disable-next-line typescript/no-explicit-any -- answers of any shape are looked into
type Body = any

/** Serves one webhook until the test has ended. */
export async function serve(
  handle: AdmissionWebhook['handle'],
  path = '/hook',
  more: Partial<AdmissionServerOptions> = {},
): Promise<Running> {
  const registry = new Registry()
  const log: string[] = []
  const server = await AdmissionServer.listen({
    host: '127.0.0.1',
    port: 0,
    certificate,
    webhooks: [{ path, handle }],
    metrics: new AdmissionMetrics(registry),
    logger: createLogger('info', { write: (line) => void log.push(line) }),
    ...more,
  })
  const agent = new Agent({ connect: { ca: authority.certificate } })
  open.push({ stop: () => server.stop({ noticeMs: 0, timeoutMs: 1000 }) }, { stop: () => agent.destroy() })
  const ask: Running['ask'] = async (path, body = review()) => {
    const {
      statusCode,
      headers,
      body: answer,
    } = await request(`https://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      dispatcher: agent,
    })
    return { code: statusCode, headers, body: await answer.json() }
  }
  return { server, agent, registry, log, ask }
}

export const review = (version = 'v1', more: object = {}): object => ({
  kind: 'AdmissionReview',
  apiVersion: `admission.k8s.io/${version}`,
  request: {
    uid: 'u-1',
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
    namespace: 'shop',
    name: 'settings',
    operation: 'CREATE',
    userInfo: {},
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } },
    ...more,
  },
})
