import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HeadBudget } from './head-budget.ts'

const LIMIT = 1000
let gone: string[]
let budget: HeadBudget
const head = (name: string) => ({ giveUp: (why: string) => void gone.push(`${name}: ${why}`) })

beforeEach(() => {
  vi.useFakeTimers()
  gone = []
  budget = new HeadBudget(LIMIT, 30_000)
})
afterEach(() => vi.useRealTimers())

test('the oldest heads give way when all hold too much', () => {
  const heads = ['a', 'b', 'c'].map(head)
  for (const one of heads) budget.hold(one, 300)
  expect(gone).toEqual([])
  for (const one of heads.slice(2)) budget.hold(one, 800)
  expect(gone).toEqual(['a: crowded', 'b: crowded'])
  expect(budget.total).toBe(800)
})

test('a head that is released holds nothing', () => {
  const one = head('a')
  budget.hold(one, 700)
  budget.release(one)
  budget.release(one)
  budget.hold(head('b'), 900)
  expect([gone, budget.total]).toEqual([[], 900])
})

test('a head that is not complete in time is given up, however it grows', () => {
  const one = head('a')
  for (let n = 1; n < 40; n++) {
    if (gone.length === 0) budget.hold(one, n)
    vi.advanceTimersByTime(1000)
  }
  expect(gone).toEqual(['a: late'])
})
