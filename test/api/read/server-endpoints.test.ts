import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type InProcess, startInProcess } from '../../in-process.ts'

const ENDPOINTS = '/api/v1/namespaces/default/endpoints/kubernetes'
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices'

async function published(server: InProcess): Promise<readonly unknown[]> {
  const { subsets } = (await server.send('GET', ENDPOINTS)).body
  const { items } = (await server.send('GET', `${SLICES}?labelSelector=kubernetes.io/service-name=kubernetes`)).body
  return [
    subsets,
    items.map(({ addressType, endpoints, ports }: Record<string, unknown>) => [addressType, endpoints, ports]),
  ]
}

const expected = (type: string, address: string, port: number): readonly unknown[] => {
  const ports = [{ name: 'https', port, protocol: 'TCP' }]
  return [
    [{ addresses: [{ ip: address }], ports }],
    [[type, [{ addresses: [address], conditions: { ready: true } }], ports]],
  ]
}

test('the Service default/kubernetes has the address of the server as Endpoints and EndpointSlice, after each start', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'allot-endpoints-'))
  try {
    for (const [serverAddress, type, address, port] of [
      ['127.0.0.1:6443', 'IPv4', '127.0.0.1', 6443],
      ['[fd00::7]:7443', 'IPv6', 'fd00::7', 7443],
    ] as const) {
      const server = await startInProcess({ location: { directory }, serverAddress })
      expect(await published(server)).toEqual(expected(type, address, port))
      await server.stop()
    }
  } finally {
    await rm(directory, { recursive: true })
  }
})
