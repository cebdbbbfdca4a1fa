import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HeadAllowance } from './allowance.ts'

const LIMIT = 1000
let gone: string[]
let allowance: HeadAllowance
const head = (name: string) => ({ giveUp: (why: string) => void gone.push(`${name}: ${why}`) })

beforeEach(() => {
  vi.useFakeTimers()
  gone = []
  allowance = new HeadAllowance(LIMIT, 30_000)
})
afterEach(() => vi.useRealTimers())

test('the oldest heads give way when all hold too much', () => {
  const heads = ['a', 'b', 'c'].map(head)
  for (const one of heads) allowance.hold(one, 300)
  expect(gone).toEqual([])
  for (const one of heads.slice(2)) allowance.hold(one, 800)
  expect(gone).toEqual(['a: crowded', 'b: crowded'])
  expect(allowance.total).toBe(800)
})

test('a head that is released holds nothing', () => {
  const one = head('a')
  allowance.hold(one, 700)
  allowance.release(one)
  allowance.release(one)
  allowance.hold(head('b'), 900)
  expect([gone, allowance.total]).toEqual([[], 900])
})

test('a head that is not complete in time is given up, however it grows', () => {
  const one = head('a')
  for (let n = 1; n < 40; n++) {
    if (gone.length === 0) allowance.hold(one, n)
    vi.advanceTimersByTime(1000)
  }
  expect(gone).toEqual(['a: late'])
})
