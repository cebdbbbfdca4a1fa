import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Candidate, LEASE, setUp } from '../../../test/kube/candidate.ts'
import { settled } from '../../../test/kube/manual-clock.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import { LeaderElection, LeadershipLost, leaseIdentity } from './leader-election.ts'
import { microTime } from './lease-record.ts'

describe('a lease', () => {
  test('is taken at once when there is none, with the fields that client-go writes', async () => {
    const { lease, join, clock } = setUp()
    const time = microTime(clock.now())
    const a = join('a')
    await settled()
    expect(a.election.isLeader).toBe(true)
    expect(lease()).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    })
  })

  test('is renewed every two seconds, and has one leader only', async () => {
    const { server, clock, lease, join } = setUp()
    const a = join('a')
    await settled()
    const b = join('b')
    const acquired = lease()?.acquireTime
    await clock.advance(3_600_000)
    expect([a.terms.length, b.terms.length]).toEqual([1, 0])
    expect(b.election.holder).toBe('a')
    expect(server.calls.filter((call) => call === 'update')).toHaveLength(1800)
    expect(lease()?.acquireTime).toBe(acquired)
    expect(lease()?.renewTime).toBe(microTime(clock.now()))
  })

  test('of a dead holder is taken over once it was seen unchanged for as long as it lasts', async () => {
    const { clock, lease, join } = setUp()
    const a = join('a')
    await settled()
    const b = join('b')
    await clock.advance(4000)
    a.cut = 'hangs'
    await clock.advance(14_000)
    expect(b.election.isLeader).toBe(false)
    await clock.advance(6000)
    expect(b.election.isLeader).toBe(true)
    expect(lease()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 })
  })

  test('whose times lie in the past or future is judged by when it was seen to change', async () => {
    const { server, clock, join } = setUp()
    const spec = {
      holderIdentity: 'dead',
      leaseDurationSeconds: 20,
      acquireTime: '2001-01-01T00:00:00.000000Z',
      renewTime: '2099-01-01T00:00:00.000000Z',
      leaseTransitions: 7,
    }
    server.put({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: LEASE, spec })
    const b = join('b')
    await clock.advance(19_000)
    expect(b.election.isLeader).toBe(false)
    await clock.advance(4000)
    expect(b.election.isLeader).toBe(true)
  })

  test('is given back on stop, only after the leader has ended, and then taken at the next try of another', async () => {
    const { clock, lease, join } = setUp()
    const a = join('a')
    await settled()
    const b = join('b')
    a.lag = 1000
    a.stopping.abort()
    await clock.advance(999)
    expect(lease()?.holderIdentity).toBe('a')
    await clock.advance(1)
    await a.running
    expect(lease()).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
    await clock.advance(2400)
    expect(b.election.isLeader).toBe(true)
    expect(lease()?.leaseTransitions).toBe(1)
  })

  test('is given back although a renewal was under way that was done without an answer', async () => {
    const { clock, lease, join } = setUp()
    const a = join('a')
    await clock.advance(1999)
    a.cut = 'applies without answer'
    await clock.advance(1)
    a.stopping.abort()
    a.cut = 'no'
    await a.running
    expect(lease()?.holderIdentity).toBe('')
  })

  test('that was given back by a leader whose server is away is left to time', async () => {
    const { clock, join } = setUp()
    const a = join('a')
    await settled()
    a.cut = 'hangs'
    a.stopping.abort()
    await clock.advance(6000)
    await a.running
    expect(a.election.isLeader).toBe(false)
  })
})

