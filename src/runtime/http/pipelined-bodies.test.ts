// Covers server.ts: bodies behind one another on a connection.
import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { connect as connectPlain, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { makeAuthority, makeServerCertificate } from '../certificate/certificates.ts'
import { HttpServer } from './server.ts'

/** More than the buffers of both ends take. */
const ANSWER = 'x'.repeat(16 * 1024 * 1024)
/** Several records of TLS. */
const BODY = 'y'.repeat(200_000)
const request = (body: string): string => `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`

test.each(['TLS', 'TCP'])(
  'over %s a request with a long body is read although the answer before has not left yet',
  async (protocol) => {
    const now = Date.now()
    const { key, certificate } = await makeServerCertificate(await makeAuthority(now), ['127.0.0.1'], now)
    const answered = Promise.withResolvers<void>()
    const both = Promise.withResolvers<void>()
    let begun = 0
    const lengths: number[] = []
    const server = await HttpServer.listen({
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 1_000_000,
      ...(protocol === 'TLS' ? { tls: { cert: certificate, key } } : {}),
      handle: async (exchange) => {
        if (++begun === 2) both.resolve()
        const { length } = await exchange.body()
        lengths.push(length)
        exchange.respond(200, 'text/plain', length === 0 ? ANSWER : 'second')
        answered.resolve()
      },
    })
    const socket: Socket | TLSSocket =
      protocol === 'TLS'
        ? connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false })
        : connectPlain(server.port, '127.0.0.1')
    try {
      await once(socket, protocol === 'TLS' ? 'secureConnect' : 'connect')
      socket.pause()
      socket.write(request(''))
      await answered.promise
      socket.write(request(BODY))
      await both.promise
      let tail = ''
      let bytes = 0
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        tail = (tail + chunk.toString()).slice(-100)
        if (tail.endsWith('second')) socket.end()
      })
      socket.resume()
      await once(socket, 'close')
      expect(tail).toMatch(/second$/)
      expect(bytes).toBeGreaterThan(ANSWER.length)
      expect(lengths).toEqual([0, BODY.length])
    } finally {
      socket.destroy()
      await server.drain(0)
    }
  },
)
