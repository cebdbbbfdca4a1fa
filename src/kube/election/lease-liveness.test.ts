import { describe, expect, test } from 'vitest'
import { LEASE, setUp } from '../../../test/kube/candidate.ts'
import { settled } from '../../../test/kube/manual-clock.ts'
import type { KubeClient } from '../client/kube-client.ts'
import { firstHeld, isHeld } from './lease-liveness.ts'

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

test('leases are watched at once, and the first that somebody renews ends the watch of all', async () => {
  const { server, clock, join } = setUp()
  const spec = { holderIdentity: 'x', leaseDurationSeconds: 50 }
  const stale = ['a', 'b'].map((namespace) => ({ namespace, name: LEASE.name }))
  for (const metadata of stale) server.put({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec })
  const { signal } = new AbortController()
  const none = firstHeld(server, stale, clock, signal)
  await clock.advance(50_000)
  expect(await none).toBeUndefined()
  join('one')
  await settled()
  const one = firstHeld(server, [...stale, LEASE], clock, signal)
  await clock.advance(3_000)
  expect(await one).toEqual({ lease: LEASE, holder: 'one' })
})

describe('whether a lease is held', () => {
  const signal = new AbortController().signal

  test('is known at once when there is none, or when it has no holder', async () => {
    const { server, clock } = setUp()
    expect(await isHeld(server, LEASE, clock, signal)).toEqual({ held: false, holder: '' })
    server.put({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: LEASE, spec: { holderIdentity: '' } })
    expect(await isHeld(server, LEASE, clock, signal)).toEqual({ held: false, holder: '' })
  })

  test('is known when its holder renews it, however old the time in it is', async () => {
    const { server, clock, join } = setUp()
    const a = join('a')
    a.jumped = -86_400_000
    await settled()
    const answer = isHeld(server, LEASE, clock, signal)
    await clock.advance(3000)
    expect(await answer).toEqual({ held: true, holder: 'a' })
  })

  test('is denied when nobody renewed it for as long as it lasts, however fresh it looks', async () => {
    const { server, clock, join } = setUp()
    const a = join('a')
    await settled()
    a.cut = 'hangs'
    let decided = false
    const answer = isHeld(server, LEASE, clock, signal).finally(() => (decided = true))
    await clock.advance(14_000)
    expect(decided).toBe(false)
    await clock.advance(1000)
    expect(await answer).toEqual({ held: false, holder: 'a' })
  })

  test('is denied as soon as it is given back', async () => {
    const { server, clock, join } = setUp()
    const a = join('a')
    await settled()
    const answer = isHeld(server, LEASE, clock, signal)
    a.stopping.abort()
    await clock.advance(1000)
    expect(await answer).toEqual({ held: false, holder: '' })
  })
})
