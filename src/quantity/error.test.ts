import { expect, test } from 'vitest'
import { ifReadable, QuantityError } from './error.ts'
import { Quantity } from './quantity.ts'

test('what cannot be read gives way to another value, and any other error does not', () => {
  expect(ifReadable(() => Quantity.parse('1500m').toString(), 'none')).toBe('1500m')
  expect(ifReadable(() => Quantity.parse('much').toString(), 'none')).toBe('none')
  const broken = (): never => {
    throw new RangeError('not about quantities')
  }
  expect(() => ifReadable(broken, 'none')).toThrow(RangeError)
})

test('a list of no quantities is told in the words of Capsule', () => {
  expect(new QuantityError('Empty', '').message).toBe('no quantity values found')
})
