import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ApiError } from '../../machinery/status.ts'
import { makeAuthority, makeServerCertificate } from '../certificate/certificates.ts'
import type { Exchange } from './exchange.ts'
import { HttpServer, type HttpServerOptions } from './server.ts'

const running: HttpServer[] = []
afterEach(async () => {
  for (const server of running.splice(0)) await server.drain(0)
})

async function serve(
  handle: (exchange: Exchange) => void | Promise<void>,
  options: Partial<HttpServerOptions> = {},
): Promise<HttpServer> {
  const server = await HttpServer.listen({
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1000,
    ...options,
    handle: async (exchange) => handle(exchange),
  })
  running.push(server)
  return server
}
const at = (server: HttpServer, path = '/'): string => `http://127.0.0.1:${server.port}${path}`
const text = (exchange: Exchange, body: string): void => exchange.respond(200, 'text/plain', body)

/** Echoes the body, or the code of the refusal. */
const echo = async (exchange: Exchange): Promise<void> => {
  try {
    text(exchange, (await exchange.body()).toString())
  } catch (error) {
    exchange.respond(error instanceof ApiError ? error.status.code : 500, 'text/plain', String(error))
  }
}

async function raw(server: HttpServer, request: string): Promise<string> {
  const socket = connect(server.port, '127.0.0.1')
  socket.write(request)
  let answer = ''
  socket.on('data', (chunk) => (answer += chunk.toString()))
  await once(socket, 'close')
  return answer
}

test('an exchange has the method, the undecoded path and the query', async () => {
  const server = await serve((exchange) =>
    text(exchange, JSON.stringify([exchange.method, exchange.path, exchange.query.getAll('a')])),
  )
  expect(await (await fetch(at(server, '/x%2Fy?a=1&a=2%20b'), { method: 'PUT' })).json()).toEqual([
    'PUT',
    '/x%2Fy',
    ['1', '2 b'],
  ])
})

test('a target that names scheme and host is the path and the query behind them', async () => {
  const server = await serve((exchange) => text(exchange, `path ${exchange.path} query ${exchange.search}.`))
  const seen = async (target: string): Promise<string | undefined> =>
    /path .*/.exec(await raw(server, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`))?.[0]
  expect(await seen('https://b.test:1/x%2Fy?a=http://c/')).toBe('path /x%2Fy query a=http://c/.')
  expect(await seen('http://b.test?a')).toBe('path / query a.')
  expect(await seen('http://b.test//x')).toBe('path //x query .')
  expect(await seen('/http://b.test/x')).toBe('path /http://b.test/x query .')
})

test('a request without a host is refused with a Status before it is handled, unless it is of HTTP/1.0', async () => {
  const server = await serve((exchange) => text(exchange, 'handled'))
  const refused = await raw(server, 'GET / HTTP/1.1\r\n\r\n')
  expect(refused).toMatch(/^HTTP\/1\.1 400 [^]*missing required Host header/)
  expect(await raw(server, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/handled$/)
})

test('an expectation that nobody meets is refused, and its connection ends', async () => {
  const server = await serve(echo)
  const request = 'POST / HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nContent-Length: 2\r\n\r\nno'
  expect(await raw(server, request)).toMatch(/^HTTP\/1\.1 417 /)
})

describe('a body', () => {
  test('is read whole, however it comes', async () => {
    const server = await serve(echo)
    expect(await (await fetch(at(server), { method: 'POST', body: 'plain' })).text()).toBe('plain')
    expect(
      await raw(
        server,
        'POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n',
      ),
    ).toMatch(/abc$/)
  })

  test('that is announced too large is refused before it is sent', async () => {
    const server = await serve(echo)
    expect(await raw(server, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n')).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('that turns out too large is refused when it does', async () => {
    const server = await serve(echo)
    const chunk = `1f4\r\n${'x'.repeat(500)}\r\n`
    expect(
      await raw(server, `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}${chunk}`),
    ).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('of exactly the limit is accepted', async () => {
    const server = await serve(echo)
    expect((await fetch(at(server), { method: 'POST', body: 'x'.repeat(1000) })).status).toBe(200)
  })

  test('whose client leaves is given up', async () => {
    const asked = Promise.withResolvers<void>()
    const outcome = Promise.withResolvers<unknown>()
    const server = await serve(async (exchange) => {
      const body = exchange.body()
      asked.resolve()
      outcome.resolve(await body.catch((error: unknown) => error))
    })
    const socket = connect(server.port, '127.0.0.1')
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc')
    await asked.promise
    socket.destroy()
    expect(await outcome.promise).toBeInstanceOf(ApiError)
  })
})

describe('a body that nobody wants', () => {
  const refuse = (exchange: Exchange): void => exchange.respond(403, 'text/plain', 'no')

  test('over HTTP/1.1 has its connection end with the answer when it is long, and is not read to its end', async () => {
    const server = await serve(refuse, { maxBodyBytes: 100_000_000 })
    for (const head of ['Content-Length: 90000000', 'Transfer-Encoding: chunked']) {
      const answer = await raw(server, `POST / HTTP/1.1\r\nHost: a\r\n${head}\r\n\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 403 [^]*connection: close/i)
    }
  })

  test('leaves its connection usable when it is short, or not there', async () => {
    const server = await serve(refuse, { maxBodyBytes: 100_000 })
    const socket = connect(server.port, '127.0.0.1')
    let answers = ''
    socket.on('data', (chunk) => (answers += chunk.toString()))
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n')
    await once(socket, 'data')
    socket.write('0123456789GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    await once(socket, 'close')
    expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 403', 'HTTP/1.1 403'])
  })

  test('over HTTP/2 has its stream end with the answer, and other streams go on', async () => {
    const authority = await makeAuthority(Date.now())
    const { key, certificate } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
    // Whatever of it was read before it was too large.
    const server = await serve(echo, { tls: { key, cert: certificate } })
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: authority.certificate })
    for (let n = 0; n < 2; n++) {
      const stream = session.request({ ':method': 'POST', ':path': '/' }).resume()
      stream.on('error', () => undefined)
      const answered = once(stream, 'response')
      stream.write('x'.repeat(1001))
      expect((await answered)[0]).toMatchObject({ ':status': 413 })
      await once(stream, 'close')
    }
    session.destroy()
  })
})

