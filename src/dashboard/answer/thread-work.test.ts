import { expect, test } from 'vitest'
import { threadCpu, ThreadWork } from './thread-work.ts'

test('reads that are under way at the same time share what the thread works', () => {
  const thread = { ms: 7 }
  const work = new ThreadWork(() => thread.ms)
  thread.ms += 100
  const first = work.begin()
  thread.ms += 10
  const second = work.begin()
  thread.ms += 20
  expect(first()).toEqual({ threadMs: 30, shareMs: 20 })
  thread.ms += 5
  expect(second()).toEqual({ threadMs: 25, shareMs: 15 })
  thread.ms += 50
  expect(work.begin()()).toEqual({ threadMs: 0, shareMs: 0 })
})

test('the processor time of the thread grows with its work', () => {
  const before = threadCpu()
  let sum = 0
  while (threadCpu() <= before) sum++
  expect(sum).toBeGreaterThan(0)
})
