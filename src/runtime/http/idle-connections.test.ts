// Covers server.ts with the bounds of connections.
import { once } from 'node:events'
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { connect } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../certificate/certificates.ts'
import type { Exchange } from './exchange.ts'
import { HttpServer } from './server.ts'

const KEEP_ALIVE_MS = 300
let server: HttpServer
let ca: string

/** `/quiet` is a stream on which nothing is ever sent. */
async function handle(exchange: Exchange): Promise<void> {
  if (exchange.path === '/quiet') exchange.stream('text/plain', 1000)
  else exchange.respond(200, 'text/plain', 'ok')
}

beforeAll(async () => {
  const authority = await makeAuthority(Date.now())
  const { key, certificate } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
  ca = authority.certificate
  const tls = { key, cert: certificate }
  server = await HttpServer.listen({
    host: '127.0.0.1',
    port: 0,
    tls,
    maxBodyBytes: 1000,
    keepAliveMs: KEEP_ALIVE_MS,
    handle,
  })
})
afterAll(() => server.drain(0))

const openHttp1 = () => connect({ host: '127.0.0.1', port: server.port, ca, ALPNProtocols: ['http/1.1'] }).resume()
const openHttp2 = (): ClientHttp2Session => connectHttp2(`https://127.0.0.1:${server.port}`, { ca })
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

test('a connection on which nothing is ever asked is ended', async () => {
  const socket = openHttp1()
  await once(socket, 'close')
  expect(socket.bytesWritten).toBe(0)
})

test('a connection is ended some time after its last answer', async () => {
  const socket = openHttp1()
  let answer = ''
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()))
  socket.write(get('/'))
  await once(socket, 'close')
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
})

test('an HTTP/2 connection without streams is ended', async () => {
  const unused = openHttp2()
  const used = openHttp2()
  await once(used.request({ ':path': '/' }).resume(), 'close')
  await Promise.all([once(unused, 'close'), once(used, 'close')])
  expect([unused.destroyed, used.destroyed]).toEqual([true, true])
})

test('a stream on which nothing is sent keeps its connection, over HTTP/1.1 and HTTP/2', async () => {
  const socket = openHttp1()
  socket.write(get('/quiet'))
  const session = openHttp2()
  const stream = session.request({ ':path': '/quiet' }).resume()
  // By the time that idle ones which came later are ended, it would have been ended too.
  for (let n = 0; n < 3; n++) await Promise.all([once(openHttp1(), 'close'), once(openHttp2(), 'close')])
  expect([socket.destroyed, session.destroyed, stream.destroyed]).toEqual([false, false, false])
  socket.destroy()
  session.destroy()
})