describe('a leader', () => {
  test('does not mind that its clock, or that of another, jumps', async () => {
    const { clock, join } = setUp()
    const a = join('a')
    await settled()
    const b = join('b')
    for (const jump of [3_600_000, -7_200_000, 86_400_000]) {
      a.jumped += jump
      await clock.advance(30_000)
      b.jumped -= jump
      await clock.advance(30_000)
    }
    expect([a.terms.length, b.terms.length]).toEqual([1, 0])
    expect(a.election.isLeader).toBe(true)
  })

  test('goes on when the server is away for less than the renew deadline', async () => {
    const { clock, join } = setUp()
    const a = join('a')
    await settled()
    for (const cut of ['refused', 'hangs', 'applies without answer'] as const) {
      a.cut = cut
      await clock.advance(7000)
      a.cut = 'no'
      await clock.advance(20_000)
    }
    expect(a.terms).toHaveLength(1)
    expect(a.election.isLeader).toBe(true)
  })

  test('ends when the server is away for longer, at the deadline, and campaigns again', async () => {
    const { clock, join } = setUp()
    const a = join('a')
    await settled()
    a.cut = 'hangs'
    await clock.advance(9999)
    expect(a.election.isLeader).toBe(true)
    await clock.advance(1)
    expect(a.election.isLeader).toBe(false)
    expect(a.terms[0]?.reason).toBeInstanceOf(LeadershipLost)
    a.cut = 'no'
    await clock.advance(8000)
    expect(a.terms).toHaveLength(2)
    expect(a.election.isLeader).toBe(true)
  })

  test('survives every stall that is shorter than the lease', async () => {
    for (const [before, stall] of [
      [0, 14_000],
      [1999, 13_000],
      [500, 9_000],
      [1000, 12_000],
    ] as const) {
      const { clock, join } = setUp()
      const a = join('a')
      await settled()
      const b = join('b')
      await clock.advance(before)
      await clock.stall(stall)
      await clock.advance(30_000)
      expect([a.terms.length, a.terms[0]?.aborted, b.terms.length], `${stall} ms after ${before}`).toEqual([
        1,
        false,
        0,
      ])
    }
  })

  test('ends when it stood still for longer than the lease, before anything else is done, and campaigns again', async () => {
    const { clock, join } = setUp()
    const a = join('a')
    await clock.advance(1000)
    await clock.stall(15_000)
    expect(a.terms[0]?.reason).toBeInstanceOf(LeadershipLost)
    await clock.advance(3000)
    expect(a.terms).toHaveLength(2)
  })

  test('ends at once when it sees that another holds the lease', async () => {
    const { server, clock, lease, join } = setUp()
    const a = join('a')
    await settled()
    server.put({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: LEASE,
      spec: { ...lease(), holderIdentity: 'x' },
    })
    await clock.advance(2000)
    expect(a.terms[0]?.aborted).toBe(true)
    expect(lease()?.holderIdentity).toBe('x')
  })

  test('goes on when somebody else changed the object but not the holder, or deleted it', async () => {
    const { server, clock, lease, join } = setUp()
    const a = join('a')
    await settled()
    server.put({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...LEASE, labels: { x: 'y' } },
      spec: { ...lease() },
    })
    await clock.advance(4000)
    server.remove(LEASE)
    await clock.advance(4000)
    expect(a.terms).toHaveLength(1)
    expect(lease()?.holderIdentity).toBe('a')
  })

  test('goes on when somebody deletes the lease, which no other takes meanwhile, and says so', async () => {
    const said: string[] = []
    const logger = { ...silentLogger, warn: (_: unknown, message: string) => void said.push(message) }
    const { server, clock, lease, join } = setUp()
    const a = join('a', logger)
    await settled()
    const b = join('b')
    // Just before the other looks again, and long before the leader renews it.
    for (let at = 0; at < 20; at++) {
      await clock.advance(700)
      server.remove(LEASE)
      await clock.advance(4000)
      expect([a.terms.length, a.terms[0]?.aborted, b.terms.length, lease()?.holderIdentity]).toEqual([1, false, 0, 'a'])
    }
    expect(said).toContain('somebody deleted the lease: the leader makes it again and goes on')
    a.cut = 'hangs'
    server.remove(LEASE)
    await clock.advance(40_000)
    expect(b.election.isLeader).toBe(true)
  })

  test('that is cut off while somebody deletes the lease has ended before a new replica leads', async () => {
    const said: string[] = []
    const logger = { ...silentLogger, warn: (_: unknown, message: string) => void said.push(message) }
    const { server, clock, lease, join } = setUp()
    const a = join('a')
    await clock.advance(4000)
    a.cut = 'hangs'
    server.remove(LEASE)
    const b = join('b', logger, true)
    for (let passed = 0; passed < 14_000; passed += 500) {
      await clock.advance(500)
      expect(b.election.isLeader).toBe(false)
    }
    expect(a.election.isLeader).toBe(false)
    // It takes the lease, and leads once nobody can count on one that was there and gone between two looks.
    await clock.advance(4000)
    expect([lease()?.holderIdentity, b.election.isLeader]).toEqual(['b', false])
    await clock.advance(16_000)
    expect(b.election.isLeader).toBe(true)
    expect(said).toEqual(['somebody deleted the lease: it is taken when the leader before can no longer count on it'])
  })

  test('whose work ends by itself gives the lease back and ends the run', async () => {
    const { server, clock, lease } = setUp()
    const options = {
      client: server,
      lease: LEASE,
      identity: leaseIdentity('host', 'uuid'),
      clock,
      logger: silentLogger,
    }
    await new LeaderElection(options).run(async () => {}, new AbortController().signal)
    expect(lease()?.holderIdentity).toBe('')
    const failing = new LeaderElection(options).run(
      () => Promise.reject(new Error('a bug')),
      new AbortController().signal,
    )
    await expect(failing).rejects.toThrow('a bug')
    expect(lease()?.holderIdentity).toBe('')
    expect(clock.sleepers).toBe(0)
  })
})

