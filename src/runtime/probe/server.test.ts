import { request } from 'node:http'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { Counter, Registry } from '@prometheus-io/client'
import { afterEach, expect, test } from 'vitest'
import { silentLogger } from '../process/logger.ts'
import { type PageAccess, ProbeServer } from './server.ts'

const open: ProbeServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop(0)
})

const at = (port: number) => ({ host: '127.0.0.1', port, flags: { host: '--host', port: '--port' } })

async function serve(more: Partial<Parameters<typeof ProbeServer.listen>[0]> = {}): Promise<ProbeServer> {
  const registry = new Registry()
  new Counter({ name: 'things_total', help: 'Things.', registers: [registry] }).inc(3)
  const server = await ProbeServer.listen({
    metrics: at(0),
    health: at(0),
    registry,
    live: { ping: () => undefined },
    ready: { ping: () => undefined },
    logger: silentLogger,
    ...more,
  })
  open.push(server)
  return server
}
async function get(port: number, path: string, method = 'GET'): Promise<{ code: number; text: string; type: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method })
  return { code: answer.status, text: await answer.text(), type: answer.headers.get('content-type') ?? '' }
}
async function takenPort(): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

test('metrics and health have a port each, and nothing else is there', async () => {
  const { metricsPort, healthPort } = await serve()
  const metrics = await get(metricsPort, '/metrics')
  expect(metrics).toMatchObject({ code: 200, type: expect.stringContaining('text/plain') })
  expect(metrics.text).toContain('things_total 3')
  for (const path of ['/healthz', '/livez', '/readyz', '/readyz/ping'])
    expect(await get(healthPort, path)).toMatchObject({ code: 200, text: 'ok' })
  expect(await get(metricsPort, '/readyz')).toMatchObject({ code: 404 })
  expect(await get(healthPort, '/metrics')).toMatchObject({ code: 404 })
  expect(await get(healthPort, '/debug/pprof')).toMatchObject({
    code: 404,
    text: 'there is nothing at /debug/pprof, only at /healthz, /livez, /readyz\n',
  })
  expect(await get(healthPort, '/readyz/nonsense')).toMatchObject({ code: 404 })
  expect(await get(healthPort, '/readyz', 'POST')).toMatchObject({ code: 405 })
  expect(await get(healthPort, '/readyz', 'HEAD')).toMatchObject({ code: 200, text: '' })
})

test('one port can serve both', async () => {
  let port: number
  {
    await using free = await takenPort()
    port = free.port
  }
  const { metricsPort, healthPort } = await serve({ metrics: at(port), health: at(port) })
  expect([metricsPort, healthPort]).toEqual([port, port])
  expect((await get(port, '/metrics')).code).toBe(200)
  expect((await get(port, '/livez')).code).toBe(200)
})

test('a process that is asked to stop is not ready and lives', async () => {
  const stop = new AbortController()
  const shutdown = (): string | undefined => (stop.signal.aborted ? 'the process is shutting down' : undefined)
  const { healthPort } = await serve({ ready: { ping: () => undefined, shutdown } })
  expect((await get(healthPort, '/readyz')).code).toBe(200)
  stop.abort()
  expect(await get(healthPort, '/readyz')).toMatchObject({
    code: 500,
    text: '[+]ping ok\n[-]shutdown failed: the process is shutting down\nreadyz check failed\n',
  })
  expect((await get(healthPort, '/livez')).code).toBe(200)
})

test.each([
  ['metrics', '--metrics-port'],
  ['health', '--health-port'],
] as const)('a taken %s is reported with its flag', async (option, flag) => {
  await using taken = await takenPort()
  await expect(serve({ [option]: { ...at(taken.port), flags: { host: '--host', port: flag } } })).rejects.toMatchObject(
    {
      code: 'port-taken',
      message: `port ${taken.port} on 127.0.0.1 is taken`,
      advice: `stop the other process or choose another with ${flag}`,
    },
  )
})

/** Returns the answer to a request with another Host than the one that it is sent to. */
async function getAs(port: number, path: string, host: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port, path, headers: { host } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    asking.on('error', reject)
    asking.end()
  })
}

test('on loopback a page of another origin learns nothing, whatever name leads here [security/loopback-pages]', async () => {
  const { metricsPort, healthPort } = await serve({ names: ['allot.allot-system.svc'] })
  for (const [port, path] of [
    [metricsPort, '/metrics'],
    [healthPort, '/readyz'],
  ] as const) {
    expect(await getAs(port, path, 'evil.example')).toBe(403)
    for (const known of ['localhost', `127.0.0.1:${port}`, 'allot.allot-system.svc'])
      expect(await getAs(port, path, known), known).toBe(200)
  }
})

test('metrics are for clients with access, and health for everybody', async () => {
  const verdicts: Record<string, PageAccess> = { good: 'allowed', weak: 'forbidden', lost: 'unknown' }
  const access = async (authorization = '', path = ''): Promise<PageAccess> =>
    (path === '/metrics' ? verdicts[authorization] : undefined) ?? 'unauthenticated'
  const { metricsPort, healthPort } = await serve({ metrics: { ...at(0), access } })
  const codeFor = async (authorization: string): Promise<number> =>
    (await fetch(`http://127.0.0.1:${metricsPort}/metrics`, { headers: { authorization } })).status
  expect((await get(metricsPort, '/metrics')).code).toBe(401)
  expect((await get(metricsPort, '/metrics', 'HEAD')).code).toBe(401)
  expect([await codeFor('good'), await codeFor('weak'), await codeFor('lost')]).toEqual([200, 403, 503])
  expect((await get(healthPort, '/readyz')).code).toBe(200)
})
