import { expect, test } from 'vitest'
import { lastingMs } from './go-seconds.ts'
import { rawNumber } from './json-value.ts'

test.each([
  [30, 30_000],
  [-1, -1000],
  [undefined, 0],
  [1.5, 0],
  [9_223_372_036, 9_223_372_036_000],
  // time.Duration(9223372037) * time.Second
  [9_223_372_037, -9_223_372_036_709],
  [rawNumber('9223372036854775807'), -1000],
])('%s seconds last %d milliseconds, as Go has them', (seconds, ms) => {
  expect(lastingMs(seconds)).toBe(ms)
})
