import { expect, test } from 'vitest'
import { reviewDeadline } from './deadline.ts'

test.each([
  ['10s', 9000],
  ['1s', 900],
  ['30s', 29_000],
  ['1m0s', 29_000],
  ['1.5s', 1350],
  ['500ms', 450],
  [null, 9000],
  ['', 9000],
  ['soon', 9000],
  ['0s', 9000],
  ['-4s', 9000],
])(
  'with timeout=%s a decision is given up after %i ms, and something answered before the server gives up',
  (timeout, abortMs) => {
    const deadline = reviewDeadline(timeout)
    expect(deadline.abortMs).toBe(abortMs)
    expect(deadline.answerMs).toBeGreaterThan(abortMs)
    expect(deadline.answerMs).toBeLessThan(abortMs / 0.9 + 600)
  },
)
