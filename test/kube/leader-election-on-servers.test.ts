import { describe, expect, test, vi } from 'vitest'
import type { KubeClient, ObjectName } from '../../src/kube/client/kube-client.ts'
import { LeaderElection } from '../../src/kube/election/leader-election.ts'
import { isHeld } from '../../src/kube/election/lease-liveness.ts'
import { type Lease, LEASES } from '../../src/kube/election/lease-record.ts'
import { systemContext } from '../../src/kube/time/system-context.ts'
import { silentLogger } from '../../src/runtime/process/logger.ts'
import { openProxied } from './proxied-client.ts'
import { forSuite, servers } from './servers.ts'

const TIMES = { lease: 3000, renewDeadline: 2000, retryPeriod: 200 }
/** So long that within a test only a lease that was given back changes hands. */
const LONG = { lease: 120_000, renewDeadline: 80_000, retryPeriod: 200 }

/** Campaigns; `log` tells when it began and ended to lead. */
function candidate(client: KubeClient, lease: ObjectName, identity: string, log: string[], times = TIMES) {
  const stopping = new AbortController()
  const options = { client, lease, identity, clock: systemContext, logger: silentLogger, times }
  const election = new LeaderElection(options)
  const lead = async (signal: AbortSignal): Promise<void> => {
    log.push(`${identity} leads`)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    log.push(`${identity} ends`)
  }
  const running = election.run(lead, stopping.signal)
  const stop = async (): Promise<void> => {
    stopping.abort()
    await running
  }
  return { election, stop }
}

describe.each(servers)('on %s', (_, start) => {
  const suite = forSuite(start)

  test('a leader that stops hands over at once', async () => {
    const lease = { namespace: 'default', name: 'handed-over' }
    const log: string[] = []
    const a = candidate(suite.client, lease, 'a', log, LONG)
    await vi.waitFor(() => expect(log).toEqual(['a leads']), 10_000)
    const b = candidate(suite.client, lease, 'b', log, LONG)
    await vi.waitFor(() => expect(b.election.holder).toBe('a'), 10_000)
    await a.stop()
    await vi.waitFor(() => expect(b.election.isLeader).toBe(true), { timeout: 10_000, interval: 10 })
    expect(log).toEqual(['a leads', 'a ends', 'b leads'])
    await b.stop()
    const { spec } = await suite.client.get<Lease>(LEASES, lease)
    expect(spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 1 })
  })

  test('a leader that loses the server ends before another begins, and leads again later', async () => {
    const lease = { namespace: 'default', name: 'lost' }
    const log: string[] = []
    await using proxied = await openProxied(suite.server.kubeconfig)
    const a = candidate(proxied.client, lease, 'a', log)
    await vi.waitFor(() => expect(log).toEqual(['a leads']), 10_000)
    const b = candidate(suite.client, lease, 'b', log)
    proxied.proxy.refusing = true
    proxied.proxy.cut()
    await vi.waitFor(() => expect(log).toEqual(['a leads', 'a ends', 'b leads']), 20_000)
    proxied.proxy.refusing = false
    await vi.waitFor(() => expect(a.election.holder).toBe('b'), 10_000)
    await b.stop()
    await vi.waitFor(() => expect(log.at(-1)).toBe('a leads'), 10_000)
    await a.stop()
  })

  test('whether another keeps a lease is found out by watching it', async () => {
    const lease = { namespace: 'default', name: 'watched' }
    const { signal } = new AbortController()
    const a = candidate(suite.client, lease, 'a', [])
    await vi.waitFor(() => expect(a.election.isLeader).toBe(true), 10_000)
    expect(await isHeld(suite.client, lease, systemContext, signal)).toEqual({ held: true, holder: 'a' })
    await a.stop()
    expect(await isHeld(suite.client, lease, systemContext, signal)).toEqual({ held: false, holder: '' })
    const left = await suite.client.get<Lease>(LEASES, lease)
    await suite.client.update(LEASES, {
      ...left,
      spec: { ...left.spec, holderIdentity: 'dead', leaseDurationSeconds: 2 },
    })
    expect(await isHeld(suite.client, lease, systemContext, signal)).toEqual({ held: false, holder: 'dead' })
  })
})
