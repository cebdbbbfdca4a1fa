import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { CompleteRules, MOST_WAIT_MS } from './complete-rules.ts'

function setUp() {
  const clock = new ManualClock()
  const warned: unknown[] = []
  let reason: string | undefined = 'a kind is being found out'
  const rules = new CompleteRules({
    clock,
    logger: { warn: (fields: object) => void warned.push(fields) },
    pending: () => reason,
  })
  return { clock, warned, rules, now: (next: string | undefined) => (reason = next) }
}

test('rules are complete as soon as nothing is pending, and stay so', () => {
  const { rules, now, warned } = setUp()
  expect(rules.state).toBe('waiting')
  now(undefined)
  expect(rules.state).toBe('complete')
  now('another quota came')
  expect(rules.state).toBe('complete')
  expect(warned).toEqual([])
})

test('rules that something is missing of for long are overdue, which is reported once, until nothing is', async () => {
  const { rules, clock, now, warned } = setUp()
  expect(rules.state).toBe('waiting')
  await clock.advance(MOST_WAIT_MS)
  expect([rules.state, rules.state]).toEqual(['overdue', 'overdue'])
  expect(warned).toEqual([{ reason: 'a kind is being found out' }])
  now(undefined)
  expect(rules.state).toBe('complete')
})
