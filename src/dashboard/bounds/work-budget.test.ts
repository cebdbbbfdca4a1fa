import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { WorkBudget } from './work-budget.ts'

test('work in a loop gets its burst, and then its share of the time [security/dashboard]', async () => {
  const clock = new ManualClock()
  const budget = new WorkBudget({ burstMs: 1_000, msASecond: 50 }, clock)
  const state = { workedMs: 0 }
  expect([budget.hasLeft, budget.isFull]).toEqual([true, true])
  for (let second = 0; second < 100; second++) {
    while (budget.hasLeft) {
      state.workedMs += 300
      budget.spend(300)
    }
    await clock.advance(1_000)
  }
  // The last piece may go beyond it, and is paid for later.
  expect(state.workedMs).toBeGreaterThan(5_500)
  expect(state.workedMs).toBeLessThan(6_500)
  expect(budget.isFull).toBe(false)
  await clock.advance(60_000)
  expect(budget.isFull).toBe(true)
})
