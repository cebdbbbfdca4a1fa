import { describe, expect, test } from 'vitest'
import { type Answer, GROUP, hookedServer } from './hooked-server.ts'

const hook = hookedServer()
const { create, register, seen } = hook

describe('a webhook that fails', () => {
  const failures: readonly (readonly [string, () => ReturnType<Answer>, RegExp])[] = [
    [
      'answers nonsense',
      () => 'nonsense',
      /^Internal error occurred: failed calling webhook "hook.example.test": failed to call webhook: /,
    ],
    [
      'answers for another request',
      () => ({ uid: 'other', allowed: true }),
      /received invalid webhook response: expected response.uid="/,
    ],
    [
      'answers more values than a request may hold',
      () => ({ allowed: true, warnings: Array.from({ length: 100_000 }, () => ({})) }),
      /the answer cannot be read: the body holds too many values: at most 1000000 are read/,
    ],
    ['hangs', () => 'hang', /context deadline exceeded$/],
    [
      'denies with a code that is a text',
      () => ({ allowed: false, status: { code: '403' } }),
      /failed to call webhook: json: cannot unmarshal string into Go struct field Status\.response\.status\.code of type int32$/,
    ],
    [
      'warns with a text instead of a list',
      () => ({ allowed: true, warnings: 'mind the gap' }),
      /failed to call webhook: json: cannot unmarshal string into Go struct field AdmissionResponse\.response\.warnings of type \[\]string$/,
    ],
    [
      'annotates with a number',
      () => ({ allowed: true, auditAnnotations: { a: 1 } }),
      /failed to call webhook: json: cannot unmarshal number into Go struct field AdmissionResponse\.response\.auditAnnotations of type string$/,
    ],
  ]
  test.each(failures)(
    'because it %s refuses the request, or is ignored where its policy says so',
    async (_what, given, message) => {
      await register('validating', { timeoutSeconds: 1 })
      hook.answer = given
      const { status, body } = await create('failed')
      expect([status, body.reason]).toEqual([500, 'InternalError'])
      expect(body.message).toMatch(message)
      await hook.server.send('DELETE', `${GROUP}/validatingwebhookconfigurations`)
      await register('validating', { timeoutSeconds: 1, failurePolicy: 'Ignore' })
      expect((await create('ignored')).status).toBe(201)
    },
  )

  test.each([
    ['/json', 'mime: no media type'],
    ['application json', 'mime: expected slash after first token'],
    ['application/json; charset', 'mime: invalid media parameter'],
  ])('because its Content-Type is invalid (%s) is rejected as upstream rejects it', async (contentType, problem) => {
    await register('validating')
    hook.answer = () => ({ allowed: true })
    hook.contentType = contentType
    const { status, body } = await create('typed')
    expect([status, body.message]).toEqual([
      500,
      `Internal error occurred: failed calling webhook "hook.example.test": failed to call webhook: Internal error occurred: ${problem}`,
    ])
    await hook.server.send('DELETE', `${GROUP}/validatingwebhookconfigurations`)
    await register('validating', { failurePolicy: 'Ignore' })
    expect((await create('ignored')).status).toBe(201)
  })

  test.each(['', 'text/plain; charset=utf-8', 'application/json;'])(
    'does not fail because its Content-Type is another (%s)',
    async (contentType) => {
      await register('validating')
      hook.answer = () => ({ allowed: true })
      hook.contentType = contentType
      expect((await create('typed')).status).toBe(201)
    },
  )

  test('does not fail when only the server stood still, for longer than the webhook may take', async () => {
    await register('validating', { timeoutSeconds: 1 })
    hook.answer = () => {
      // Server and webhook share this process.
      const end = performance.now() + 1300
      while (performance.now() < end);
      return { allowed: true }
    }
    expect((await create('stalled')).status).toBe(201)
  })

  test('because it hangs holds up nobody else', async () => {
    await register('validating', { timeoutSeconds: 30 })
    const { promise, resolve } = Promise.withResolvers<object>()
    hook.answer = () => promise
    let done = false
    const hanging = create('hanging').finally(() => (done = true))
    for (let n = 0; n < 20; n++)
      expect(
        (
          await hook.server.send('POST', '/api/v1/namespaces/default/configmaps', {
            metadata: { name: `free-${hook.ns}-${n}` },
          })
        ).status,
      ).toBe(201)
    expect(done).toBe(false)
    resolve({ allowed: true })
    expect((await hanging).status).toBe(201)
  })

  test('because nobody listens says so', async () => {
    await register('validating', { clientConfig: { url: 'https://127.0.0.1:1/review' } })
    expect((await create('lonely')).body.message).toMatch(
      /failed to call webhook: Post "https:\/\/127\.0\.0\.1:1\/review\?timeout=10s": /,
    )
  })

  test('does not quote a part of the URL that nobody guesses', async () => {
    const part = '0123456789abcdef'.repeat(2)
    await register('validating', { clientConfig: { url: `https://127.0.0.1:1/review/${part}` } })
    const { message } = (await create('secluded')).body
    expect(message).toContain('Post "https://127.0.0.1:1/review/…?timeout=10s": ')
    expect(message).not.toContain(part)
  })

  describe('because of its service', () => {
    const service = (): string => `/api/v1/namespaces/${hook.ns}/services`
    const slices = (): string => `/apis/discovery.k8s.io/v1/namespaces/${hook.ns}/endpointslices`
    const at = (port?: number): object => ({
      clientConfig: {
        service: { namespace: hook.ns, name: 'hooks', path: '/deny', ...(port === undefined ? {} : { port }) },
        caBundle: hook.ca,
      },
    })

    async function serve(ports: readonly object[], endpoints: readonly object[], slicePorts: readonly object[]) {
      const { status, body } = await hook.server.send('POST', service(), {
        metadata: { name: 'hooks' },
        spec: { ports },
      })
      expect(status, JSON.stringify(body)).toBe(201)
      const slice = await hook.server.send('POST', slices(), {
        metadata: { name: 'hooks', labels: { 'kubernetes.io/service-name': 'hooks' } },
        addressType: 'IPv4',
        endpoints,
        ports: slicePorts,
      })
      expect(slice.status, JSON.stringify(slice.body)).toBe(201)
    }

    const refusal = (port: number, why: string): string =>
      'Internal error occurred: failed calling webhook "hook.example.test": failed to call webhook: ' +
      `Post "https://hooks.${hook.ns}.svc:${port}/deny?timeout=10s": ${why}`
    const hookPort = (): number => Number(new URL(hook.url).port)

    test('reports a service that does not exist', async () => {
      await register('validating', at())
      expect((await create('lost')).body.message).toBe(refusal(443, 'service "hooks" not found'))
    })

    test('reports a port that the service lacks, though there is an endpoint', async () => {
      await serve(
        [{ port: 443, targetPort: hookPort() }],
        [{ addresses: ['127.0.0.1'] }],
        [{ name: '', port: hookPort() }],
      )
      await register('validating', at(444))
      expect((await create('lost')).body.message).toBe(refusal(444, 'no service port 444 found for service "hooks"'))
      expect(seen).toEqual([])
    })

    test.each([
      ['is not ready', [{ addresses: ['127.0.0.1'], conditions: { ready: false } }], 'https'],
      ['has only ports of other names', [{ addresses: ['127.0.0.1'] }], 'other'],
    ])('reports that there are no endpoints when all of them %s', async (_what, endpoints, name) => {
      await serve([{ name: 'https', port: 443 }], endpoints, [{ name, port: hookPort() }])
      await register('validating', at())
      expect((await create('lost')).body.message).toBe(refusal(443, 'no endpoints available for service "hooks"'))
    })
  })

  test('can be taken away, since webhooks are never asked about webhooks', async () => {
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }]
    await register('validating', { rules, clientConfig: { url: 'https://127.0.0.1:1/review' }, namespaceSelector: {} })
    expect((await create('blocked')).status).toBe(500)
    expect((await hook.server.send('DELETE', `${GROUP}/validatingwebhookconfigurations`)).status).toBe(200)
    expect((await create('free')).status).toBe(201)
  })

  test('at a dry run is not asked when it may have side effects', async () => {
    await register('validating', { sideEffects: 'NoneOnDryRun' })
    hook.answer = () => ({ allowed: true })
    expect((await create('dry', {}, '?dryRun=All')).status).toBe(201)
    expect(seen[0]?.request['dryRun']).toBe(true)
  })
})
