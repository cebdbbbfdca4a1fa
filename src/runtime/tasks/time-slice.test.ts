import { expect, test } from 'vitest'
import { inTurns, TimeSlice } from './time-slice.ts'

const busyFor = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a task that has just begun goes on at once', () => {
  expect(new TimeSlice().next()).toBeUndefined()
})

test('a task that took its time waits until others had theirs, all its workers together', async () => {
  const slice = new TimeSlice()
  busyFor(6)
  const order: string[] = []
  const turns = [slice.next(), slice.next()].map(async (turn) => {
    await turn
    order.push('task')
  })
  setImmediate(() => order.push('late'))
  await new Promise<void>((resolve) => {
    setImmediate(() => {
      order.push('other')
      resolve()
    })
  })
  await Promise.all(turns)
  expect(order).toEqual(['task', 'task', 'late', 'other'])
  expect(slice.next()).toBeUndefined()
})

test('each item has its step, no more at a time than there are workers', async () => {
  const done: number[] = []
  let running = 0
  let most = 0
  await inTurns(
    Array.from({ length: 50 }, (_, i) => i),
    4,
    async (item) => {
      most = Math.max(most, ++running)
      await Promise.resolve()
      running--
      done.push(item)
    },
  )
  expect(most).toBe(4)
  expect(done.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i))
})

test('long steps do not keep timers waiting', async () => {
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  await inTurns(Array.from({ length: 20 }), 3, async () => busyFor(2))
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(1)
})

test('the first failure is reported', async () => {
  await expect(
    inTurns([1, 2, 3], 2, async (item) => {
      if (item === 2) throw new Error('two')
    }),
  ).rejects.toThrow('two')
})
