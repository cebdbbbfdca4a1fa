import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Quantity } from '../../../quantity/quantity.ts'
import { wholePercentageOf, usageWarning } from './usage-warnings.ts'

const ref = { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace: 'harbour', name: 'cranes' }
const warning = (before: string, after: string, limit: string, warnAt?: readonly number[]): string | undefined =>
  usageWarning(
    { ref, before: Quantity.parse(before), after: Quantity.parse(after), limit: Quantity.parse(limit) },
    warnAt,
  )

test.each([
  ['7', '8', 'has reached 80 % of its limit: used 8 of 10'],
  ['0', '9500m', 'has reached 95 % of its limit: used 9500m of 10'],
  ['8', '10', 'has reached 100 % of its limit: used 10 of 10'],
  ['7999m', '8001m', 'has reached 80 % of its limit: used 8001m of 10'],
])('from %s to %s of 10 warns once', (before, after, text) => {
  expect(warning(before, after, '10')).toBe(`CustomQuota harbour/cranes ${text}`)
})

test.each([
  ['0', '7999m'],
  ['8', '9'],
  ['9500m', '10'],
  ['9', '7'],
])('from %s to %s of 10 warns of nothing', (before, after) => {
  expect(warning(before, after, '10')).toBeUndefined()
})

test('the percentages may be others, or none', () => {
  expect(warning('0', '5', '10', [50])).toContain('50 %')
  expect(warning('0', '10', '10', [])).toBeUndefined()
})

test('the percentage is exact where a float is not, and rounded down', () => {
  expect(wholePercentageOf(Quantity.parse('9007199254740993'), Quantity.parse('9007199254740992'))).toBe(100n)
  expect(wholePercentageOf(Quantity.parse('9007199254740991999m'), Quantity.parse('9007199254740992'))).toBe(99n)
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 30n), fc.bigInt(1n, 10n ** 30n), (used, limit) => {
      const percentage = wholePercentageOf(Quantity.ofScaled(used, -9), Quantity.ofScaled(limit, -9))
      expect(percentage).toBe((used * 100n) / limit)
    }),
  )
})
