import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { HeadAllowance } from './allowance.ts'
import { HeadGate } from './gate.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

/** A server with a gate at each connection, as `HttpServer` has it; answers each request with its target and its body. */
async function served() {
  const allowance = new HeadAllowance(Infinity, 30_000)
  const gates: HeadGate[] = []
  const asked: string[] = []
  const gateOf = new WeakMap<Socket, HeadGate>()
  const server = createServer((request, response) => {
    gateOf.get(request.socket)?.passed(request)
    let body = ''
    request.on('data', (piece: Buffer) => (body += piece.toString()))
    request.on('end', () => {
      asked.push(`${request.url} ${body}`)
      response.end()
    })
  })
  servers.push(server)
  server.on('connection', (socket: Socket) => {
    const gate = new HeadGate(socket, allowance, () => socket.destroy())
    gates.push(gate)
    gateOf.set(socket, gate)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.setNoDelay(true)
  client.resume()
  await once(client, 'connect')
  /** Sends a piece that arrives by itself. */
  const send = async (piece: string): Promise<void> => {
    client.write(piece, 'latin1')
    for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return { allowance, gates, asked, client, send, until }
}

const post = (target: string, body: string): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`

test('while heads come in one piece, the parser reads the connection', async () => {
  const { gates, asked, send, until } = await served()
  await send(post('/1', 'x'))
  await send(post('/2', '') + post('/3', 'y'))
  await send(post('/4', 'abc').slice(0, -2))
  await send('bc')
  await until(() => asked.length === 4)
  expect(asked).toEqual(['/1 x', '/2 ', '/3 y', '/4 abc'])
  expect(gates.map(({ isHolding }) => isHolding)).toEqual([false])
})

describe('a head of which only the beginning has arrived', () => {
  test.each([
    ['first', ''],
    ['behind another request', post('/0', 'x')],
  ])('%s is counted, and what follows is held back until it is complete', async (_where, before) => {
    const { allowance, gates, asked, send, until } = await served()
    await send(`${before}GET /1 HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(50)}`)
    await until(() => allowance.total > 0)
    expect(gates[0]?.isHolding).toBe(true)
    const begun = allowance.total
    await send('b'.repeat(5000))
    await until(() => allowance.total > begun)
    await send('\r\n\r')
    await send(`\n${post('/2', 'abc')}`)
    await until(() => asked.includes('/2 abc'))
    expect([asked.slice(-2), allowance.total]).toEqual([['/1 ', '/2 abc'], 0])
  })

  test('is not counted any more when its client has gone', async () => {
    const { allowance, client, send, until } = await served()
    await send('GET /1 HTTP/1.1\r\nHost')
    await until(() => allowance.total > 0)
    client.destroy()
    await until(() => allowance.total === 0)
    expect(allowance.total).toBe(0)
  })
})

test('requests are the same, in whatever pieces they come', async () => {
  const requests = ['/a', '/bc', '/def'].map((target, at) => post(target, 'body'.slice(0, at * 2))).join('')
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat({ max: requests.length }), { maxLength: 6 }), async (cuts) => {
      const { asked, allowance, client, send, until } = await served()
      const at = [0, ...cuts.toSorted((a, b) => a - b), requests.length]
      for (const [index, end] of at.slice(1).entries()) if (end > 0) await send(requests.slice(at[index], end))
      await until(() => asked.length === 3)
      expect([asked, allowance.total]).toEqual([['/a ', '/bc bo', '/def body'], 0])
      client.destroy()
    }),
    { numRuns: 40 },
  )
})
