import '../../runtime/certificate/reflect-metadata.ts'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { json, type Handler } from '../../../test/kube/tls-server.ts'
import { makeServerCertificate } from '../../runtime/certificate/certificates.ts'
import { fixedCredential } from '../credentials/source.ts'
import { systemContext } from '../time/system-context.ts'
import { accessTo, get, transports, unreachable } from '../../../test/kube/transports.ts'

const { serve, transport, afterwards } = transports()

describe('certificates', () => {
  test('may be for tls-server-name instead of the address', async () => {
    const server = await serve(undefined, { names: ['api.example.com'] })
    expect((await transport(accessTo(server, { tlsServerName: 'api.example.com' })).send(get)).status).toBe(200)
  })

  test('are not looked at when that is wished', async () => {
    const server = await serve(undefined, { names: ['api.example.com'] })
    const { authority: _, ...access } = accessTo(server, { insecureSkipTlsVerify: true })
    expect((await transport(access).send(get)).status).toBe(200)
  })

  const named: Handler = (request, response) => {
    const { subjectaltname } = (request.socket as TLSSocket).getPeerCertificate()
    json(response, 200, { subjectaltname })
  }

  test('of the client are read again when their files change', async () => {
    const server = await serve(named, { requestCert: true })
    const files: Record<string, string> = {}
    const write = async (name: string): Promise<void> => {
      const pair = await makeServerCertificate(server.authority, [name], Date.now())
      files['/crt'] = pair.certificate
      files['/key'] = pair.key
    }
    let now = 0
    const sender = transport(
      accessTo(server, { clientCertificate: { certificate: { file: '/crt' }, key: { file: '/key' } } }),
      { context: { ...systemContext, monotonic: () => now, readText: (file) => files[file] ?? '' } },
    )
    const shown = async (): Promise<string> => (await sender.send(get)).text
    await write('first')
    expect(await shown()).toContain('DNS:first')
    await write('second')
    expect(await shown()).toContain('DNS:first')
    now += 60_000
    expect(await shown()).toContain('DNS:second')
    files['/key'] = 'half a k'
    now += 60_000
    expect(await shown()).toContain('DNS:second')
    await expect.poll(() => server.sockets[0]?.destroyed).toBe(true)
  })

  test('of a credential count before those of the kubeconfig', async () => {
    const server = await serve(named, { requestCert: true })
    const pair = await makeServerCertificate(server.authority, ['plugin'], Date.now())
    const sender = transport(accessTo(server), { credentials: fixedCredential({ clientCertificate: pair }) })
    expect((await sender.send(get)).text).toContain('DNS:plugin')
  })

  test('of an authority that are damaged are reported before anything is sent', async () => {
    const server = await serve()
    const text = '-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n'
    await expect(transport(accessTo(server, { authority: { text } })).send(get)).rejects.toThrow(
      'test: the certificate authority cannot be used: a certificate in it is damaged',
    )
  })
})

test('a single request comes over a connection of its own, which ends with it', async () => {
  const server = await serve((request, response) => json(response, 200, { port: request.socket.remotePort }))
  const sender = transport(accessTo(server))
  const ports = async (single: boolean): Promise<number> => {
    const texts: string[] = []
    for (let call = 0; call < 4; call++) texts.push((await sender.send({ ...get, single })).text)
    return new Set(texts).size
  }
  expect(await ports(true)).toBe(4)
  expect(await ports(false)).toBeLessThan(4)
})

describe('a proxy', () => {
  /** One that opens tunnels, and wants a password when it is given one. */
  async function proxy(password?: string) {
    const tunnels: string[] = []
    const server = createHttpServer()
    server.on('connect', (request, socket, head) => {
      const wanted = password === undefined ? undefined : `Basic ${Buffer.from(`me:${password}`).toString('base64')}`
      socket.on('error', () => {})
      if (request.headers['proxy-authorization'] !== wanted) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
        return
      }
      tunnels.push(request.url ?? '')
      const { hostname, port } = new URL(`http://${request.url}`)
      const onward = connect(Number(port), hostname, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        onward.write(head)
        onward.pipe(socket)
        socket.pipe(onward)
      })
      onward.on('error', () => socket.destroy())
      socket.on('close', () => onward.destroy())
    })
    server.listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    afterwards(async () => {
      server.closeAllConnections()
      server.close()
    })
    return { tunnels, host: `127.0.0.1:${(server.address() as AddressInfo).port}` }
  }

  test('is gone through, with a kept tunnel', async () => {
    const server = await serve()
    const { tunnels, host } = await proxy()
    const sender = transport(accessTo(server), { proxyUrl: `http://${host}` })
    for (let i = 0; i < 10; i++) expect((await sender.send(get)).status).toBe(200)
    expect(tunnels.length).toBeLessThanOrEqual(2)
    expect(tunnels[0]).toBe(`127.0.0.1:${server.port}`)
  })

  test('gets user and password, and the server its name', async () => {
    const server = await serve(undefined, { names: ['api.example.com'] })
    const { host } = await proxy('s3cret')
    const access = accessTo(server, { tlsServerName: 'api.example.com' })
    expect((await transport(access, { proxyUrl: `http://me:s3cret@${host}` }).send(get)).status).toBe(200)
  })

  test('that wants another password is reported, without the one that was tried', async () => {
    const server = await serve()
    const { host } = await proxy('s3cret')
    const error = await unreachable(transport(accessTo(server), { proxyUrl: `http://me:gu3ss@${host}` }).send(get))
    expect([error.code, `${error.message} ${String(error.cause)}`.includes('gu3ss')]).toEqual(['proxy', false])
  })
})
