import type { IncomingHttpHeaders } from 'node:http'
import { expect, test } from 'vitest'
import { HttpServer } from '../runtime/http/server.ts'
import { RateLimit } from './time/rate-limit.ts'
import { systemContext } from './time/system-context.ts'
import { openBearerClients } from './open-bearer-clients.ts'

const UNLIMITED = new RateLimit({ qps: 0, burst: 1 }, systemContext)
const PODS = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true } as const

test('a client acts as its bearer, and has nothing of the caller of the access [security/dashboard]', async () => {
  const seen: IncomingHttpHeaders[] = []
  let code = 200
  const server = await HttpServer.listen({
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1000,
    handle: async (exchange) => {
      seen.push(exchange.headers)
      exchange.respond(code, 'application/json', '{"metadata":{"name":"p"}}')
    },
  })
  const { clientOf, close } = openBearerClients({
    access: {
      source: 'the kubeconfig of an operator',
      server: `http://127.0.0.1:${server.port}`,
      namespace: 'default',
      insecureSkipTlsVerify: false,
      // What a certificate is read from must not be opened either.
      clientCertificate: { certificate: { file: '/nowhere/tls.crt' }, key: { file: '/nowhere/tls.key' } },
      credentials: { type: 'token', token: 'of-the-operator' },
      impersonation: { user: 'operator', groups: ['system:masters'], extra: { scope: ['all'] } },
    },
    environment: {},
    version: '0.0.0',
  })
  const [one, other] = [clientOf('one', UNLIMITED), clientOf('other', UNLIMITED)]
  const read = (client: typeof one) => client.get(PODS, { namespace: 'n', name: 'p' })
  await read(one)
  await read(other)
  await one.request('GET', '/apis')
  expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer one', 'Bearer other', 'Bearer one'])
  const names = seen.flatMap((headers) => Object.keys(headers))
  expect(names.filter((header) => header.startsWith('impersonate'))).toEqual([])
  expect(JSON.stringify(seen)).not.toContain('operator')

  // A token that is refused is not followed by another.
  code = 401
  const before = seen.length
  await expect(read(one)).rejects.toMatchObject({ status: { code: 401 } })
  expect(seen.slice(before).map(({ authorization }) => authorization)).toEqual(['Bearer one'])
  await close()
  await server.drain(0)
})
