import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runInProcess } from '../../../test/migrate/run-in-process.ts'
import { temporaryDirectory } from '../../../test/start-allot.ts'

const KINDS = { resourcequotas: 'ResourceQuota', secrets: 'Secret', configmaps: 'ConfigMap' }
const quota = (namespace: string, name: string, used: string): object => ({
  metadata: { namespace, name: 'limits', uid: namespace, resourceVersion: '1' },
  spec: { hard: { [name]: '5' } },
  status: { hard: { [name]: '5' }, used: { [name]: used } },
})
const DOCUMENTS: Readonly<Record<string, object>> = {
  '/apis': { groups: [] },
  '/api/v1': {
    resources: Object.entries(KINDS).map(([name, kind]) => ({ name, kind, namespaced: true, verbs: ['list'] })),
  },
  '/api/v1/resourcequotas': { items: [quota('wrong', 'secrets', '3'), quota('right', 'configmaps', '0')] },
  '/api/v1/secrets': { items: [{ metadata: { namespace: 'wrong', name: 'one' } }] },
  '/api/v1/configmaps': { items: [] },
}

test('a second look reads only the objects of quotas that were found wrong', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    asked.push(path)
    const found = DOCUMENTS[path]
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
    const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }
    response.end(JSON.stringify(found === undefined ? status : { metadata: { resourceVersion: '1' }, ...found }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const kubeconfig = join(temporaryDirectory(), 'kubeconfig')
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: 'u', user: {} }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  )
  const { code, stdout, stderr } = await runInProcess(kubeconfig, 'doctor', '--settle', '10ms')
  server.close()
  expect([code, stderr]).toEqual([3, ''])
  expect(stdout).toContain('the status says that secrets 3 is used, and the objects use 1')
  const times = (resource: string): number => asked.filter((path) => path === `/api/v1/${resource}`).length
  expect(Object.keys(KINDS).map(times)).toEqual([3, 3, 1])
})
