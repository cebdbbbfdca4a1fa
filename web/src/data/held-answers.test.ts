import { expect, test } from 'vitest'
import { HeldAnswers } from './held-answers.ts'

test('holds the latest answer of each path, until it is dropped', () => {
  const held = new HeldAnswers()
  held.hold('/a', 1)
  held.hold('/a', 2)
  held.hold('/b', 3)
  expect([held.get('/a'), held.get('/b'), held.get('/c')]).toEqual([2, 3, undefined])
  held.drop('/a')
  expect(held.get('/a')).toBeUndefined()
})

test('holds a bounded number of answers, the latest', () => {
  const held = new HeldAnswers()
  held.hold('/often', 'first')
  for (let index = 0; index < 100; index++) {
    held.hold(`/once/${index}`, index)
    held.hold('/often', index)
  }
  expect(held.get('/often')).toBe(99)
  expect(
    Array.from({ length: 100 }, (_, index) => held.get(`/once/${index}`)).filter((one) => one !== undefined),
  ).toEqual(Array.from({ length: 11 }, (_, index) => 89 + index))
})
