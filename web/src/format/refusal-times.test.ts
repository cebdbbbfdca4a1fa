import { expect, test } from 'vitest'
import { refusalTimes } from './refusal-times.ts'

const NOW = Date.UTC(2026, 10, 28, 12)
const at = (minutesAgo: number): string => new Date(NOW - minutesAgo * 60_000).toISOString()

test('tells when something was refused', () => {
  expect(refusalTimes({ count: 1, firstSeen: at(3), lastSeen: at(3) }, NOW)).toBe('3 minutes ago')
})

test('tells since when it is refused where repetitions are counted together', () => {
  const folded = { count: 4, lastSeen: at(3), firstSeen: at(60) }
  expect(refusalTimes(folded, NOW)).toMatch(/^3 minutes ago; 4 times since \d\d:\d\d:\d\d$/)
  expect(refusalTimes({ ...folded, firstSeen: at(3 * 24 * 60) }, NOW)).toMatch(/since .*\b25\b.*, \d\d:\d\d:\d\d$/)
  expect(refusalTimes({ ...folded, firstSeen: 'never' }, NOW)).toBe('3 minutes ago; 4 times')
})
