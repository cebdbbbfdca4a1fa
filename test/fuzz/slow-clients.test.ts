import { describe, expect, test } from 'vitest'
import { seed, SeededRandom } from '../seeded-random.ts'
import { RawConnection } from './byte-connection.ts'
import { watchedServer } from './watched-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const server = watchedServer()
const { get } = server

describe('clients that are slow or leave', () => {
  /** The codes of a few creates. */
  const codesOf = async (name: string): Promise<readonly number[]> => {
    const codes: number[] = []
    for (let n = 0; n < 3; n++) {
      const { code } = await server.observer.client.send('POST', MAPS, { metadata: { name: `${name}-${n}` } })
      codes.push(code)
    }
    return codes
  }

  test('others are served while 200 connections trickle headers and bodies', async () => {
    const open = (): Promise<RawConnection> => RawConnection.open(server.observer.allot)
    const connections = await Promise.all(Array.from({ length: 200 }, open))
    connections.forEach((connection, index) => {
      const head = get(MAPS).replace('GET', 'POST')
      connection.write(
        index % 2 === 0
          ? head.slice(0, 30)
          : `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{`,
      )
    })
    for (let n = 0; n < 20; n++) {
      for (const [index, connection] of connections.entries()) connection.write(index % 2 === 0 ? 'x' : ' ')
      expect(await codesOf(`meanwhile-${n}`)).toEqual([201, 201, 201])
    }
    for (const connection of connections) connection.socket.destroy()
  })

  test('a client that closes its half after the request is answered', async () => {
    const connection = await RawConnection.open(server.observer.allot)
    connection.write(get('/version') + '\r\n')
    connection.socket.end()
    const { code } = await connection.reply()
    expect([0, 200]).toContain(code)
  })

  test('connections that are reset at any moment of a request', async () => {
    const random = new SeededRandom(seed)
    const body = JSON.stringify({ metadata: { generateName: 'reset-' }, data: { a: 'x'.repeat(20_000) } })
    const text = `${get(MAPS).replace('GET', 'POST')}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    for (let n = 0; n < 200; n++) {
      const connection = await RawConnection.open(server.observer.allot)
      connection.write(text.slice(0, random.between(1, text.length)))
      if (random.chance(0.5)) await new Promise(setImmediate)
      connection.socket.destroy()
    }
    expect(await server.observer.complaint()).toBeUndefined()
  })

  test('a body that ends early leaves no object', async () => {
    const connection = await RawConnection.open(server.observer.allot)
    const body = JSON.stringify({ metadata: { name: 'early' } })
    connection.write(
      `${get(MAPS).replace('GET', 'POST')}Content-Type: application/json\r\nContent-Length: ${body.length + 10}\r\n\r\n${body}`,
    )
    connection.socket.end()
    await connection.reply(1000)
    expect((await server.observer.client.send('GET', `${MAPS}/early`)).code).toBe(404)
  })

  test('watches that nobody reads cost bounded memory', async () => {
    const watches = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(server.observer.allot)))
    for (const watch of watches) {
      watch.socket.pause()
      watch.write(get(`${MAPS}?watch=1`) + '\r\n')
    }
    const data = { a: 'x'.repeat(100_000) }
    for (let n = 0; n < 100; n++)
      expect((await server.observer.client.send('POST', MAPS, { metadata: { name: `loud-${n}` }, data })).code).toBe(
        201,
      )
    expect(await server.observer.client.send('DELETE', MAPS).then(({ code }) => code)).toBe(200)
    expect(await server.observer.complaint()).toBeUndefined()
    for (const watch of watches) watch.socket.destroy()
  })

  test('requests that are sent one behind another are answered in order', async () => {
    const connection = await RawConnection.open(server.observer.allot)
    connection.write(
      Array.from(
        { length: 50 },
        (_, index) =>
          `${get(index % 2 === 0 ? '/version' : '/nowhere')}${index === 49 ? 'Connection: close\r\n' : ''}\r\n`,
      ).join(''),
    )
    await connection.reply()
    const codes = [...connection.received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, code]) => code)
    expect(codes).toEqual(Array.from({ length: 50 }, (_, index) => (index % 2 === 0 ? '200' : '404')))
  })
})
