import { existsSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { launch, readKubeconfig, startAllot } from '../start-allot.ts'

test('a start that a hanging webhook holds up says so, hands out a kubeconfig, and ends upon SIGTERM', async () => {
  const sockets = new Set<Socket>()
  const hanging = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
  const first = await startAllot()
  const { status, text } = await first.call('/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations', {
    method: 'POST',
    body: {
      metadata: { name: 'left-behind' },
      webhooks: [
        {
          name: 'left.behind.example',
          clientConfig: { url: `https://127.0.0.1:${(hanging.address() as AddressInfo).port}/` },
          rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          timeoutSeconds: 30,
        },
      ],
    },
  })
  expect(status, text).toBe(201)
  const { dataDir } = first
  expect(await first.stop()).toBe(0)

  const second = launch(['up', '--port', '0', '--data-dir', dataDir])
  const kubeconfig = join(dataDir, 'kubeconfig.starting')
  await eventually(
    async () => second.logs(),
    (logs) => logs.includes('MutatingWebhookConfiguration/left-behind'),
    { everyMs: 50, patienceMs: 60_000 },
  )
  expect(second.logs()).toContain(readKubeconfig(kubeconfig).url)
  expect(existsSync(join(dataDir, 'kubeconfig'))).toBe(false)
  second.child.kill('SIGTERM')
  expect(await second.exited).toBe(0)
  expect(existsSync(kubeconfig)).toBe(false)
  for (const socket of sockets) socket.destroy()
  hanging.close()
})
