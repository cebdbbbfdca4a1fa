import { expect, test } from 'vitest'
import { HeldAnswers } from './held-answers.ts'

test('holds the latest answer of each path, until it is dropped', () => {
  const held = new HeldAnswers()
  held.hold('/a', 1, new Date(1))
  held.hold('/a', 2, new Date(2))
  held.hold('/b', 3, new Date(3))
  expect(['/a', '/b', '/c'].map((path) => held.get(path))).toEqual([
    { answer: 2, at: new Date(2) },
    { answer: 3, at: new Date(3) },
    undefined,
  ])
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
  expect(held.get('/often')?.answer).toBe(99)
  expect(
    Array.from({ length: 100 }, (_, index) => held.get(`/once/${index}`)?.answer).filter((one) => one !== undefined),
  ).toEqual(Array.from({ length: 11 }, (_, index) => 89 + index))
})
