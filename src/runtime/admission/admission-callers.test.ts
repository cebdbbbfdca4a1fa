// Covers server.ts, by callers that anybody can be.
import { once } from 'node:events'
import { connect as connectTcp, type Socket } from 'node:net'
import { Readable } from 'node:stream'
import { connect, type TLSSocket } from 'node:tls'
import { request } from 'undici'
import { describe, expect, test } from 'vitest'
import { authority, review, serve } from '../../../test/kube/served-webhook.ts'
import { allowed, denied } from './decision.ts'
import type { AdmissionRequest } from './request.ts'

describe('requests to the webhooks from any client are bounded: [security/webhook-bounds]', () => {
  test('unfinished bodies of one address hold 64 MiB at most, the oldest are refused, and reviews are answered meanwhile', async () => {
    const { server, ask } = await serve(async () => allowed())
    const codes: string[] = []
    const head = 'POST /hook HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8000000\r\n\r\n'
    const part = Buffer.alloc(4_500_000, ' ')
    const sockets: TLSSocket[] = []
    for (let n = 0; n < 10; n++) {
      const socket = connect({ host: '127.0.0.1', port: server.port, ca: authority.certificate })
      sockets.push(socket)
      socket.on('error', () => undefined)
      socket.on('data', (chunk: Buffer) => codes.push(`${n} ${chunk.toString('latin1', 9, 12)}`))
      await new Promise<void>((resolve) => {
        socket.write(head)
        socket.write(part, () => resolve())
      })
    }
    while (codes.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(codes[0]).toBe('0 503')
    expect((await ask('/hook')).body.response.allowed).toBe(true)
    for (const socket of sockets) socket.destroy()
  })

  test('connections of strangers, however many and from wherever, cut off nobody who knows a webhook', async () => {
    const decided = Promise.withResolvers<void>()
    const { server, ask } = await serve(async () => (await decided.promise, allowed()))
    const { port } = server
    const reviews = Array.from({ length: 20 }, () => ask('/hook?timeout=30s'))
    const strangers: Socket[] = []
    for (let n = 0; n < 1100; n++) {
      const localAddress = `127.0.${1 + Math.floor(n / 200)}.${1 + (n % 200)}`
      const socket = connectTcp({ host: '127.0.0.1', port, localAddress }).on('error', () => undefined)
      strangers.push(socket)
      if (n % 50 === 0) await once(socket, 'connect')
    }
    while (!strangers.some(({ closed }) => closed)) await new Promise((resolve) => setImmediate(resolve))
    decided.resolve()
    for (const review of reviews) expect((await review).body.response.allowed).toBe(true)
    for (const socket of strangers) socket.destroy()
  })

  test('a review of more values than an object and its predecessor may have is refused with 413 [security/large-review]', async () => {
    const { ask } = await serve(async () => allowed())
    const data = (count: number): string =>
      JSON.stringify(review('v1', { options: { data: 'X' } })).replace('"X"', `[${'{},'.repeat(count)}{}]`)
    expect((await ask('/hook', data(190_000))).code).toBe(200)
    expect((await ask('/hook', data(200_000))).code).toBe(413)
  })
})

describe('callers that have to be proven', () => {
  /** Lets in what the test says; a review of a probe is one whose name is so. */
  const callersThat = (admits: () => Promise<boolean>) => {
    const asked: string[] = []
    return {
      asked,
      isProven: () => false,
      isProbe: ({ name }: AdmissionRequest) => name === 'probe',
      admits: async (address: string) => {
        asked.push(address)
        return await admits()
      },
    }
  }

  test('get the answer of a wrong path unless they are let in, and no webhook hears of them', async () => {
    let handled = 0
    const callers = callersThat(async () => false)
    const handle = async () => {
      handled++
      return allowed()
    }
    const { ask, registry, log } = await serve(handle, '/hook', { callers })
    const [wrong, answer, invalid] = [await ask('/other'), await ask('/hook'), await ask('/hook', '{')]
    for (const one of [answer, invalid]) expect([one.code, one.body]).toEqual([404, wrong.body])
    expect([handled, log, callers.asked]).toEqual([0, [], ['127.0.0.1', '127.0.0.1']])
    expect(await registry.metrics()).toContain('allot_admission_refused_calls_total{reason="caller"} 2')
  })

  test('are answered once they are let in, from what they sent before', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const { ask } = await serve(async () => denied('no room'), '/hook', { callers: callersThat(() => promise) })
    const calls = [ask('/hook'), ask('/hook', JSON.stringify(review()).padEnd(100_000)), ask('/hook', '{')]
    setImmediate(() => resolve(true))
    const [small, large, invalid] = await Promise.all(calls)
    expect([small?.body.response.allowed, large?.body.response.allowed, invalid?.code]).toEqual([false, false, 400])
  })

  test('are answered without being asked for proof where they send probes, over a connection that ends', async () => {
    const callers = callersThat(async () => false)
    const { ask } = await serve(async () => denied('seen'), '/hook', { callers })
    const { code, headers } = await ask('/hook', review('v1', { name: 'probe' }))
    expect([code, headers['connection'], callers.asked]).toEqual([200, 'close', []])
  })

  test('are not read before they are let in where they send much', async () => {
    const { agent, server } = await serve(async () => allowed(), '/hook', { callers: callersThat(async () => false) })
    let sent = 0
    const body = async function* () {
      for (; sent < 64; sent++) yield Buffer.alloc(65_536, 32)
    }
    const { statusCode } = await request(`https://127.0.0.1:${server.port}/hook`, {
      method: 'POST',
      headers: { 'content-length': String(64 * 65_536) },
      body: Readable.from(body()),
      dispatcher: agent,
    })
    expect(statusCode).toBe(404)
    expect(sent).toBeLessThan(64)
  })
})

test('callers at other addresses than those of peers get 403 before anything else', async () => {
  const asked: string[] = []
  const isPeer = (address: string): boolean => {
    asked.push(address)
    return false
  }
  const { ask, registry } = await serve(async () => allowed(), '/hook', { isPeer })
  expect([(await ask('/hook')).code, (await ask('/other')).code, asked]).toEqual([403, 403, ['127.0.0.1', '127.0.0.1']])
  expect(await registry.metrics()).toContain('allot_admission_refused_calls_total{reason="peer"} 2')
})
