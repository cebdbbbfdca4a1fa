// Covers server.ts: HTTP/2 of clients that are not known.
import { once } from 'node:events'
import { connect as connectHttp2, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../certificate/certificates.ts'
import type { Exchange } from './exchange.ts'
import type { ShownCredential } from './shown-credential.ts'
import { HttpServer } from './server.ts'

/** Longer than any test here takes on a loaded machine. */
const HEAD_MS = 60_000
const SHORT_HEAD_MS = 1500
let server: HttpServer
/** Gives a client little time to show its credential. */
let hasty: HttpServer
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
  const limits = { host: '127.0.0.1', port: 0, maxBodyBytes: 1000, authenticates: true }
  const knows = ({ authorization }: ShownCredential): boolean => authorization !== undefined
  server = await HttpServer.listen({ ...limits, headMs: HEAD_MS, tls, handle, knows })
  hasty = await HttpServer.listen({ ...limits, headMs: SHORT_HEAD_MS, tls, handle })
})
afterAll(() => Promise.all([server.drain(0), hasty.drain(0)]))

function open({ port } = server, initialWindowSize?: number): ClientHttp2Session {
  const settings = initialWindowSize === undefined ? {} : { settings: { initialWindowSize } }
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca, ...settings })
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
  const holding = open(hasty, 0)
  const asking = open(hasty)
  const known = open(hasty)
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

test.each([
  ['with its first request', []],
  ['with a later request', [{}]],
])(
  'a client that is known %s may give up all its streams at once, and its connection goes on',
  async (_when, first) => {
    const session = open()
    for (const headers of [...first, { authorization: 'Bearer x' }]) await closed(ask(session, 1, headers))
    const given = ask(session, 900, { ':path': '/held' })
    for (const stream of given) stream.close(8)
    await closed(given)
    const [last] = ask(session, 1)
    await closed([last].filter((stream) => stream !== undefined))
    expect(last?.rstCode).toBe(0)
    session.destroy()
  },
)

test('many clients of one address that show a credential at once are all served, whatever they ask then', async () => {
  const sessions = Array.from({ length: 100 }, () => open())
  const streams = sessions.flatMap((session) => ask(session, 16, { authorization: 'Bearer x' }))
  await closed(streams)
  expect(streams.map(({ rstCode }) => rstCode)).toEqual(streams.map(() => 0))
  for (const session of sessions) session.destroy()
})

test('a client that is not known and asks without end gets ENHANCE_YOUR_CALM, and its connection ends', async () => {
  const session = open()
  let code: number | undefined
  session.on('goaway', (why) => (code = why))
  const over = new Promise<void>((resolve) => session.once('close', () => resolve()))
  while (!session.destroyed && !session.closed) await closed(ask(session, 1))
  await over
  // ENHANCE_YOUR_CALM
  expect(code).toBe(11)
})
