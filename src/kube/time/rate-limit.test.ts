import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RateLimit } from './rate-limit.ts'

const never = new AbortController().signal

test('in any stretch of time no more begin than the burst and what the rate adds', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 60 })
  const property = fc.property(
    gaps,
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 1, max: 20 }),
    (gaps, qps, burst) => {
      let now = 0
      const begun: number[] = []
      const limit = new RateLimit(
        { qps, burst },
        {
          monotonic: () => now,
          sleep: async (ms) => void begun.push(now + ms),
        },
      )
      for (const gap of gaps) {
        now += gap
        const before = begun.length
        void limit.take(never)
        if (begun.length === before) begun.push(now)
      }
      expect(begun).toEqual(begun.toSorted((a, b) => a - b))
      for (const [from, start] of begun.entries())
        for (const [to, end] of begun.entries())
          if (to >= from) expect(to - from + 1).toBeLessThanOrEqual(burst + ((end - start) * qps) / 1000 + 1e-6)
    },
  )
  fc.assert(property)
})

test('a rate of zero does not limit', async () => {
  const limit = new RateLimit(
    { qps: 0, burst: 0 },
    { monotonic: () => 0, sleep: () => Promise.reject(new Error('waits')) },
  )
  for (let i = 0; i < 1000; i++) await expect(limit.take(never)).resolves.toBeUndefined()
})

test('a request that is aborted does not wait', async () => {
  const limit = new RateLimit(
    { qps: 1, burst: 1 },
    { monotonic: () => 0, sleep: (_, signal) => Promise.reject(signal.reason) },
  )
  await limit.take(never)
  await expect(limit.take(AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough')
})
