import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled } from '../arena.ts'
import { RawConnection, type RawReply } from '../fuzz/byte-connection.ts'
import { answerProblem } from '../fuzz/watch-observer.ts'
import { FLAG, FRAME, frame, GET, kept, KEPT, PREFACE, SETTINGS, uint32 } from './frames.ts'
import { Range } from './range.ts'

const PATIENCE_MS = 60_000
let range: Range
let maps: string

beforeAll(async () => {
  range = await Range.start()
  maps = `${range.namespace}/configmaps`
})
afterEach(() => range.tidy())
afterAll(() => range.stop())

const get = (path: string, more = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${range.observer.allot.token}\r\n${more}\r\n`
const small = () => range.send('POST', maps, { metadata: { generateName: 'small-' } })
/** How many watches the server has open. */
async function watches(): Promise<number> {
  const { text } = await range.send('GET', '/metrics')
  return Number(/^apiserver_longrunning_requests\S* (\d+)/m.exec(text)?.[1])
}

describe('watches that nobody reads [security/unread-watches]', () => {
  const ROUNDS = 350
  const data = { a: 'x'.repeat(100_000) }

  test('are ended when too much waits for them, while others get everything', { timeout: 300_000 }, async () => {
    const before = await watches()
    const halfOpen = await Promise.all(Array.from({ length: 30 }, () => RawConnection.open(range.observer.allot)))
    for (const { socket } of halfOpen) socket.pause()
    for (const connection of halfOpen) connection.write(get(`${maps}?watch=1`))
    await untilSettled(
      async () => ((await watches()) === before + halfOpen.length ? undefined : 'the watches have not begun'),
      PATIENCE_MS,
    )
    const received = new Set<string>()
    const { revision } = await range.observer.client.list(maps)
    const reader = await range.observer.client.watch(maps, revision, ({ type, object }) => {
      if (type === 'ADDED') received.add(object.metadata.name ?? '')
    })
    for (let n = 0; n < ROUNDS; n++)
      expect((await range.send('POST', maps, { metadata: { name: `loud-${n}` }, data })).code).toBe(201)
    await untilSettled(
      async () => (received.size >= ROUNDS ? undefined : `${received.size} of ${ROUNDS} were received`),
      PATIENCE_MS,
    )
    await untilSettled(async () => {
      const open = (await watches()) - before
      return open === 1 ? undefined : `${open} watches are open, one of which is read`
    }, PATIENCE_MS)
    await reader.stop()
    for (const { socket } of halfOpen) socket.destroy()
    await range.send('DELETE', maps)
  })

  test('over HTTP/2 are ended alone: other streams of the connection go on', { timeout: 300_000 }, async () => {
    const session = await openHttp2()
    const stream = request(session, `${maps}?watch=1`).pause()
    await untilSettled(async () => ((await watches()) === 1 ? undefined : 'the watch has not begun'), PATIENCE_MS)
    for (let n = 0; n < ROUNDS; n++)
      expect((await range.send('POST', maps, { metadata: { name: `loud-${n}` }, data })).code).toBe(201)
    await untilSettled(async () => ((await watches()) === 0 ? undefined : 'the watch goes on'), PATIENCE_MS)
    expect(await codeOf(request(session, '/version'))).toBe(200)
    stream.destroy()
    session.destroy()
    await range.send('DELETE', maps)
  })
})

describe('HTTP/1.1', () => {
  test('5,000 requests that are sent before any answer is read are answered in order, as far as the connection lasts', async () => {
    const connection = await RawConnection.open(range.observer.allot)
    connection.socket.pause()
    for (let n = 0; n < 5000; n++) connection.write(get(n % 2 === 0 ? '/livez' : '/nowhere'))
    expect((await range.bounded(small, small)).code).toBe(201)
    connection.socket.resume()
    await connection.reply(3000)
    const codes = [...connection.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)
    expect(codes).toEqual(codes.map((_, n) => (n % 2 === 0 ? '200' : '404')))
  })

  test('a create with a long body that is sent before a long answer is read is answered', async () => {
    const long = { metadata: { generateName: 'long-' }, data: { a: 'x'.repeat(1_000_000) } }
    for (let n = 0; n < 12; n++) expect((await range.send('POST', maps, long)).code).toBe(201)
    const body = JSON.stringify(long)
    const connection = await RawConnection.open(range.observer.allot)
    connection.socket.pause()
    connection.write(get(maps))
    await range.bounded(small, small)
    connection.write(
      get(
        `${maps}?dryRun=All`,
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n`,
      ).replace('GET', 'POST') + body,
    )
    await range.bounded(small, small)
    connection.socket.resume()
    await connection.reply(PATIENCE_MS)
    const codes = [...connection.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)
    expect(codes).toEqual(['200', '201'])
    await range.send('DELETE', maps)
  })

  test('the first create of another user is answered before most of the many that one user sends at once [security/user-turns]', async () => {
    const CREATES = 48
    const { allot, client } = range.observer
    await range.send('POST', `${range.namespace}/serviceaccounts`, { metadata: { name: 'loud' } })
    await range.send(
      'POST',
      `/apis/rbac.authorization.k8s.io/v1${range.namespace.slice('/api/v1'.length)}/rolebindings`,
      {
        metadata: { name: 'loud' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'admin' },
        subjects: [{ kind: 'ServiceAccount', name: 'loud', namespace: 'range' }],
      },
    )
    const { text } = await client.send('POST', `${range.namespace}/serviceaccounts/loud/token`, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {},
    })
    const { token } = (JSON.parse(text) as { status: { token: string } }).status
    const data = Object.fromEntries(Array.from({ length: 2500 }, (_, n) => [`k${n}`, 'abababab']))
    const body = JSON.stringify({ metadata: { generateName: 'many-' }, data })
    const create =
      `POST ${maps}?dryRun=All HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
    const burst = async (): Promise<number> => {
      const loud = await Promise.all(Array.from({ length: CREATES }, () => RawConnection.open(allot)))
      for (const connection of loud) connection.write(create)
      // The one that is answered first shows that the others have arrived.
      await Promise.race(loud.map(({ socket }) => new Promise((resolve) => socket.once('data', resolve))))
      expect((await small()).code).toBe(201)
      const before = loud.filter(({ received }) => received !== '').length
      for (const { code } of await Promise.all(loud.map((connection) => connection.reply(PATIENCE_MS))))
        expect(code).toBe(201)
      return before
    }
    await burst()
    expect(await burst()).toBeLessThan(CREATES / 2)
  })

  const heads: Readonly<Record<string, readonly [string, code: number]>> = {
    '1,990 headers': [Array.from({ length: 1990 }, (_, n) => `a${n}:b\r\n`).join(''), 200],
    '2,100 headers': [Array.from({ length: 2100 }, (_, n) => `a${n}:b\r\n`).join(''), 431],
    '200,000 times the same header': ['a:b\r\n'.repeat(200_000), 431],
    'a header of a megabyte': [`a: ${'b'.repeat(1_000_000)}\r\n`, 200],
    'headers beyond 1.5 MiB': [`${'a'.repeat(1000)}: ${'b'.repeat(1000)}\r\n`.repeat(800), 431],
    'a header beyond 1.5 MiB': [`a: ${'b'.repeat(3_000_000)}\r\n`, 431],
  }
  for (const [what, [head, expected]] of Object.entries(heads)) {
    test(`${what} are answered with ${expected}`, async () => {
      const connection = await RawConnection.open(range.observer.allot)
      connection.write(get('/version', `${head}Connection: close\r\n`))
      const { code, body } = await connection.reply(PATIENCE_MS)
      expect(code).toBe(expected)
      if (code !== 200)
        expect(
          answerProblem({ code, text: body, headers: { 'content-type': 'application/json' } }, 'GET'),
        ).toBeUndefined()
    })
  }

  /** Sends this head, without the line that ends it, and gives what is answered until the server ends the connection. */
  const answered = async (head: string): Promise<RawReply> => {
    const connection = await RawConnection.open(range.observer.allot)
    connection.write(`${head}\r\nAuthorization: Bearer ${range.observer.allot.token}\r\n\r\n`)
    return await connection.reply(PATIENCE_MS)
  }

  test.each(['GET', 'POST'])('%s without a host is refused with a Status, and the connection ends', async (method) => {
    const { code, head, body } = await answered(`${method} /version HTTP/1.1\r\nContent-Length: 0`)
    expect([code, JSON.parse(body)]).toEqual([
      400,
      expect.objectContaining({ kind: 'Status', reason: 'BadRequest', message: 'missing required Host header' }),
    ])
    expect(head).toMatch(/^connection: close$/im)
  })

  test('HEAD without a host is refused without a body', async () => {
    const { code, body } = await answered('HEAD /version HTTP/1.1')
    expect([code, body]).toEqual([400, ''])
  })

  test('a request of HTTP/1.0, which knows no host, is answered', async () => {
    const { code, body } = await answered('GET /version HTTP/1.0')
    expect([code, JSON.parse(body).major]).toEqual([200, '1'])
  })

  test('a host that is empty is one', async () => {
    expect((await answered('GET /version HTTP/1.1\r\nHost:\r\nConnection: close')).code).toBe(200)
  })

  const lines: Readonly<Record<string, number>> = {
    'https://elsewhere.test/version': 200,
    'HTTP://elsewhere.test:6443/version?timeout=5s': 200,
    'https://elsewhere.test': 200,
    'https://elsewhere.test?timeout=5s': 200,
    'https://user:word@elsewhere.test/api/v1/namespaces/default': 200,
    'https://elsewhere.test/nowhere': 404,
    'https://elsewhere.test//api/v1': 404,
    'https://elsewhere.test/api/v1/namespaces/default/configmaps?limit=x': 400,
  }
  for (const [target, expected] of Object.entries(lines)) {
    test(`the target ${target} is the path behind its host, answered with ${expected}`, async () => {
      const { code, body } = await answered(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close`)
      const path = target.replace(/^\w+:\/\/[^/?]+/, '')
      const plain = await answered(
        `GET ${path.startsWith('/') ? path : `/${path}`} HTTP/1.1\r\nHost: x\r\nConnection: close`,
      )
      expect([code, body]).toEqual([expected, plain.body])
    })
  }

  test('a target that names its host needs the header too', async () => {
    expect((await answered('GET https://elsewhere.test/version HTTP/1.1')).code).toBe(400)
  })

  test('the sender of a request decides about a path behind a host as about any', async () => {
    const connection = await RawConnection.open(range.observer.allot)
    connection.write(`GET https://elsewhere.test${maps} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    expect((await connection.reply(PATIENCE_MS)).code).toBe(403)
  })

  test('a header that says whom a request acts as counts wherever it stands', async () => {
    const connection = await RawConnection.open(range.observer.allot)
    connection.write(get(maps, `${'a:b\r\n'.repeat(1900)}Impersonate-User: nobody\r\nConnection: close\r\n`))
    expect((await connection.reply(PATIENCE_MS)).code).toBe(403)
  })
})

describe('HTTP/2', () => {
  test(
    '20,000 streams that are reset at once end the connection or are borne',
    { timeout: PATIENCE_MS * 2 },
    async () => {
      const session = await openHttp2()
      for (let n = 0; n < 20_000 && !session.destroyed && !session.closed; n++) {
        request(session, maps).close()
        if (n % 500 === 0) await new Promise(setImmediate)
      }
      expect((await range.bounded(small, small)).code).toBe(201)
      session.destroy()
    },
  )

  test('a stream that names its host in the header of HTTP/1.1 is answered', async () => {
    const session = await openHttp2()
    // Node's client names the authority by itself, but where there is a host.
    const stream = session.request({ ':path': '/version', host: 'elsewhere.test' }, { endStream: true })
    expect(await codeOf(stream)).toBe(200)
    expect(stream.sentHeaders?.[':authority']).toBeUndefined()
    session.destroy()
  })

  test('2,000 streams at once are all answered', async () => {
    const session = await openHttp2()
    const codes = await Promise.all(Array.from({ length: 2000 }, () => codeOf(request(session, '/livez'))))
    expect(new Set(codes)).toEqual(new Set([200]))
    session.destroy()
  })

  test('large answers that nobody reads do not keep other streams of the connection from being served', async () => {
    const data = { a: 'x'.repeat(900_000) }
    for (let n = 0; n < 12; n++) await range.send('POST', maps, { metadata: { name: `large-${n}` }, data })
    const session = await openHttp2()
    const unread = Array.from({ length: 5 }, () => request(session, maps).pause())
    for (const stream of unread)
      await new Promise((resolve) => {
        stream.once('response', resolve)
      })
    expect(await codeOf(request(session, '/version'))).toBe(200)
    session.destroy()
    await range.send('DELETE', maps)
  })

  const many = (count: number, piece: (index: number) => Buffer): Buffer =>
    Buffer.concat(Array.from({ length: count }, (_, index) => piece(index)))
  const request1 = frame(FRAME.headers, FLAG.endStream | FLAG.endHeaders, 1, GET)
  const open1 = frame(FRAME.headers, FLAG.endHeaders, 1, GET)
  const floods: Readonly<Record<string, () => Buffer>> = {
    '50,000 settings': () => many(50_000, () => frame(FRAME.settings, FLAG.none, 0, Buffer.from([0, 3, 0, 0, 0, 100]))),
    '50,000 pings': () => many(50_000, () => frame(FRAME.ping, FLAG.none, 0, Buffer.alloc(8))),
    '50,000 pieces of nothing': () => Buffer.concat([open1, many(50_000, () => frame(FRAME.data, FLAG.none, 1))]),
    'headers that never end': () =>
      Buffer.concat([
        frame(FRAME.headers, FLAG.none, 1, GET),
        many(2000, () => frame(FRAME.continuation, FLAG.none, 1, Buffer.alloc(8000))),
      ]),
    'a continuation of nothing': () => frame(FRAME.continuation, FLAG.endHeaders, 1, GET),
    'a header of 4,000 bytes, 16,000 times in one byte each': () =>
      frame(
        FRAME.headers,
        FLAG.endStream | FLAG.endHeaders,
        1,
        Buffer.concat([GET, kept('x-bomb', 'x'.repeat(4000)), Buffer.alloc(12_000, KEPT)]),
      ),
    'windows beyond all bounds': () =>
      Buffer.concat([request1, many(100, () => frame(FRAME.windowUpdate, FLAG.none, 1, uint32(0x7fffffff)))]),
    'resets of streams that never were': () =>
      many(20_000, (index) => frame(FRAME.reset, FLAG.none, index * 2 + 1, uint32(8))),
    'a frame that is longer than frames may be': () => frame(FRAME.data, FLAG.none, 1, Buffer.alloc(1_000_000)),
    'a stream of an even number': () => frame(FRAME.headers, FLAG.endStream | FLAG.endHeaders, 2, GET),
    'the same stream twice': () => Buffer.concat([request1, request1]),
    'a body for a stream that does not exist': () => frame(FRAME.data, FLAG.none, 77, Buffer.from('body')),
  }
  for (const [what, bytes] of Object.entries(floods)) {
    test(`${what}: the connection ends or goes on, and others are served`, async () => {
      const connection = await RawConnection.open(range.observer.allot, 'h2')
      connection.write(Buffer.concat([PREFACE, SETTINGS, bytes()]))
      expect((await range.bounded(small, small)).code).toBe(201)
      connection.socket.destroy()
    })
  }

  const rapid = (count: number): Buffer =>
    many(count, (index) =>
      Buffer.concat([
        frame(FRAME.headers, FLAG.endStream | FLAG.endHeaders, index * 2 + 1, GET),
        frame(FRAME.reset, FLAG.none, index * 2 + 1, uint32(8)),
      ]),
    )
  const ended: Readonly<Record<string, () => Buffer>> = {
    '20,000 streams that are reset at once': () => rapid(20_000),
    '5,000 settings': () => many(5000, () => frame(FRAME.settings, FLAG.none, 0, Buffer.from([0, 3, 0, 0, 0, 100]))),
    '5,000 pings': () => many(5000, () => frame(FRAME.ping, FLAG.none, 0, Buffer.alloc(8))),
    '50,000 pieces of nothing': () => Buffer.concat([open1, many(50_000, () => frame(FRAME.data, FLAG.none, 1))]),
    'headers that go on and on': () =>
      Buffer.concat([
        frame(FRAME.headers, FLAG.none, 1, GET),
        many(200, () => frame(FRAME.continuation, FLAG.none, 1, Buffer.alloc(8000))),
      ]),
    'continuations of nothing': () =>
      Buffer.concat([
        frame(FRAME.headers, FLAG.none, 1, GET),
        many(5000, () => frame(FRAME.continuation, FLAG.none, 1)),
      ]),
    'windows that grow by nothing': () => many(100, () => frame(FRAME.windowUpdate, FLAG.none, 0, uint32(0))),
  }
  for (const [what, bytes] of Object.entries(ended)) {
    test(`${what} end that connection, and no other`, async () => {
      const connection = await RawConnection.open(range.observer.allot, 'h2')
      const closed = new Promise((resolve) => {
        connection.socket.once('close', resolve)
      })
      connection.write(Buffer.concat([PREFACE, SETTINGS, bytes()]))
      await closed
      expect((await range.bounded(small, small)).code).toBe(201)
    })
  }
})

async function openHttp2(): Promise<ClientHttp2Session> {
  const session = connectHttp2(range.observer.allot.url, { ca: range.observer.allot.ca, maxSessionMemory: 1000 })
  session.on('error', () => undefined)
  await new Promise<void>((resolve, reject) => {
    session.once('remoteSettings', () => resolve()).once('error', reject)
  })
  return session
}

function request(session: ClientHttp2Session, path: string): ReturnType<ClientHttp2Session['request']> {
  const stream = session.request(
    { ':path': path, authorization: `Bearer ${range.observer.allot.token}` },
    { endStream: true },
  )
  stream.on('error', () => undefined)
  return stream
}

/** 0 when the stream ended without an answer. */
async function codeOf(stream: ReturnType<typeof request>): Promise<number> {
  let code = 0
  stream.on('response', (headers) => (code = Number(headers[':status'])))
  stream.resume()
  await new Promise((resolve) => {
    stream.once('close', resolve)
  })
  return code
}
