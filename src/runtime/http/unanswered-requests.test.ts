// Covers server.ts: requests that come before answers are read.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { connect as connectPlain, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../certificate/certificates.ts'
import { HttpServer } from './server.ts'

const MOST = 16
/** Node publishes each request that its parser has found. */
const BEGINS = 'http.server.request.start'
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx'

/** Sends a text to a server that answers each request with `answer`; resolves with the requests that were parsed, once the connection has ended. */
async function requestsSeen(protocol: string, text: string, authenticates: boolean): Promise<number> {
  const now = Date.now()
  const { key, certificate } = await makeServerCertificate(await makeAuthority(now), ['127.0.0.1'], now)
  let seen = 0
  const see = (): void => void seen++
  subscribe(BEGINS, see)
  const server = await HttpServer.listen({
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1000,
    authenticates,
    ...(protocol === 'TLS' ? { tls: { cert: certificate, key } } : {}),
    handle: async (exchange) => {
      await exchange.body()
      exchange.respond(200, 'text/plain', 'answer')
    },
  })
  const socket: Socket | TLSSocket =
    protocol === 'TLS'
      ? connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false })
      : connectPlain(server.port, '127.0.0.1')
  try {
    socket.on('error', () => undefined).resume()
    await once(socket, protocol === 'TLS' ? 'secureConnect' : 'connect')
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.end(text)
    await closed
    return seen
  } finally {
    unsubscribe(BEGINS, see)
    socket.destroy()
    await server.drain(0)
  }
}

test.each(['TLS', 'TCP'])('over %s a stranger gets answers to requests that it sends together', async (protocol) => {
  expect(await requestsSeen(protocol, REQUEST.repeat(MOST), true)).toBe(MOST)
})

test.each([
  ['TLS', REQUEST],
  ['TCP', REQUEST],
  ['TLS', POST],
  ['TCP', POST],
])(
  'over %s a stranger that sends thousands of %j without waiting is cut off at once [security/unanswered-requests]',
  async (protocol, request) => {
    for (const authenticates of [true, false])
      expect(await requestsSeen(protocol, request.repeat(5000), authenticates)).toBeLessThanOrEqual(2 * MOST)
  },
)
