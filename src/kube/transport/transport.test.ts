import '../../runtime/certificate/reflect-metadata.ts'
import { describe, expect, test } from 'vitest'
import { json, type Handler } from '../../../test/kube/tls-server.ts'
import { failure } from '../../machinery/status.ts'
import { AnswerTooLarge } from '../client/answer-reader.ts'
import { type Credential, type CredentialSource, fixedCredential } from '../credentials/source.ts'
import { accessTo, get, hasty, transports, unreachable } from '../../../test/kube/transports.ts'

const { serve, transport } = transports()

describe('a request', () => {
  test('sends its User-Agent and its credentials', async () => {
    const seen: Record<string, unknown>[] = []
    const server = await serve((request, response) => {
      seen.push(request.headersDistinct)
      json(response, 200, {})
    })
    const impersonation = { user: 'jané', uid: '7', groups: ['dev', 'ops'], extra: { 'example.com/a%b': ['1', '2'] } }
    await transport(accessTo(server, { impersonation }), {
      credentials: fixedCredential({ authorization: 'Bearer abc' }),
    }).send(get)
    expect(seen[0]).toMatchObject({
      authorization: ['Bearer abc'],
      'user-agent': [`allot/1.2.3 (${process.platform}/${process.arch})`],
      accept: ['application/json'],
      'impersonate-user': [Buffer.from('jané').toString('latin1')],
      'impersonate-uid': ['7'],
      'impersonate-group': ['dev', 'ops'],
      'impersonate-extra-example.com%2fa%25b': ['1', '2'],
    })
  })

  test('goes below the path of the server', async () => {
    const server = await serve()
    await transport(accessTo(server, { server: `${server.url}/clusters/a` })).send(get)
    expect(server.requests).toEqual(['GET /clusters/a/x'])
  })

  test('uses the connection of the last one', async () => {
    const server = await serve()
    const sender = transport(accessTo(server))
    for (let i = 0; i < 10; i++) await sender.send(get)
    // A second one may be made while the first one is being put back.
    expect([server.requests.length, server.sockets.length <= 2]).toEqual([10, true])
  })

  test('waits when all connections are in use', async () => {
    const server = await serve((_, response) => void setImmediate(() => json(response, 200, {})))
    const sender = transport(accessTo(server), { maxConnections: 3 })
    await Promise.all(Array.from({ length: 50 }, () => sender.send(get)))
    expect([server.requests.length, server.sockets.length <= 3]).toEqual([50, true])
  })

  test('does not wait for watches', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/watch') response.writeHead(200).flushHeaders()
      else json(response, 200, {})
    })
    const sender = transport(accessTo(server), { maxConnections: 1 })
    for (let i = 0; i < 5; i++) await sender.stream({ method: 'GET', path: '/watch' }, 60_000)
    expect((await sender.send(get)).status).toBe(200)
    expect(server.sockets).toHaveLength(6)
  })

  test('that takes too long ends with advice', async () => {
    const server = await serve(() => {})
    const error = await unreachable(transport(accessTo(server)).send({ ...get, deadlineMs: 50 }))
    expect([error.code, error.message]).toEqual(['timeout', `${server.url} gave no answer within 0.05 seconds`])
    await expect.poll(() => server.open).toBe(0)
  })

  test('whose answer stops half-way ends at the deadline too', async () => {
    const server = await serve((_, response) => void response.writeHead(200).write('{"half":'))
    expect((await unreachable(transport(accessTo(server)).send({ ...get, deadlineMs: 50 }))).code).toBe('timeout')
  })

  test('that is aborted rejects with the reason and closes its connection', async () => {
    const stop = new AbortController()
    const server = await serve(() => stop.abort(new Error('enough')))
    await expect(transport(accessTo(server)).send({ ...get, signal: stop.signal })).rejects.toThrow('enough')
    await expect.poll(() => server.open).toBe(0)
  })
})

describe('a connection that is dropped', () => {
  /** Answers the first request of each connection and drops it with the next one. */
  const dropping = (): Handler => {
    const used = new WeakSet()
    return (request, response) => {
      if (used.has(request.socket)) request.socket.destroy()
      else json(response, 200, {})
      used.add(request.socket)
    }
  }

  test('is made again for a GET', async () => {
    const server = await serve(dropping())
    const sender = transport(accessTo(server))
    const answers = [await sender.send(get), await sender.send(get), await sender.send(get)]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(server.sockets).toHaveLength(3)
  })

  test('is an error for what writes: it may have been done', async () => {
    const server = await serve((request, response) => {
      if (request.method === 'POST') request.socket.destroy()
      else json(response, 200, {})
    })
    const sender = transport(accessTo(server))
    await sender.send(get)
    expect((await unreachable(sender.send({ method: 'POST', path: '/x', body: '{}' }))).code).toBe('dropped')
    expect(server.requests).toEqual(['GET /x', 'POST /x'])
  })

  test('is an error when it is dropped again', async () => {
    const server = await serve((request) => void request.socket.destroy())
    expect((await unreachable(transport(accessTo(server)).send(get))).code).toBe('dropped')
    expect(server.requests).toHaveLength(2)
  })

  test('within the answer is an error, and not half an answer', async () => {
    const server = await serve((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('{"half":')
      setImmediate(() => request.socket.destroy())
    })
    expect((await unreachable(transport(accessTo(server)).send(get))).code).toBe('dropped')
  })
})

