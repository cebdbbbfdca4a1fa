import { afterEach, expect, test } from 'vitest'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import type { KeyPair } from '../../runtime/certificate/check.ts'
import { makeAuthority, makeServerCertificate } from '../../runtime/certificate/certificates.ts'
import { HttpServer, type TlsTexts } from '../../runtime/http/server.ts'
import { localAccess } from './local.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

async function presentedBy(authority: KeyPair): Promise<TlsTexts> {
  const { key, certificate } = await makeServerCertificate(authority, ['127.0.0.1'], Date.now())
  return { key, cert: certificate }
}

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false } as const

test('the operator of allot up trusts the authority of the API as it is now, also when that was replaced meanwhile', async () => {
  const [first, second] = [await makeAuthority(Date.now()), await makeAuthority(Date.now())]
  let current = first
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } }
  const server = await HttpServer.listen({
    host: '127.0.0.1',
    port: 0,
    maxBodyBytes: 1000,
    tls: await presentedBy(first),
    http1Only: true,
    // Each request comes over a connection of its own, which is verified anew.
    handle: async (exchange) =>
      exchange.respond(200, 'application/json', JSON.stringify(namespace), { connection: 'close' }),
  })
  const { client, close } = openKubeClient({
    access: localAccess({
      url: `https://127.0.0.1:${server.port}`,
      ca: () => current.certificate,
      token: 'token',
      systemNamespace: 'allot-system',
    }),
    environment: {},
    version: '0.0.0',
  })
  closing.push(close, () => server.drain(0))
  const read = async (): Promise<string | undefined> =>
    (await client.get(NAMESPACES, { namespace: '', name: 'n' })).metadata.name
  expect(await read()).toBe('n')
  server.useCertificate(await presentedBy(second))
  await expect(read()).rejects.toThrow()
  current = second
  await expect.poll(() => read().catch(() => undefined)).toBe('n')
})
