import { readdirSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { untilSettled } from '../arena.ts'
import { RawConnection, type RawReply } from '../fuzz/byte-connection.ts'
import { answerProblem } from '../fuzz/watch-observer.ts'
import { Crowd } from './crowd.ts'
import { Range } from './range.ts'

const PATIENCE_MS = 60_000
const SOAK = process.env['ALLOT_SOAK'] === '1'
/** The server keeps at most 1,024 unauthenticated connections. */
const BARE = 1500
const UNFINISHED = SOAK ? 3600 : 150
const MOST_GROWTH_MB = 400
let range: Range

beforeAll(async () => {
  range = await Range.start()
})
afterEach(() => range.tidy())
afterAll(() => range.stop())

const small = () => range.send('POST', `${range.namespace}/configmaps`, { metadata: { generateName: 'small-' } })
const openFiles = (): number => readdirSync(`/proc/${range.observer.allot.pid}/fd`).length

/** Sends a head without a credential; the answer must be a proper one. */
async function ask(target: string, fields: string): Promise<RawReply> {
  const connection = await RawConnection.open(range.observer.allot)
  connection.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n${fields}Connection: close\r\n\r\n`)
  const reply = await connection.reply(PATIENCE_MS)
  const { code, body } = reply
  expect(answerProblem({ code, text: body, headers: { 'content-type': 'application/json' } }, 'GET')).toBeUndefined()
  return reply
}

describe('the requests of a client before it is authenticated [security/unknown-clients]', () => {
  const extras = (count: number): string => 'Impersonate-Extra-a: b\r\n'.repeat(count)
  const heads: Readonly<Record<string, readonly [target: string, fields: string, code: number]>> = {
    'a thousand header fields pass': [
      '/version',
      Array.from({ length: 1000 }, (_, n) => `x-${n}: y\r\n`).join(''),
      200,
    ],
    'a token of 64 KiB is looked at': ['/version', `Authorization: Bearer ${'t'.repeat(65_536)}\r\n`, 401],
    'a URL of 1 MiB passes': [`/version?a=${'b'.repeat(2 ** 20 - 11)}`, '', 200],
    'a thousand parameters pass': [`/version?${'a=b&'.repeat(999)}a=b`, '', 200],
    'a thousand wishes to be somebody else are read': ['/api', `Impersonate-User: a\r\n${extras(1000)}`, 403],
    '45,000 wishes to be somebody else are refused': ['/version', `Impersonate-User: a\r\n${extras(45_000)}`, 431],
    '500,000 parameters are refused': [`/version?${'a&'.repeat(500_000)}`, '', 431],
    'a URL beyond the bound is refused': [`/${'a'.repeat(1_600_000)}`, '', 431],
    '30 MB of header fields are refused, and the answer arrives': [
      '/version',
      `x: ${'y'.repeat(1000)}\r\n`.repeat(30_000),
      431,
    ],
  }
  for (const [what, [target, fields, expected]] of Object.entries(heads))
    test(`over HTTP/1.1 ${what}`, async () => {
      const { code } = await range.bounded(
        async () => ({ ...(await ask(target, fields)), headers: {}, text: '' }) as never,
        small,
      )
      expect(code).toBe(expected)
    })

  const lists: Readonly<Record<string, readonly [Readonly<Record<string, string>>, code: number]>> = {
    'a thousand header fields pass': [Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`x-${n}`, 'y'])), 200],
    'a token of 64 KiB is looked at': [{ authorization: `Bearer ${'t'.repeat(65_536)}` }, 401],
    '2,100 header fields are refused': [
      Object.fromEntries(Array.from({ length: 2100 }, (_, n) => [`x-${n}`, 'y'])),
      431,
    ],
    '20,000 parameters are refused': [{ ':path': `/version?${'a&'.repeat(20_000)}` }, 431],
  }
  for (const [what, [headers, expected]] of Object.entries(lists))
    test(`over HTTP/2 ${what}, and the connection goes on`, async () => {
      const { url, ca } = range.observer.allot
      const session = connectHttp2(url, { ca, maxSendHeaderBlockLength: 2 ** 22 })
      const codes: unknown[] = []
      for (const more of [headers, {}]) {
        const stream = session.request({ ':path': '/version', ...more }).resume()
        stream.on('response', (response) => codes.push(response[':status']))
        await new Promise((resolve) => {
          stream.once('close', resolve)
        })
      }
      expect(codes).toEqual([expected, 200])
      session.destroy()
    })
})

test(
  `${BARE} connections without a handshake lock nobody out, and are ended; an authenticated client keeps its connection`,
  { timeout: 300_000 },
  async () => {
    const known = await Crowd.tls(range.observer.allot, 20)
    const files = openFiles()
    const crowd = await Crowd.tcp(range.observer.allot, BARE)
    for (let n = 0; n < 5; n++) expect((await ask('/version', '')).code).toBe(200)
    expect(openFiles() - files).toBeLessThan(1100)
    await untilSettled(async () => (crowd.size === 0 ? undefined : `${crowd.size} are still open`), PATIENCE_MS)
    expect((await ask('/version', '')).code).toBe(200)
    expect(known.size).toBe(20)
    known.leave()
  },
)

test(
  `${UNFINISHED} connections with 1 MB of an unfinished head each do not exhaust the memory`,
  { timeout: 900_000 },
  async () => {
    const { observer } = range
    const before = observer.memoryMb()
    const head = `GET /version HTTP/1.1\r\n${'a:b\r\n'.repeat(200_000)}`
    const field = `GET /version HTTP/1.1\r\na: ${'b'.repeat(1_000_000)}`
    const connections: RawConnection[] = []
    for (let n = 0; n < UNFINISHED; n++) {
      const connection = await RawConnection.open(observer.allot).catch(() => undefined)
      if (connection === undefined) continue
      connection.write(n % 2 === 0 ? head : field)
      connections.push(connection)
      if (n % 50 === 0) expect((await range.bounded(small, small)).code).toBe(201)
    }
    expect((await range.bounded(small, small)).code).toBe(201)
    expect(observer.mostMemoryMb() - before).toBeLessThan(MOST_GROWTH_MB)
    for (const { socket } of connections) socket.destroy()
  },
)
