import { expect, test } from 'vitest'
import { enumerated } from './enumerated.ts'

test.each([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b'], 'a and b'],
  [['a', 'b', 'c'], 'a, b and c'],
])('lists %j as a sentence does', (texts, said) => {
  expect(enumerated(texts)).toBe(said)
})
