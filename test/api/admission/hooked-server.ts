import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../../../src/runtime/certificate/certificates.ts'
import { type InProcess, type InProcessOptions, startInProcess } from '../../in-process.ts'

interface Review {
  readonly apiVersion: string
  readonly request: Readonly<Record<string, unknown>> & {
    readonly uid: string
    readonly name: string
    readonly object: unknown
  }
}

/** `hang` never answers, another text is answered as it is. */
export type Answer = (review: Review) => Given | Promise<Given>
type Given = object | string

export const GROUP = '/apis/admissionregistration.k8s.io/v1'

export const patched = (operations: readonly object[]): object => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
})

/** A control plane, a webhook that answers as a test wants, and a namespace for each test that the webhook is for. */
export function hookedServer(options: InProcessOptions = {}) {
  let server: InProcess
  let hook: Server
  let url: string
  let ca: string
  let answer: Answer
  let contentType: string | undefined
  const seen: Review[] = []
  const urls: string[] = []
  let ns = ''
  let number = 0

  beforeAll(async () => {
    server = await startInProcess(options)
    const authority = await makeAuthority(Date.now())
    const { key, certificate } = await makeServerCertificate(authority, ['127.0.0.1', 'hooks.shop.svc'], Date.now())
    ca = Buffer.from(authority.certificate).toString('base64')
    hook = createServer({ key, cert: certificate }, (request, response) => {
      let text = ''
      request.on('data', (chunk) => (text += String(chunk)))
      request.on('end', () => {
        const review = JSON.parse(text) as Review
        seen.push(review)
        urls.push(request.url ?? '')
        void Promise.resolve(answer(review)).then((given) => reply(review, given))
      })
      const reply = (review: Review, given: Given): void => {
        if (given === 'hang') return
        if (contentType !== undefined) response.setHeader('content-type', contentType)
        response.end(
          typeof given === 'string'
            ? given
            : JSON.stringify({
                kind: 'AdmissionReview',
                apiVersion: review.apiVersion,
                response: { uid: review.request.uid, ...given },
              }),
        )
      }
    })
    await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve))
    url = `https://127.0.0.1:${(hook.address() as AddressInfo).port}/review`
  })
  afterAll(async () => {
    await server.stop()
    hook.closeAllConnections()
    hook.close()
  })
  beforeEach(async () => {
    seen.length = 0
    urls.length = 0
    contentType = undefined
    ns = `hooked-${number++}`
    await server.send('POST', '/api/v1/namespaces', { metadata: { name: ns, labels: { hooked: ns } } })
  })
  afterEach(async () => {
    for (const kind of ['validating', 'mutating']) await server.send('DELETE', `${GROUP}/${kind}webhookconfigurations`)
  })

  /** Registers one webhook for config maps in the namespace of this test. */
  async function register(
    kind: 'validating' | 'mutating',
    more: object = {},
    name = 'hook.example.test',
  ): Promise<void> {
    const rules = [
      { operations: ['CREATE', 'UPDATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
    ]
    const webhook = {
      name,
      rules,
      clientConfig: { url, caBundle: ca },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      namespaceSelector: { matchLabels: { hooked: ns } },
      ...more,
    }
    const { status, body } = await server.send('POST', `${GROUP}/${kind}webhookconfigurations`, {
      metadata: { name: `${kind}-${name}` },
      webhooks: [webhook],
    })
    expect(status, JSON.stringify(body)).toBe(201)
  }

  const maps = (): string => `/api/v1/namespaces/${ns}/configmaps`

  const create = (name: string, more: object = {}, query = '') =>
    server.send('POST', `${maps()}${query}`, { metadata: { name, ...more }, data: { a: '1' } })

  return {
    get server(): InProcess {
      return server
    },
    /** The namespace of this test. */
    get ns(): string {
      return ns
    },
    get url(): string {
      return url
    },
    get ca(): string {
      return ca
    },
    /** The reviews that the webhook was asked for by this test. */
    seen,
    /** Where it was asked for them. */
    urls,
    /** The answer of the webhook. */
    set answer(given: Answer) {
      answer = given
    },
    /** The Content-Type that it answers with; none unless a test says so. */
    set contentType(given: string) {
      contentType = given
    },
    register,
    maps,
    create,
  }
}
