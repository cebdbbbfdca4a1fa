// Covers pool-controller.ts and limit-range/keeper.ts: tries that come due while the pool is looked at.
import { expect, test, vi } from 'vitest'
import { poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { ManualClock } from '../../../../test/kube/manual-clock.ts'
import { UNREACHABLE } from '../../../../test/kube/scripted-client.ts'
import { asCreated, operating, PoolServer } from '../../../../test/operator/pool-server.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import { forbidden } from '../../../machinery/status.ts'

/** Each look at it takes a millisecond, and its timers are early, as those of Node are by up to one. */
function hastyClock(manual: ManualClock, earlyMs: number): Clock {
  let looks = 0
  return {
    now: manual.now,
    random: manual.random,
    monotonic: () => manual.monotonic() + looks++,
    sleep: (ms, signal) => manual.sleep(Math.max(ms - earlyMs, 0), signal),
  }
}

const FORBIDDEN = forbidden({ group: '', resource: 'objects' }, 'capsule-pool-p', 'a policy refuses it')
/** So many tries take 5, 10, 20, 40 seconds and then a minute each. */
const TRIES = 20
const LONG_ENOUGH_MS = 75_000 + (TRIES - 4) * 60_000

test.each([
  ['a LimitRange, since the server is away', 'limitRanges', UNREACHABLE],
  ['a LimitRange, since it is forbidden', 'limitRanges', FORBIDDEN],
  ['a quota, since it is forbidden', 'quotas', FORBIDDEN],
] as const)(
  'a pool that cannot write %s tries it again, even if that came due during a look',
  async (_, kind, error) => {
    const tries = async (earlyMs: number): Promise<number> => {
      const server = new PoolServer()
      server.namespaces.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', labels: { pool: 'p' } } })
      const limitRange = { limits: [{ type: 'Container', max: { cpu: '2' } }] }
      server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } }, limitRange })))
      const create = vi.spyOn(server[kind], 'create').mockRejectedValue(error)
      const manual = new ManualClock()
      await operating(server, () => manual.advance(LONG_ENOUGH_MS), hastyClock(manual, earlyMs))
      return create.mock.calls.length
    }
    for (let earlyMs = 0; earlyMs < 40; earlyMs++) {
      const made = await tries(earlyMs)
      expect([earlyMs, made >= TRIES && made <= TRIES + 2 ? 'as planned' : made]).toEqual([earlyMs, 'as planned'])
    }
  },
)
