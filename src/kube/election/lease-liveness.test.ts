import { expect, test } from 'vitest'
import type { KubeClient } from '../client/kube-client.ts'
import { isHeld } from './lease-liveness.ts'

test('a lease that nobody renews is held by nobody after a minute, however long it says that it lasts', async () => {
  const time = { now: 0 }
  const clock = {
    monotonic: () => time.now,
    sleep: async (ms: number) => void (time.now += ms),
  }
  const spec = { holderIdentity: 'x', leaseDurationSeconds: 2_147_483_647, renewTime: '2026-01-01T00:00:00.000000Z' }
  const get: KubeClient['get'] = async () => ({ metadata: { namespace: 'n', name: 'l' }, spec }) as never
  const found = await isHeld({ get }, { namespace: 'n', name: 'l' }, clock, new AbortController().signal)
  expect(found).toEqual({ held: false, holder: 'x' })
  expect(time.now).toBe(60_000)
})
