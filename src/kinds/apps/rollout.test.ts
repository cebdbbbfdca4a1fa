import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { newReplicas, proportional, type Rollout, rolloutOf, share, shrunk, type Version } from './rollout.ts'

const version = (name: string, replicas: number, available = replicas): Version => ({ name, replicas, available })

test.each([
  ['25%', 10, 'up', 3],
  ['25%', 10, 'down', 2],
  ['100%', 7, 'up', 7],
  [4, 10, 'up', 4],
  ['0%', 3, 'up', 0],
] as const)('%s of %d rounded %s is %d', (value, replicas, round, count) => {
  expect(share(value, replicas, round)).toBe(count)
})

test('a rollout that may neither surge nor lack a pod may lack one', () => {
  expect(rolloutOf(3, 0, '10%')).toEqual({ replicas: 3, maxSurge: 0, maxUnavailable: 1 })
})

test('the new version grows as far as the surge allows, and shrinks with its deployment', () => {
  const rollout: Rollout = { replicas: 4, maxSurge: 1, maxUnavailable: 1 }
  expect(newReplicas(rollout, version('new', 0), [version('old', 4)])).toBe(1)
  expect(newReplicas(rollout, version('new', 1), [version('old', 4)])).toBe(1)
  expect(newReplicas(rollout, version('new', 1), [version('old', 2)])).toBe(3)
  expect(newReplicas(rollout, version('new', 9), [])).toBe(4)
})

test('old versions give up what is not available first', () => {
  const rollout: Rollout = { replicas: 4, maxSurge: 1, maxUnavailable: 1 }
  expect(shrunk(rollout, version('new', 1, 0), [version('old', 4, 2)])).toEqual(new Map([['old', 3]]))
  expect(shrunk(rollout, version('new', 1, 1), [version('old', 4)])).toEqual(new Map([['old', 2]]))
  expect(shrunk(rollout, version('new', 1, 0), [version('old', 3)])).toEqual(new Map())
})

test('a rollout goes on step by step to its end, never above the surge nor below what must be available', () => {
  const numbers = fc.record({
    replicas: fc.integer({ min: 0, max: 20 }),
    maxSurge: fc.integer({ min: 0, max: 5 }),
    maxUnavailable: fc.integer({ min: 0, max: 5 }),
    olds: fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 3 }),
  })
  fc.assert(
    fc.property(numbers, ({ replicas, maxSurge, maxUnavailable, olds }) => {
      const rollout = rolloutOf(replicas, maxSurge, maxUnavailable)
      let fresh = version('new', 0)
      let old = olds.map((count, index) => version(`old-${index}`, count))
      const most = Math.max(
        replicas + rollout.maxSurge,
        olds.reduce((a, b) => a + b, 0),
      )
      const least = Math.min(
        replicas - rollout.maxUnavailable,
        olds.reduce((a, b) => a + b, 0),
      )
      for (let step = 0; step < 200; step++) {
        // New replicas become available before the next step; removed ones go at once.
        fresh = version('new', newReplicas(rollout, fresh, old))
        const less = shrunk(rollout, fresh, old)
        old = old.map(({ name, replicas: has }) => version(name, less.get(name) ?? has))
        const total = fresh.replicas + old.reduce((all, one) => all + one.replicas, 0)
        expect(total).toBeLessThanOrEqual(most)
        expect(total).toBeGreaterThanOrEqual(least)
        if (fresh.replicas === replicas && old.every((one) => one.replicas === 0)) return
      }
      throw new Error('the rollout does not end')
    }),
  )
})

test('scaling in the middle of a rollout keeps the proportions and misses nothing', () => {
  expect(proportional(10, [version('a', 4), version('b', 1)])).toEqual(
    new Map([
      ['a', 8],
      ['b', 2],
    ]),
  )
  expect(proportional(4, [version('a', 1), version('b', 2)])).toEqual(
    new Map([
      ['b', 3],
      ['a', 1],
    ]),
  )
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 50 }),
      fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1 }),
      (total, counts) => {
        const versions = counts.map((count, index) => version(String(index), count))
        const before = counts.reduce((a, b) => a + b, 0)
        const after = proportional(total, versions)
        if (before !== 0 && before !== total) expect([...after.values()].reduce((a, b) => a + b, 0)).toBe(total)
      },
    ),
  )
})