describe('an answer that says to try again', () => {
  const busy = (times: number, status: number, headers: Record<string, string>): Handler => {
    let left = times
    return (_, response) => {
      if (left-- > 0) json(response, status, {}, headers)
      else json(response, 200, {})
    }
  }

  test.each([429, 503])('of status %i is followed, not before the time that it says', async (status) => {
    const { waits, context } = hasty()
    const server = await serve(busy(2, status, { 'retry-after': '3' }))
    const answer = await transport(accessTo(server), { context }).send({ method: 'POST', path: '/x', body: '{}' })
    expect([answer.status, waits]).toEqual([200, [3025, 3050]])
  })

  test('later than the deadline is the answer', async () => {
    const { waits, context } = hasty()
    const server = await serve(busy(9, 429, { 'retry-after': '12' }))
    const answer = await transport(accessTo(server), { context }).send(get)
    expect([answer.status, answer.retryAfterSeconds, waits.length]).toEqual([429, 12, 2])
  })

  test.each([
    ['without a time', 429, {}],
    ['with a date, which no API server sends', 503, { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }],
    ['with another status', 500, { 'retry-after': '1' }],
  ])('%s is not followed', async (_, status, headers) => {
    const { context } = hasty()
    const server = await serve(busy(1, status, { ...headers }))
    expect((await transport(accessTo(server), { context }).send(get)).status).toBe(status)
  })
})

test('no more requests begin than the rate allows, in the order of asking', async () => {
  const { waits, context } = hasty()
  const server = await serve()
  const sender = transport(accessTo(server), { context, rate: { qps: 10, burst: 2 } })
  for (let i = 0; i < 4; i++) await sender.send(get)
  expect(waits).toEqual([100, 100])
})

describe('a credential that is refused', () => {
  const onlyGood: Handler = (request, response) =>
    json(response, request.headers.authorization === 'Bearer good' ? 200 : 401, {})

  function tokens(...all: readonly string[]): CredentialSource {
    const left: Credential[] = all.map((token) => ({ authorization: `Bearer ${token}` }))
    return {
      current: async () => left[0] ?? {},
      refused: () => {
        if (left.length === 1) return false
        left.shift()
        return true
      },
    }
  }

  test('is renewed, and the request sent again', async () => {
    const server = await serve(onlyGood)
    const sender = transport(accessTo(server), { credentials: tokens('old', 'good') })
    expect((await sender.send({ method: 'POST', path: '/x', body: '{}' })).status).toBe(200)
  })

  test('twice is the answer', async () => {
    const server = await serve(onlyGood)
    const sender = transport(accessTo(server), { credentials: tokens('old', 'older', 'good') })
    expect((await sender.send(get)).status).toBe(401)
    expect(server.requests).toHaveLength(2)
  })

  test('without another one is the answer', async () => {
    const server = await serve(onlyGood)
    expect((await transport(accessTo(server), { credentials: tokens('old') }).send(get)).status).toBe(401)
    expect(server.requests).toHaveLength(1)
  })
})

test('an answer that its reader finds too large is not read to its end, and the reader says why', async () => {
  const server = await serve((_, response) => void response.end('x'.repeat(10_000_000)))
  let bytes = 0
  const received = (more: number): void => {
    bytes += more
    if (bytes > 100_000) throw new AnswerTooLarge(failure(413, 'RequestEntityTooLarge', 'enough'))
  }
  const sender = transport(accessTo(server))
  await expect(sender.send({ ...get, received })).rejects.toMatchObject({ message: 'enough', status: { code: 413 } })
  expect(bytes).toBeLessThan(5_000_000)
})

test('warnings are told once, however often a request is repeated and whatever is answered', async () => {
  let asked = 0
  const server = await serve((request, response) => {
    const code = request.url === '/refused' ? 403 : asked++ === 0 ? 429 : 201
    response.setHeader('warning', ['299 - "a \\"b\\"", 299 - "c"', '299 - "d"'])
    response.writeHead(code, { 'retry-after': '0' }).end('{}')
  })
  const sender = transport(accessTo(server))
  for (const path of ['/x', '/refused']) {
    const told: string[] = []
    await sender.send({ ...get, path, warned: (text) => void told.push(text) })
    expect(told).toEqual(['a "b"', 'c', 'd'])
  }
})
