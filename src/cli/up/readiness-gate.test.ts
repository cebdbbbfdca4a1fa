import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Exchange } from '../../runtime/http/exchange.ts'
import { HttpServer } from '../../runtime/http/server.ts'
import { createLogger, silentLogger } from '../../runtime/process/logger.ts'
import { ReadinessGate } from './readiness-gate.ts'

const handler = {
  knows: () => false,
  handle: async (exchange: Exchange) => exchange.respond(200, 'text/plain', `handled ${exchange.path}`),
}

describe('the front door', () => {
  let door: ReadinessGate
  let server: HttpServer
  const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`)

  beforeEach(async () => {
    door = new ReadinessGate(silentLogger)
    server = await HttpServer.listen({
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 10,
      handle: (exchange) => door.handle(exchange),
    })
  })
  afterEach(() => server.drain(100))

  test('asks clients that come too early to try again', async () => {
    const answer = await get('/readyz')
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await answer.json()).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable', code: 503 })
  })

  test('says that the process lives before it is ready', async () => {
    expect((await get('/livez')).status).toBe(200)
  })

  test('lets everyone through once it is open', async () => {
    door.open(handler)
    expect(await (await get('/readyz')).text()).toBe('handled /readyz')
  })

  test('lets requests in before all is ready, and says that it is not', async () => {
    door.admit(handler)
    expect(await (await get('/api')).text()).toBe('handled /api')
    expect((await get('/readyz')).status).toBe(503)
    expect((await get('/readyz/ping')).status).toBe(503)
    expect((await get('/livez')).status).toBe(200)
    door.open(handler)
    expect(await (await get('/readyz')).text()).toBe('handled /readyz')
  })

  test('answers clients that come too late that the server stops', async () => {
    door.open(handler)
    door.close()
    const answer = await get('/api')
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({ message: expect.stringContaining('shutting down') })
  })

  test('answers and logs when the handler breaks', async () => {
    const lines: string[] = []
    door = new ReadinessGate(createLogger('error', { write: (line: string) => void lines.push(line) }))
    door.open({ knows: () => false, handle: () => Promise.reject(new Error('a bug')) })
    const answer = await get('/api?token=sesame')
    expect(answer.status).toBe(500)
    expect(await answer.text()).not.toContain('a bug')
    expect(JSON.parse(lines.join(''))).toMatchObject({ level: 'error', error: { message: 'a bug' }, path: '/api' })
    expect(lines.join('')).not.toContain('sesame')
  })
})
