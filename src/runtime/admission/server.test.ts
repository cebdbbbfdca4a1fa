import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { authority, certificate, review, serve } from '../../../test/kube/served-webhook.ts'
import { allowed, denied, errored, patched, retryLater } from './decision.ts'
import type { AdmissionRequest } from './request.ts'
import type { AdmissionServer } from './server.ts'
import { makeServerCertificate } from '../certificate/certificates.ts'
import { HttpServer } from '../http/server.ts'

describe('a decision is answered as it was made', () => {
  const refused = (code: number, reason: string, message: string, details?: object): object => ({
    allowed: false,
    status: { metadata: {}, status: 'Failure', message, reason, ...(details && { details }), code },
  })
  test.each([
    ['allowed', allowed(), { allowed: true }],
    ['with warnings', allowed(['one\n  line', 'two']), { allowed: true, warnings: ['one line', 'two'] }],
    ['denied', denied('no room'), refused(403, 'Forbidden', 'no room')],
    ['denied otherwise', denied('too late', 409, 'Gone'), refused(409, 'Gone', 'too late')],
    ['errored', errored('broken'), refused(500, 'InternalError', 'broken')],
    ['to be retried', retryLater('not yet', 3), refused(429, 'TooManyRequests', 'not yet', { retryAfterSeconds: 3 })],
    ['patched with nothing', patched([]), { allowed: true }],
    [
      'patched',
      patched([{ op: 'add', path: '/data', value: { ä: '1' } }], ['changed']),
      {
        allowed: true,
        patch: Buffer.from('[{"op":"add","path":"/data","value":{"ä":"1"}}]').toString('base64'),
        patchType: 'JSONPatch',
        warnings: ['changed'],
      },
    ],
  ])('%s', async (_, decision, response) => {
    const { ask } = await serve(async () => decision)
    for (const version of ['v1', 'v1beta1'])
      expect((await ask('/hook?timeout=10s', review(version))).body).toEqual({
        kind: 'AdmissionReview',
        apiVersion: `admission.k8s.io/${version}`,
        response: { uid: 'u-1', ...response },
      })
  })
})

