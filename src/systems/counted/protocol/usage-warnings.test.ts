import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Quantity } from '../../../quantity/quantity.ts'
import { limitWarnings, wholePercentageOf, usageWarning } from './usage-warnings.ts'

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

test('each limit that a request brings near its end is named, and none whose usage nobody knows [32/warnings]', () => {
  const ref = { group: '', kind: 'ResourceQuota', namespace: 'n', name: 'q' }
  const amount = (text: string): Quantity => Quantity.parse(text)
  const rise = (limit: string, cost: string) => ({ limit, cost: amount(cost), oldCost: Quantity.zero })
  const hard = { pods: amount('10'), 'requests.cpu': amount('2'), secrets: amount('1') }
  const rises = [rise('pods', '1'), rise('requests.cpu', '500m'), rise('secrets', '1')]
  expect(limitWarnings({ ref, hard, used: { pods: '5', 'requests.cpu': '1400m' } }, rises, [80, 95])).toEqual([
    'ResourceQuota n/q has reached 95 % of its limit of requests.cpu: used 1900m of 2',
  ])
  expect(limitWarnings({ ref, hard, used: undefined }, rises, [80, 95])).toEqual([])
})
