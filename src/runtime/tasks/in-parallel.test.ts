import { expect, test } from 'vitest'
import { inParallel } from './in-parallel.ts'

test('no more than the limit is under way at a time, and all of it is done', async () => {
  let running = 0
  let most = 0
  const done: number[] = []
  await inParallel([1, 2, 3, 4, 5], 2, async (item) => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    running--
    done.push(item)
  })
  expect(most).toBe(2)
  expect(done.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5])
})

test('a failed task keeps no other from being done, and is reported', async () => {
  const done: number[] = []
  const work = async (item: number): Promise<void> => {
    if (item % 2 === 0) throw new Error(`no ${item}`)
    done.push(item)
  }
  await expect(inParallel([1, 2, 3], 1, work)).rejects.toThrow('no 2')
  expect(done).toEqual([1, 3])
  await expect(inParallel([2, 4], 1, work)).rejects.toThrow(AggregateError)
})