/** A lease is made and deleted again between two looks of another replica, which misses it for as long as it lasts. */
const UNSEEN_LEASE = (
  [
    [2, false, 'applies without answer', false, 1],
    [0, false, 'applies without answer', false, 1],
    [3, false, 'refused', false, 1],
    [1, false, 'hangs', true, 16_000],
    [0, true, 'no', false, 1],
    [1, true, 'no', false, 16_000],
    [0, false, 'no', true, 1],
  ] as const
).map(([who, isRestarted, cut, isDeleted, ms]) => ({ who, isRestarted, cut, jump: 0 as const, isDeleted, ms }))

test('whatever fails, there are never two leaders at a time, and in the end there is one', async () => {
  const step = fc.record({
    who: fc.nat(3),
    isRestarted: fc.constantFrom(false, false, true),
    cut: fc.constantFrom(
      'no' as const,
      'no' as const,
      'refused' as const,
      'hangs' as const,
      'applies without answer' as const,
    ),
    jump: fc.constantFrom(0, 0, 3_600_000, -3_600_000),
    isDeleted: fc.boolean(),
    ms: fc.constantFrom(1, 500, 2000, 4999, 10_000, 16_000),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30, size: 'max' }),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      async (steps, chance) => {
        const { server, clock, lease, join } = setUp()
        clock.chance = chance
        let joined = 0
        // The first one knows that none has led before.
        const add = (): Candidate => join(`c${joined}`, silentLogger, joined++ > 0)
        const candidates = [add(), add(), add(), add()]
        await settled()
        let deletedAt = -Infinity
        const ended: Candidate[] = []
        const leaders = (): number => [...candidates, ...ended].filter(({ election }) => election.isLeader).length
        for (const { who, isRestarted, cut, jump, isDeleted, ms } of steps) {
          if (isRestarted) {
            const [former] = candidates.splice(who, 1, add())
            former!.stopping.abort()
            ended.push(former!)
          }
          const candidate = candidates[who]!
          if (isDeleted && lease() !== undefined && clock.monotonic() > deletedAt + 30_000) {
            server.remove(LEASE)
            deletedAt = clock.monotonic()
          }
          candidate.cut = cut
          candidate.jumped += jump
          for (let passed = 0; passed < ms; passed += 500) {
            await clock.advance(Math.min(500, ms - passed))
            expect(leaders()).toBeLessThanOrEqual(1)
          }
        }
        for (const candidate of candidates) candidate.cut = 'no'
        await clock.advance(40_000)
        expect(leaders()).toBe(1)
        for (const { stopping } of candidates) stopping.abort()
        await clock.advance(10_000)
        await Promise.all([...candidates, ...ended].map(({ running }) => running))
        expect(clock.sleepers).toBe(0)
      },
    ),
    { numRuns: 40, examples: [[UNSEEN_LEASE, 4.996003610813205e-15]] },
  )
})