describe('a webhook', () => {
  test('is asked what the API server asked', async () => {
    const seen: AdmissionRequest[] = []
    const { ask } = await serve(async (request) => {
      seen.push(request)
      return allowed()
    })
    await ask('/hook')
    expect(seen).toMatchObject([{ operation: 'CREATE', namespace: 'shop', object: { metadata: { name: 'settings' } } }])
  })

  test('that throws refuses with the message, and the log says why', async () => {
    const { ask, log } = await serve(async () => {
      throw new Error('the ledger is gone')
    })
    const { code, body } = await ask('/hook')
    expect([code, body.response.allowed, body.response.status.code]).toEqual([200, false, 500])
    expect(body.response.status.message).toBe('the ledger is gone')
    expect(log.join('')).toContain('the ledger is gone')
  })

  test('whose decision cannot be sent refuses', async () => {
    const { ask } = await serve(async () => patched([{ op: 'add', path: '/data', value: 1n }]))
    expect((await ask('/hook')).body.response).toMatchObject({ allowed: false, status: { code: 500 } })
  })

  test('gets its signal shortly before its time is up, and its answer then counts', async () => {
    const events: string[] = []
    const { ask } = await serve(async (_, signal) => {
      setTimeout(() => events.push('150 ms later'), 150)
      await once(signal, 'abort')
      events.push('the signal')
      return retryLater('busy', 1)
    })
    expect((await ask('/hook?timeout=200ms')).body.response.status.message).toBe('busy')
    expect(events).toEqual(['150 ms later', 'the signal'])
  })

  test('gets no signal when only its own process stood still', async () => {
    const { ask } = await serve(async (_, signal) => {
      await new Promise(setImmediate)
      const end = performance.now() + 400
      while (performance.now() < end);
      await new Promise((resolve) => setTimeout(resolve, 1))
      return signal.aborted ? denied('out of time') : allowed()
    })
    expect((await ask('/hook?timeout=200ms')).body.response).toMatchObject({ allowed: true })
  })

  test.each([
    ['that never answers', () => new Promise<never>(() => {})],
    [
      'that gives up on the signal',
      async (_: unknown, signal: AbortSignal) => {
        await once(signal, 'abort')
        throw signal.reason
      },
    ],
  ])('%s is answered for in time, by name', async (_, handle) => {
    const { ask, registry } = await serve(handle)
    const { response } = (await ask('/hook?timeout=200ms')).body
    expect(response.status).toMatchObject({
      code: 504,
      message: 'the webhook /hook did not decide within 0.18s, please try again',
    })
    expect(await registry.metrics()).toContain('allot_admission_reviews_total{path="/hook",verdict="timeout"} 1')
  })

  test('on loopback is not asked by a page whose own name leads here', async () => {
    const { server } = await serve(async () => allowed())
    const codeFor = async (host: string): Promise<number> => {
      const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.certificate })
      const body = JSON.stringify(review())
      socket.write(`POST /hook HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      socket.destroy()
      return Number(answer.toString().split(' ')[1])
    }
    expect([await codeFor('evil.example'), await codeFor('localhost')]).toEqual([403, 200])
  })

  test('gets its signal when the API server has hung up', async () => {
    let aborted: Promise<unknown> = Promise.resolve()
    let asked: () => void
    const arrived = new Promise<void>((resolve) => (asked = resolve))
    const { ask, agent } = await serve(async (_, signal) => {
      aborted = once(signal, 'abort')
      asked()
      await aborted
      return allowed()
    })
    const answer = ask('/hook')
    await arrived
    await agent.destroy()
    await expect(answer).rejects.toThrow()
    await aborted
  })
})

describe('an invalid review is refused with a sentence', () => {
  test.each([
    ['{', 400, /^invalid AdmissionReview: invalid JSON/],
    [{ kind: 'Pod' }, 400, /its kind is "Pod"$/],
    ['x'.repeat(9 * 1024 * 1024), 413, /limit is 8388608$/],
  ])('%#', async (body, code, message) => {
    const { ask, registry } = await serve(async () => allowed())
    const answer = await ask('/hook', body)
    expect([answer.code, answer.body.kind, answer.body.code]).toEqual([code, 'Status', code])
    expect(answer.body.message).toMatch(message)
    expect(await registry.metrics()).toContain('allot_admission_reviews_total{path="/hook",verdict="invalid"} 1')
  })

  test('and so are other paths and methods', async () => {
    const { ask, server, agent } = await serve(async () => allowed())
    expect((await ask('/hook/')).body).toMatchObject({ code: 404, message: 'there is no webhook at this path' })
    const { statusCode, body } = await request(`https://127.0.0.1:${server.port}/hook`, { dispatcher: agent })
    await body.dump()
    expect(statusCode).toBe(405)
  })

  test('an object and its predecessor of 3 MiB each are read', async () => {
    const { ask } = await serve(async ({ object, oldObject }) =>
      denied(String(JSON.stringify(object).length + JSON.stringify(oldObject).length)),
    )
    const large = { apiVersion: 'v1', kind: 'ConfigMap', metadata: {}, data: { a: 'x'.repeat(3 * 1024 * 1024) } }
    const answer = await ask('/hook', review('v1', { operation: 'UPDATE', object: large, oldObject: large }))
    expect(Number(answer.body.response.status.message)).toBeGreaterThan(6 * 1024 * 1024)
  })
})

