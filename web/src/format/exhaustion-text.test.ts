import { expect, test } from 'vitest'
import { exhaustionText } from './exhaustion-text.ts'

test.each([
  ['room', 8640, 'full in 2 hours'],
  ['room', 0, ''],
  ['room', undefined, ''],
  ['full', 0, 'full now'],
  ['full', undefined, 'full now'],
  ['full', 60, 'full now'],
  ['over', 60, 'full now'],
  ['unknown', 60, ''],
] as const)('a limit of fill "%s" that is estimated full in %s seconds is said to be "%s"', (fill, seconds, text) => {
  expect(exhaustionText({ fill, ...(seconds === undefined ? {} : { exhaustedInSeconds: seconds }) })).toBe(text)
})
