import '../../runtime/certificate/reflect-metadata.ts'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { accessTo, get, transports, unreachable } from '../../../test/kube/transports.ts'

const { serve, transport, afterwards } = transports()

describe('a server that cannot be reached', () => {
  test('because nobody listens', async () => {
    const server = await serve()
    const access = accessTo(server)
    await server[Symbol.asyncDispose]()
    const error = await unreachable(transport(access).send(get))
    expect([error.code, error.message]).toEqual([
      'refused',
      `${access.server} cannot be reached: the connection was refused (ECONNREFUSED)`,
    ])
  })

  test('because its name is not known', async () => {
    const server = await serve()
    const error = await unreachable(transport(accessTo(server, { server: 'https://nowhere.invalid' })).send(get))
    expect(error.code).toBe('name-unknown')
  })

  test('because another authority has signed its certificate', async () => {
    const [server, other] = [await serve(), await serve()]
    const authority = { text: other.authority.certificate }
    expect((await unreachable(transport(accessTo(server, { authority })).send(get))).code).toBe('certificate-untrusted')
  })

  test('because its certificate is for another name', async () => {
    const server = await serve(undefined, { names: ['api.example.com'] })
    expect((await unreachable(transport(accessTo(server)).send(get))).code).toBe('certificate-name')
  })

  test('because it speaks no TLS', async () => {
    const plain = createHttpServer((_, response) => void response.end()).listen(0, '127.0.0.1')
    afterwards(async () => plain.close())
    await new Promise((resolve) => plain.once('listening', resolve))
    const server = await serve()
    const { port } = plain.address() as AddressInfo
    const error = await unreachable(transport(accessTo(server, { server: `https://127.0.0.1:${port}` })).send(get))
    expect(error.code).toBe('tls')
  })

  test('because it speaks something else', async () => {
    const plain = createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.2\r\n'))
    plain.listen(0, '127.0.0.1')
    afterwards(async () => plain.close())
    await new Promise((resolve) => plain.once('listening', resolve))
    const server = await serve()
    const { port } = plain.address() as AddressInfo
    const error = await unreachable(transport(accessTo(server, { server: `http://127.0.0.1:${port}` })).send(get))
    expect(error.code).toBe('no-api-server')
  })

  test('is reported with what to do', async () => {
    const server = await serve(undefined, { names: ['api.example.com'] })
    expect((await unreachable(transport(accessTo(server)).send(get))).advice).toContain('tls-server-name')
  })
})
