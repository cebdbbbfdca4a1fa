import { connect as connectTcp } from 'node:net'
import { describe, expect, test } from 'vitest'
import { seed, SeededRandom } from '../seeded-random.ts'
import { watchedServer } from './watched-server.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const server = watchedServer()
const { get, ask } = server

describe('malformed HTTP/1.1 is rejected and the connection closed', () => {
  const refused: Readonly<Record<string, readonly [() => string | Buffer, number]>> = {
    'a line of nonsense': [() => 'what is this\r\n\r\n', 400],
    'random bytes': [
      () => Buffer.from(Array.from({ length: 5000 }, () => new SeededRandom(seed).between(0, 255))),
      400,
    ],
    'an unknown method': [() => get('/api').replace('GET', 'BREW') + '\r\n', 400],
    'headers of 2,000,000 bytes': [() => get('/api', `X-Large: ${'x'.repeat(2_000_000)}\r\n`) + '\r\n', 431],
    'a URL of 2,000,000 bytes': [() => get(`/api/${'x'.repeat(2_000_000)}`) + '\r\n', 431],
    'a header with a NUL': [() => get('/api', 'X-Nul: a\0b\r\n') + '\r\n', 400],
    'a header without a name': [() => get('/api', ': value\r\n') + '\r\n', 400],
    'two lengths': [() => get('/api', 'Content-Length: 1\r\nContent-Length: 2\r\n') + '\r\nab', 400],
    'a length and chunks': [
      () => get('/api', 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n') + '\r\n0\r\n\r\n',
      400,
    ],
    'a negative length': [() => get('/api', 'Content-Length: -1\r\n') + '\r\n', 400],
    'an invalid length': [() => get('/api', 'Content-Length: many\r\n') + '\r\n', 400],
    'a chunk of an invalid size': [
      () =>
        get(MAPS, 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n').replace('GET', 'POST') +
        '\r\nzz\r\n',
      400,
    ],
    'an unknown version': [() => 'GET /api HTTP/9.9\r\nHost: x\r\n\r\n', 400],
    'a space in the path': [() => get('/api /v1') + '\r\n', 400],
  }
  for (const [what, [text, code]] of Object.entries(refused)) {
    test(what, async () => {
      const answer = await ask(text())
      expect([answer.code, answer.problem]).toEqual([code, undefined])
    })
  }

  test('1,500 headers', async () => {
    const { code, problem } = await ask(
      get(
        '/version',
        Array.from({ length: 1500 }, (_, index) => `X-${index}: 1\r\n`).join('') + 'Connection: close\r\n',
      ) + '\r\n',
    )
    expect([[200, 431].includes(code), problem]).toEqual([true, undefined])
  })

  test('plain HTTP on the port of TLS', async () => {
    const { hostname, port } = new URL(server.observer.allot.url)
    const socket = connectTcp(Number(port), hostname)
    socket.on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    await new Promise((resolve) => {
      socket.on('close', resolve)
      socket.on('end', () => socket.destroy())
      socket.resume()
    })
    expect(await server.observer.complaint()).toBeUndefined()
  })

  test('an end in the middle of the TLS handshake', async () => {
    const { hostname, port } = new URL(server.observer.allot.url)
    for (let n = 0; n < 20; n++) {
      const socket = connectTcp(Number(port), hostname)
      socket.on('error', () => undefined)
      await new Promise((resolve) => {
        socket.once('connect', resolve)
      })
      socket.write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc]))
      socket.resetAndDestroy()
    }
    expect(await server.observer.complaint()).toBeUndefined()
  })
})