describe('a body that does not come in time is refused with 408', () => {
  const handle = (exchange: Exchange): void | Promise<void> =>
    exchange.path === '/late' ? echo(exchange) : text(exchange, `answer to ${exchange.path}`)

  test('over HTTP/1.1, and what comes of it afterwards is not taken for a request', async () => {
    const server = await serve(handle, { bodyMs: 50 })
    const socket = connect(server.port, '127.0.0.1')
    let answers = ''
    const received = async (what: string): Promise<void> => {
      while (!answers.includes(what)) answers += String(await once(socket, 'data'))
    }
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`
    const rest = get('/hidden')
    socket.write(`POST /late HTTP/1.1\r\nHost: a\r\nContent-Length: ${rest.length}\r\n\r\n`)
    await received('the request body was not received in time')
    socket.write(rest + get('/next'))
    await received('answer to')
    expect(answers.match(/HTTP\/1\.1 \d+|answer to .*/g)).toEqual(['HTTP/1.1 408', 'HTTP/1.1 200', 'answer to /next'])
    socket.destroy()
  })

  test('over HTTP/2, and other streams of the connection go on', async () => {
    const authority = await makeAuthority(Date.now())
    const { key, certificate } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
    const server = await serve(handle, { bodyMs: 50, tls: { key, cert: certificate } })
    const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: authority.certificate })
    const late = session.request({ ':method': 'POST', ':path': '/late' })
    late.write('the beginning')
    expect((await once(late, 'response'))[0]).toMatchObject({ ':status': 408 })
    const other = session.request({ ':path': '/next' })
    expect((await once(other, 'response'))[0]).toMatchObject({ ':status': 200 })
    session.destroy()
  })
})

test('a code that HTTP/2 cannot carry is sent as a failure of the server, together with its body', async () => {
  const authority = await makeAuthority(Date.now())
  const { key, certificate } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
  const server = await serve(
    (exchange) => exchange.respond(Number(exchange.path.slice(1)), 'text/plain', exchange.path),
    {
      tls: { key, cert: certificate },
    },
  )
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca: authority.certificate })
  for (const [code, sent] of [
    [599, 599],
    [600, 500],
    [999, 500],
  ]) {
    const stream = session.request({ ':path': `/${code}` })
    const [[headers], [body]] = await Promise.all([once(stream, 'response'), once(stream, 'data')])
    expect([headers[':status'], String(body)]).toEqual([sent, `/${code}`])
  }
  session.destroy()
})

test('an answer is given once', async () => {
  const server = await serve((exchange) => {
    text(exchange, 'first')
    text(exchange, 'second')
  })
  expect(await (await fetch(at(server))).text()).toBe('first')
})

test.each([
  ['NONSENSE\r\n\r\n', 400],
  ['GET / HTTP/1.1\r\nHost: a\r\nBad Header: x\r\n\r\n', 400],
  [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(1_600_000)}\r\n\r\n`, 431],
])('a request that is not HTTP is answered with a Status and %#', async (request, code) => {
  const answer = await raw(await serve((exchange) => text(exchange, '')), request)
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `))
  expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toMatchObject({ kind: 'Status', code })
})

describe('a stream', () => {
  const asleep = async (server: HttpServer): Promise<Socket> => {
    const socket = connect(server.port, '127.0.0.1')
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    socket.pause()
    return socket
  }

  test('cuts off a client that does not read', async () => {
    const cut = Promise.withResolvers<number>()
    const server = await serve((exchange) => {
      const stream = exchange.stream('text/plain', 1_000_000)
      const timer = setInterval(() => {
        if (stream.write('x'.repeat(500_000))) return
        clearInterval(timer)
        cut.resolve(1)
      }, 1)
    })
    const socket = await asleep(server)
    expect(await cut.promise).toBe(1)
    socket.destroy()
  })

  test('has room again when the client has read', async () => {
    const waits: string[] = []
    const server = await serve(async (exchange) => {
      const stream = exchange.stream('text/plain', 100_000_000)
      for (let i = 0; i < 20; i++) {
        stream.write('x'.repeat(500_000))
        const drained = stream.drained()
        if (drained !== undefined) waits.push('wait')
        await drained
      }
      stream.end()
    })
    expect(await (await fetch(at(server))).text()).toHaveLength(10_000_000)
    expect(waits.length).toBeGreaterThan(0)
  })

  test('wakes an answer that waits for the buffer when the client goes', async () => {
    const waits = Promise.withResolvers<void>()
    const woken = Promise.withResolvers<boolean>()
    const server = await serve(async (exchange) => {
      const stream = exchange.stream('text/plain', 100_000_000)
      // More than what the system's own buffers take.
      for (let i = 0; i < 40; i++) stream.write('x'.repeat(1_000_000))
      const drained = stream.drained()
      waits.resolve()
      await drained
      woken.resolve(stream.write('more'))
    })
    const socket = await asleep(server)
    await waits.promise
    socket.destroy()
    expect(await woken.promise).toBe(false)
  })

  test('ends when the server drains, and requests that run are answered', async () => {
    const slow = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const server = await serve(async (exchange) => {
      if (exchange.path === '/stream') return void exchange.stream('text/plain', 1000).write('begun')
      asked.resolve()
      await slow.promise
      return text(exchange, 'done')
    })
    const stream = await fetch(at(server, '/stream'))
    const request = fetch(at(server, '/slow'))
    await asked.promise
    const url = at(server)
    const drained = server.drain(20_000)
    expect(await stream.text()).toBe('begun')
    slow.resolve()
    expect(await (await request).text()).toBe('done')
    await drained
    await expect(fetch(url)).rejects.toThrow()
  })
})

test('a server drains no longer than it may, although the clock is set back meanwhile', async () => {
  const asked = Promise.withResolvers<void>()
  const server = await serve(() => {
    asked.resolve()
    return new Promise(() => undefined)
  })
  const request = fetch(at(server, '/endless')).catch(() => 'was cut off')
  await asked.promise
  const clock = vi.spyOn(Date, 'now').mockReturnValueOnce(Date.now()).mockReturnValue(0)
  try {
    await server.drain(50)
  } finally {
    clock.mockRestore()
  }
  expect(await request).toBe('was cut off')
})

test('a port that is taken is reported by its code', async () => {
  const server = await serve((exchange) => text(exchange, ''))
  await expect(
    HttpServer.listen({ host: '127.0.0.1', port: server.port, maxBodyBytes: 1, handle: async () => undefined }),
  ).rejects.toMatchObject({ code: 'EADDRINUSE' })
})
