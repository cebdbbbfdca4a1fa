import { expect, test } from 'vitest'
import { momentText, timeText } from './times.ts'

const NOW = new Date(2026, 10, 28, 15, 4, 5)

test.each([
  [new Date(2026, 10, 28, 0, 0, 0), '00:00:00'],
  [new Date(2026, 10, 28, 15, 4, 5), '15:04:05'],
])('writes the time of a day in one form', (at, text) => expect(timeText(at)).toBe(text))

test('adds the date where the time is not of the last day', () => {
  expect(momentText(new Date(2026, 10, 28, 9), NOW.getTime())).toBe('09:00:00')
  expect(momentText(new Date(2026, 10, 25, 9), NOW.getTime())).toMatch(/\b25\b.*, 09:00:00$/)
  expect(momentText(new Date(2026, 10, 25, 9), NOW.getTime())).not.toMatch(/2026/)
  expect(momentText(new Date(1970, 1, 1, 9), NOW.getTime())).toMatch(/\b1970\b.*, 09:00:00$/)
})
