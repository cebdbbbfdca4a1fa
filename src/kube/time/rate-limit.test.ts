import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { RateLimit } from './rate-limit.ts'

const never = new AbortController().signal

test('in any stretch of time no more begin than the burst and what the rate adds, whoever leaves', async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 60 })
  const property = fc.asyncProperty(
    gaps,
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 1, max: 20 }),
    async (all, qps, burst) => {
      const clock = new ManualClock()
      const begun: number[] = []
      const limit = new RateLimit({ qps, burst }, clock)
      const asked: number[] = []
      for (const [at, gap] of all.entries()) {
        await clock.advance(gap)
        const leaving = new AbortController()
        void limit.take(leaving.signal).then(
          () => begun.push(clock.monotonic()),
          () => undefined,
        )
        if (at % 3 === 2) leaving.abort()
        else asked.push(at)
      }
      await clock.advance(1_000_000)
      expect(begun.length).toBeGreaterThanOrEqual(asked.length)
      expect(begun).toEqual(begun.toSorted((a, b) => a - b))
      for (const [from, start] of begun.entries())
        for (const [to, end] of begun.entries())
          if (to >= from) expect(to - from + 1).toBeLessThanOrEqual(burst + ((end - start) * qps) / 1000 + 1e-6)
    },
  )
  await fc.assert(property, { numRuns: 30 })
})

test('a rate of zero does not limit', async () => {
  const limit = new RateLimit(
    { qps: 0, burst: 0 },
    { monotonic: () => 0, sleep: () => Promise.reject(new Error('waits')) },
  )
  for (let i = 0; i < 1000; i++) await expect(limit.take(never)).resolves.toBeUndefined()
})

test('who leaves the queue uses no turn, and those behind come the sooner', async () => {
  const clock = new ManualClock()
  const limit = new RateLimit({ qps: 1, burst: 1 }, clock)
  await limit.take(never)
  const leaving = new AbortController()
  const left = Array.from({ length: 100 }, () => limit.take(leaving.signal))
  let isServed = false
  const served = limit.take(never).then(() => (isServed = true))
  leaving.abort(new Error('enough'))
  for (const one of await Promise.allSettled(left)) expect(one).toMatchObject({ reason: new Error('enough') })
  await clock.advance(999)
  expect(isServed).toBe(false)
  await clock.advance(1)
  expect(await served).toBe(true)
  expect(clock.sleepers).toBe(0)
})

test('a queue that all have left holds nobody up, and nothing is kept for it', async () => {
  const clock = new ManualClock()
  const limit = new RateLimit({ qps: 1, burst: 1 }, clock)
  await limit.take(never)
  const leaving = new AbortController()
  const left = limit.take(leaving.signal)
  leaving.abort(new Error('enough'))
  const next = limit.take(never)
  await expect(left).rejects.toThrow('enough')
  await clock.advance(1000)
  await next
  expect(clock.sleepers).toBe(0)
  await expect(limit.take(AbortSignal.abort(new Error('over')))).rejects.toThrow('over')
})
