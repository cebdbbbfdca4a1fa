import { expect, test } from 'vitest'
import { agoText, durationText } from './durations.ts'

test.each([
  [0, '0 seconds'],
  [1, '1 second'],
  [119, '1 minute'],
  [8640, '2 hours'],
  [90_000, '1 day'],
])('%d seconds are %s', (seconds, text) => expect(durationText(seconds)).toBe(text))

test('says how long ago a time is, and leaves alone what is none', () => {
  const now = Date.UTC(2026, 10, 28, 8)
  expect(agoText('2026-11-28T07:58:00Z', now)).toBe('2 minutes ago')
  expect(agoText('2026-11-28T08:00:30Z', now)).toBe('now')
  expect(agoText('yesterday', now)).toBe('yesterday')
})