test('metrics count reviews by path and verdict, from 0 on', async () => {
  const { ask, registry } = await serve(async () => denied('no'), '/pools/validating')
  const before = await registry.metrics()
  expect(before).toContain('allot_admission_reviews_total{path="/pools/validating",verdict="allowed"} 0')
  expect(before).toContain('allot_admission_review_duration_seconds_count{path="/pools/validating"} 0')
  await ask('/pools/validating')
  await ask('/pools/elsewhere')
  const after = await registry.metrics()
  expect(after).toContain('allot_admission_reviews_total{path="/pools/validating",verdict="denied"} 1')
  expect(after).toContain('allot_admission_review_duration_seconds_count{path="/pools/validating"} 1')
  expect(after).toContain('allot_admission_reviews_in_flight{path="/pools/validating"} 0')
  expect(after).not.toContain('elsewhere')
})

describe('the certificate', () => {
  async function presented(server: AdmissionServer): Promise<readonly [string, TLSSocket]> {
    const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.certificate })
    await once(socket, 'secureConnect')
    return [new X509Certificate(socket.getPeerCertificate().raw).serialNumber, socket]
  }
  const post = (body: string): string =>
    `POST /hook HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`

  test('is replaced for new connections while old ones go on', async () => {
    const { server } = await serve(async () => allowed())
    const [first, socket] = await presented(server)
    const next = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
    server.useCertificate(next)
    const [second, other] = await presented(server)
    expect(second).toBe(new X509Certificate(next.certificate).serialNumber)
    expect(first).not.toBe(second)
    socket.write(post(JSON.stringify(review())))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString()).toContain('200 OK')
    socket.destroy()
    other.destroy()
  })

  test('that cannot be used is refused, and the old one stays', async () => {
    const { server, ask } = await serve(async () => allowed())
    const [first, socket] = await presented(server)
    socket.destroy()
    expect(() => server.useCertificate({ certificate: 'nonsense', key: certificate.key })).toThrow()
    expect(() => server.useCertificate({ certificate: certificate.certificate, key: authority.key })).toThrow()
    const [second, other] = await presented(server)
    other.destroy()
    expect(second).toBe(first)
    expect((await ask('/hook')).code).toBe(200)
  })
})

describe('when it stops', () => {
  test('reviews in flight are answered, and clients are asked not to come back', async () => {
    let decide: (decision: ReturnType<typeof allowed>) => void = () => undefined
    let asked: () => void
    const arrived = new Promise<void>((resolve) => (asked = resolve))
    const { ask, server } = await serve(
      () =>
        new Promise((resolve) => {
          decide = resolve
          asked()
        }),
    )
    const answer = ask('/hook')
    await arrived
    const stopped = server.stop({ noticeMs: 0, timeoutMs: 5000 })
    decide(denied('at the last moment'))
    const { body, headers } = await answer
    expect(body.response.status.message).toBe('at the last moment')
    expect(headers['connection']).toBe('close')
    await stopped
    await expect(ask('/hook')).rejects.toThrow()
  })

  test('it goes on for as long as it gives notice', async () => {
    const { ask, server } = await serve(async () => allowed())
    const stopped = server.stop({ noticeMs: 2000, timeoutMs: 1000 })
    expect((await ask('/hook')).headers['connection']).toBe('close')
    expect((await ask('/hook')).body.response.allowed).toBe(true)
    await stopped
  })
})

test('a server that speaks nothing but HTTP/1.1 offers nothing else', async () => {
  const server = await HttpServer.listen({
    host: '127.0.0.1',
    port: 0,
    tls: { key: certificate.key, cert: certificate.certificate },
    http1Only: true,
    maxBodyBytes: 0,
    handle: async (exchange) => exchange.respond(200, 'text/plain', 'ok'),
  })
  const socket = connect({
    host: '127.0.0.1',
    port: server.port,
    ca: authority.certificate,
    ALPNProtocols: ['h2', 'http/1.1'],
  })
  await once(socket, 'secureConnect')
  expect(socket.alpnProtocol).toBe('http/1.1')
  socket.destroy()
  await server.drain(0)
})
