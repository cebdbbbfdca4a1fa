import { expect, test } from 'vitest'
import { Backoff } from './backoff.ts'

test('waits double up to the longest', () => {
  const backoff = new Backoff(() => 0.5, { firstMs: 100, lastMs: 1000 })
  expect([1, 2, 3, 4, 5, 6].map(() => backoff.next())).toEqual([100, 200, 400, 800, 1000, 1000])
})

test('chance moves a wait by up to half of it', () => {
  expect(new Backoff(() => 0, { firstMs: 100, lastMs: 1000 }).next()).toBe(50)
  expect(new Backoff(() => 0.999, { firstMs: 100, lastMs: 1000 }).next()).toBeCloseTo(149.9)
})

test('a wait is never shorter than the server asks for', () => {
  const backoff = new Backoff(() => 0, { firstMs: 100, lastMs: 1000 })
  expect(backoff.next(5000)).toBe(5000)
  expect(backoff.next(10)).toBe(100)
})

test('success begins anew', () => {
  const backoff = new Backoff(() => 0.5, { firstMs: 100, lastMs: 1000 })
  backoff.next()
  backoff.next()
  expect(backoff.failures).toBe(2)
  backoff.succeeded()
  expect(backoff.next()).toBe(100)
})
