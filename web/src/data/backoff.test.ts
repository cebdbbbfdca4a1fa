import { expect, test } from 'vitest'
import { backoffMs } from './backoff.ts'
import { reloadPauseMs } from './reload-pause.ts'

test('waits longer with each failure, up to half a minute, and never not at all', () => {
  const waits = Array.from({ length: 20 }, (_, index) => backoffMs(index + 1, 1))
  expect(waits.slice(0, 4)).toEqual([500, 1000, 2000, 4000])
  expect(waits.at(-1)).toBe(30_000)
  expect(backoffMs(1, 0)).toBe(250)
})

test('asks again the less often the longer an answer takes', () => {
  expect([0, 10, 100, 400, 60_000].map(reloadPauseMs)).toEqual([1000, 1000, 3000, 12_000, 30_000])
})
