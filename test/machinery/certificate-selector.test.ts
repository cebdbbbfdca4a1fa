import { expect, test } from 'vitest'
import { startInProcess } from '../in-process.ts'
import { base64, signingRequest } from '../signing-request.ts'

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests'

test('certificate signing requests are listed and deleted by their signer', async () => {
  const server = await startInProcess()
  try {
    for (const [name, signerName] of [
      ['a', 'example.com/one'],
      ['b', 'example.com/other'],
    ]) {
      const spec = { request: base64(signingRequest()), signerName, usages: ['client auth'] }
      expect((await server.send('POST', PATH, { metadata: { name }, spec })).status).toBe(201)
    }
    const names = async (query: string): Promise<unknown> =>
      (await server.send('GET', `${PATH}?fieldSelector=${query}`)).body.items.map(
        ({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name,
      )
    expect(await names('spec.signerName%3Dexample.com/one')).toEqual(['a'])
    expect(await names('spec.signerName!%3Dexample.com/one')).toEqual(['b'])
    expect((await server.send('GET', `${PATH}?fieldSelector=spec.request%3Da`)).status).toBe(400)
    await server.send('DELETE', `${PATH}?fieldSelector=spec.signerName%3Dexample.com/other`)
    expect(await names('')).toEqual(['a'])
  } finally {
    await server.stop()
  }
})
