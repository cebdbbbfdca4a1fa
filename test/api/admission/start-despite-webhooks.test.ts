import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { startInProcess } from '../../in-process.ts'
import { temporaryDirectory } from '../../start-allot.ts'

/** The objects that the server writes at its start when they do not exist. */
const OWN: readonly (readonly [bucket: string, key: string])[] = [
  ['namespaces', 'kube-public'],
  ['priorityclasses.scheduling.k8s.io', 'system-node-critical'],
  ['services', 'default/kubernetes'],
  ['endpoints', 'default/kubernetes'],
  ['endpointslices.discovery.k8s.io', 'default/kubernetes'],
  ['clusterroles.rbac.authorization.k8s.io', 'view'],
  ['clusterrolebindings.rbac.authorization.k8s.io', 'cluster-admin'],
  ['roles.rbac.authorization.k8s.io', 'kube-system/system::leader-locking-kube-scheduler'],
  ['nodes', 'simulated-node'],
]

let hanging: Server
const sockets = new Set<Socket>()

beforeAll(async () => {
  hanging = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
})
afterAll(() => {
  for (const socket of sockets) socket.destroy()
  hanging.close()
})

const configuration = (kind: 'Validating' | 'Mutating', url: string): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: `${kind}WebhookConfiguration`,
  metadata: { name: 'left-behind' },
  webhooks: [
    {
      name: 'left.behind.example',
      clientConfig: { url },
      rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
      failurePolicy: 'Fail',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      timeoutSeconds: 30,
    },
  ],
})

for (const kind of ['Validating', 'Mutating'] as const)
  for (const way of ['refuses connections', 'never answers'])
    test(`a ${kind.toLowerCase()} webhook for everything that ${way} keeps no start from writing what the server needs`, async () => {
      const location = { directory: temporaryDirectory() }
      const first = await startInProcess({ location, serverAddress: '127.0.0.1:6443', workloads: true })
      const port = way === 'never answers' ? (hanging.address() as AddressInfo).port : 1
      const path = `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`
      const made = await first.send('POST', path, configuration(kind, `https://127.0.0.1:${port}/`))
      expect(made.status, JSON.stringify(made.body)).toBe(201)
      for (const [bucket, key] of OWN) expect(first.store.latest(bucket, key), key).toBeDefined()
      await first.store.commit(OWN.map(([bucket, key]) => ({ type: 'delete', bucket, key })))
      await first.stop()

      const second = await startInProcess({ location, serverAddress: '127.0.0.1:6444', workloads: true })
      try {
        for (const [bucket, key] of OWN) expect(second.store.latest(bucket, key), key).toBeDefined()
        const endpoints = second.store.latest('endpoints', 'default/kubernetes')?.object
        expect(endpoints).toMatchObject({ subsets: [{ ports: [{ port: 6444 }] }] })
      } finally {
        await second.stop()
      }
    })

test('a server stops at once while it waits for a webhook that never answers', async () => {
  const server = await startInProcess()
  const url = `https://127.0.0.1:${(hanging.address() as AddressInfo).port}/`
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  expect((await server.send('POST', path, configuration('Validating', url))).status).toBe(201)
  const before = sockets.size
  const asked = server.send('POST', '/api/v1/namespaces', { metadata: { name: 'waits' } }).catch(() => undefined)
  await eventually(
    async () => sockets.size,
    (size) => size > before,
    { everyMs: 5 },
  )
  await server.stop()
  await asked
})
