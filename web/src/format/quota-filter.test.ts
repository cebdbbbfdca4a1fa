import { expect, test } from 'vitest'
import type { QuotaRow } from '../data/answer.ts'
import { isNear, matches } from './quota-filter.ts'

const ROW: QuotaRow = {
  namespace: 'shop',
  kind: 'ResourceQuota',
  name: 'compute',
  resource: 'limits.memory',
  hard: '1',
  fill: 'room',
  percent: 80,
}

test('a row is found by words of its names, in any order and case', () => {
  for (const words of ['', 'SHOP', 'memory shop', ' quota  comp ']) expect(matches(ROW, words), words).toBe(true)
  for (const words of ['shopx', 'shop cpu']) expect(matches(ROW, words), words).toBe(false)
})

test('near is what has reached the percentage, and what has no room', () => {
  expect(isNear(ROW, 80)).toBe(true)
  expect(isNear({ ...ROW, percent: 79 }, 80)).toBe(false)
  for (const fill of ['full', 'over'] as const) expect(isNear({ ...ROW, fill, percent: 0 }, 80)).toBe(true)
  expect(isNear({ ...ROW, fill: 'unknown' }, 0)).toBe(false)
})
