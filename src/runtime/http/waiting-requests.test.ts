// Covers server.ts: requests that wait for their turn.
import { afterEach, describe, expect, test } from 'vitest'
import { ApiError } from '../../machinery/status.ts'
import type { Exchange } from './exchange.ts'
import { HttpServer, type HttpServerOptions } from './server.ts'

/** The memory of requests that wait for a webhook, a thread or the disk. */
let stop = (): Promise<void> => Promise.resolve()
afterEach(() => stop())

interface Waiting {
  readonly url: string
  /** How many requests wait by now. */
  readonly count: () => number
  /** Lets all that wait go on. */
  readonly release: () => void
}

/** A server that reads the bodies of known clients, named by a header, and answers when the test says so. */
async function waitingServer(bounds: Partial<HttpServerOptions>): Promise<Waiting> {
  let waiting: (() => void)[] = []
  const handle = async (exchange: Exchange): Promise<void> => {
    try {
      exchange.admit(String(exchange.headers['x-user']))
      await exchange.body()
      if (exchange.path === '/held') await new Promise<void>((resolve) => waiting.push(resolve))
      exchange.respond(200, 'text/plain', 'done')
    } catch (error) {
      exchange.respond(error instanceof ApiError ? error.status.code : 500, 'text/plain', String(error))
    }
  }
  const server = await HttpServer.listen({ host: '127.0.0.1', port: 0, maxBodyBytes: 1_000_000, handle, ...bounds })
  const release = (): void => {
    for (const resolve of waiting.splice(0)) resolve()
    waiting = []
  }
  stop = async () => {
    release()
    await server.drain(1000)
  }
  return { url: `http://127.0.0.1:${server.port}`, count: () => waiting.length, release }
}

const send = (
  { url }: Waiting,
  path: string,
  user: string,
  size: number,
  signal?: AbortSignal,
): Promise<number | undefined> =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'x-user': user },
    body: 'x'.repeat(size),
    ...(signal === undefined ? {} : { signal }),
  }).then(
    async (response) => {
      await response.text()
      return response.status
    },
    () => undefined,
  )

describe('a body that is complete', () => {
  const bodyBounds = { all: 700_000, user: 300_000, unknown: 100_000 }

  test('counts until its request is over, and the next one of its user is refused meanwhile', async () => {
    const server = await waitingServer({ bodyBounds })
    const held = [send(server, '/held', 'jane', 100_000), send(server, '/held', 'jane', 100_000)]
    await expect.poll(server.count).toBe(2)
    expect(await send(server, '/', 'jane', 100_000)).toBe(503)
    expect(await send(server, '/', 'jack', 100_000)).toBe(200)
    server.release()
    expect(await Promise.all(held)).toEqual([200, 200])
    expect(await send(server, '/', 'jane', 100_000)).toBe(200)
  })

  test('counts on when its client has gone, as long as somebody works on it', async () => {
    const server = await waitingServer({ bodyBounds })
    const abort = new AbortController()
    const held = [1, 2].map(() => send(server, '/held', 'jane', 100_000, abort.signal))
    await expect.poll(server.count).toBe(2)
    abort.abort()
    await Promise.all(held)
    expect(await send(server, '/', 'jane', 100_000)).toBe(503)
    server.release()
    await expect.poll(() => send(server, '/', 'jane', 100_000)).toBe(200)
  })
})

test('large heads of one user count until their requests are over', async () => {
  const server = await waitingServer({ headBounds: { all: 200_000, user: 50_000 } })
  const ask = (user: string, path: string): Promise<number> =>
    fetch(server.url + path, { headers: { 'x-user': user, 'x-large': 'x'.repeat(20_000) } }).then(async (response) => {
      await response.text()
      return response.status
    })
  const held = [ask('jane', '/held'), ask('jane', '/held')]
  await expect.poll(server.count).toBe(2)
  expect([await ask('jane', '/'), await ask('jack', '/'), await send(server, '/', 'jane', 10)]).toEqual([429, 200, 200])
  server.release()
  expect(await Promise.all(held)).toEqual([200, 200])
  await expect.poll(() => ask('jane', '/')).toBe(200)
})
