import { once } from 'node:events'
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../certificate/certificates.ts'
import type { Exchange } from './exchange.ts'
import { HttpServer } from './http-server.ts'

const HEAD_MS = 1500
let server: HttpServer
let ca: string

/** Authenticates every client that brings a token. `/held` is answered when the test says so. */
async function handle(exchange: Exchange): Promise<void> {
  if (exchange.headers.authorization !== undefined) exchange.admit('jane')
  if (exchange.path === '/held') return
  exchange.respond(200, 'text/plain', 'ok')
}

beforeAll(async () => {
  const authority = await makeAuthority(Date.now())
  const { key, certificate } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
  ca = authority.certificate
  const tls = { key, cert: certificate }
  const limits = { host: '127.0.0.1', port: 0, maxBodyBytes: 1000, headMs: HEAD_MS, authenticates: true }
  server = await HttpServer.listen({ ...limits, tls, handle })
})
afterAll(() => server.drain(0))

function open(initialWindowSize?: number): ClientHttp2Session {
  const settings = initialWindowSize === undefined ? {} : { settings: { initialWindowSize } }
  const session = connectHttp2(`https://127.0.0.1:${server.port}`, { ca, ...settings })
  session.on('error', () => undefined)
  return session
}

const ask = (session: ClientHttp2Session, count: number, headers: Readonly<Record<string, string>> = {}) =>
  Array.from({ length: count }, () => {
    const stream = session.request({ ':path': '/', ...headers }).resume()
    stream.on('error', () => undefined)
    return stream
  })

const closed = (streams: readonly ClientHttp2Stream[]) =>
  Promise.all(streams.map((stream) => new Promise<void>((resolve) => stream.once('close', () => resolve()))))

test('a client that is not known has 16 streams at a time, and more are refused so that it can try again', async () => {
  const session = open()
  const held = ask(session, 16, { ':path': '/held' })
  const refused = ask(session, 10)
  await closed(refused)
  // REFUSED_STREAM
  expect(refused.map(({ rstCode }) => rstCode)).toEqual(refused.map(() => 7))
  expect(held.map(({ destroyed }) => destroyed)).not.toContain(true)
  session.destroy()
})

test('a client that shows a credential has a thousand streams at once, from its first request on', async () => {
  const session = open()
  const streams = ask(session, 200, { authorization: 'Bearer x' })
  await closed(streams)
  expect(streams.map(({ rstCode }) => rstCode)).toEqual(streams.map(() => 0))
  if (session.remoteSettings.maxConcurrentStreams !== 1000) await once(session, 'remoteSettings')
  expect(session.remoteSettings.maxConcurrentStreams).toBe(1000)
  session.destroy()
})

test('answers that a client holds back by a window of nothing do not keep its connection, and neither do further requests', async () => {
  const holding = open(0)
  const asking = open()
  const known = open()
  await closed(ask(known, 1, { authorization: 'Bearer x' }))
  ask(holding, 10)
  const timer = setInterval(() => {
    if (!asking.destroyed && !asking.closed) ask(asking, 1)
  }, 50)
  // A reset is an end too; `once` would take its error for a failure.
  await Promise.all(
    [holding, asking].map((session) => new Promise<void>((resolve) => session.once('close', () => resolve()))),
  )
  clearInterval(timer)
  expect([holding.destroyed, asking.destroyed, known.destroyed]).toEqual([true, true, false])
  known.destroy()
})
