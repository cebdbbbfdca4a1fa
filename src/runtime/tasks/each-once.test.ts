import { expect, test } from 'vitest'
import { eachOnce } from './each-once.ts'

test('a step that is repeated does again only the work that failed, and waits for all of it', async () => {
  const done: number[] = []
  let isAway = true
  const step = eachOnce([1, 2, 3, 4], async (item) => {
    await Promise.resolve()
    if (isAway && item % 2 === 0) throw new Error(`${item} failed`)
    done.push(item)
  })
  await expect(step()).rejects.toThrow('2 failed')
  expect(done).toEqual([1, 3])
  isAway = false
  await step()
  await step()
  expect(done).toEqual([1, 3, 2, 4])
})

test('a step of many requests comes to its end although one of each hundred fails', async () => {
  let requests = 0
  const step = eachOnce(
    Array.from({ length: 250 }, (_, at) => at),
    async () => {
      if (++requests % 100 === 0) throw new Error('unavailable')
    },
  )
  let tries = 0
  const isDone = async (): Promise<boolean> => {
    tries++
    return await step().then(
      () => true,
      () => false,
    )
  }
  while (!(await isDone()));
  expect(tries).toBeLessThan(4)
})
