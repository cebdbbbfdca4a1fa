import { expect, test } from 'vitest'
import { goFloat } from './float.ts'

test.each([
  [1, '1'],
  [-1.5, '-1.5'],
  [123_456, '123456'],
  [123_456.7, '123456.7'],
  [1_000_000, '1e+06'],
  [1_234_567, '1.234567e+06'],
  [18_446_744_073_709_552_000, '1.8446744073709552e+19'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [-0, '-0'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [NaN, 'NaN'],
])('the float64 %s is printed as %s', (value, text) => {
  expect(goFloat(value)).toBe(text)
})

test('a float32 has no digits that it does not need', () => {
  expect([0.1, 16_777_217, 1e300].map((value) => goFloat(Math.fround(value), 32))).toEqual([
    '0.1',
    '1.6777216e+07',
    '+Inf',
  ])
})
