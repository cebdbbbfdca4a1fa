// Covers ../server.ts with bounds.ts.
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import type { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../../certificate/certificates.ts'
import type { Exchange } from '../exchange.ts'
import { HttpServer } from '../server.ts'

const SIZE = 48_000_000
const UNREAD_MS = 1000
/** How long a slow reader would take for all: longer than the server waits for a client that does not read. */
const SLOW_MS = 4 * UNREAD_MS
const LIMITS = { host: '127.0.0.1', port: 0, maxBodyBytes: 1000, unreadMs: UNREAD_MS }
let plain: HttpServer
let secure: HttpServer
let ca: string
const ended: string[] = []

async function handle(exchange: Exchange): Promise<void> {
  exchange.closed.addEventListener('abort', () => ended.push(exchange.path))
  exchange.respond(200, 'text/plain', 'x'.repeat(SIZE))
}

beforeAll(async () => {
  const authority = await makeAuthority(Date.now())
  const { key, certificate } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
  ca = authority.certificate
  plain = await HttpServer.listen({ ...LIMITS, handle })
  secure = await HttpServer.listen({ ...LIMITS, tls: { key, cert: certificate }, handle })
})
afterAll(() => Promise.all([plain.drain(0), secure.drain(0)]))

test.concurrent(
  'over HTTP/1.1 an answer that nobody reads is dropped, and one that is read slowly is not',
  { timeout: 60_000 },
  async () => {
    const ask = (path: string) => {
      const socket = connect(plain.port, '127.0.0.1').pause()
      socket.on('error', () => undefined)
      socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      return socket
    }
    const unread = ask('/unread1')
    expect(await readSlowly(ask('/slow1'), '/unread1', '/slow1')).toBeGreaterThan(SIZE)
    unread.destroy()
  },
)

test.concurrent(
  'over HTTP/2 an answer that nobody reads is dropped, and one that is read slowly is not',
  { timeout: 60_000 },
  async () => {
    const session = connectHttp2(`https://127.0.0.1:${secure.port}`, { ca })
    const unread = session.request({ ':path': '/unread2' }).pause()
    unread.on('error', () => undefined)
    expect(await readSlowly(session.request({ ':path': '/slow2' }), '/unread2', '/slow2')).toBe(SIZE)
    session.destroy()
  },
)

/** Reads bit by bit until the other answer was dropped, then the rest; gives how much it was. */
async function readSlowly(stream: Readable, unread: string, slow: string): Promise<number> {
  let size = 0
  stream.on('readable', () => undefined)
  const read = (): void => {
    for (let chunk = stream.read() as Buffer | null; chunk !== null; chunk = stream.read() as Buffer | null)
      size += chunk.length
  }
  const began = performance.now()
  while (!ended.includes(unread)) {
    const due = ((performance.now() - began) / SLOW_MS) * SIZE
    for (
      let chunk: Buffer | null;
      size < due && (chunk = stream.read() as Buffer | null) !== null;
      size += chunk.length
    );
    await pause()
  }
  expect(ended).not.toContain(slow)
  while (!stream.readableEnded) {
    read()
    await pause()
  }
  return size
}

const pause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, 5)
  })
