import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareVersions, isOlder } from './resource-version.ts'

test('versions that are numbers are compared as numbers, however long', () => {
  const number = fc.bigInt({ min: 1n, max: 10n ** 40n })
  fc.assert(
    fc.property(number, number, (a, b) => {
      const expected = a < b ? -1 : a > b ? 1 : 0
      expect(Math.sign(compareVersions(String(a), String(b)) ?? Number.NaN)).toBe(expected)
    }),
  )
})

test.each(['', '0', '007', '1a', 'abc', '-1', '1.5'])('%j cannot be compared and is older than nothing', (version) => {
  expect(compareVersions(version, '5')).toBeUndefined()
  expect(compareVersions('5', version)).toBeUndefined()
  expect(isOlder(version, '5')).toBe(false)
})
