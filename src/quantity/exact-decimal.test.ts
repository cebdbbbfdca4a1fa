import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decimalOf, percentageOf } from './exact-decimal.ts'
import { Quantity } from './quantity.ts'

test.each([
  ['0', '0'],
  ['1', '1'],
  ['1.5Ki', '1536'],
  ['250m', '0.25'],
  ['1n', '0.000000001'],
  ['-1500m', '-1.5'],
  ['-5n', '-0.000000005'],
  ['10', '10'],
  ['100M', '100000000'],
  ['1e30', `1${'0'.repeat(30)}`],
])('%s is %s in plain digits', (text, expected) => {
  expect(decimalOf(Quantity.parse(text))).toBe(expected)
})

test.each([
  ['1', '4', '25'],
  ['0', '4', '0'],
  ['1', '3', '33.333333333333333'],
  ['2', '3', '66.66666666666667'],
  ['-2', '3', '-66.66666666666667'],
  ['1', '0', '0'],
  ['1', '-2', '0'],
  ['5', '2', '250'],
  ['1n', '1e3', '0.0000000001'],
  ['1e12', '3', '33333333333333.333333333'],
  ['500m', '1', '50'],
  ['1Ki', '1Mi', '0.09765625'],
])('%s of %s is %s percent', (part, whole, expected) => {
  const percent = percentageOf(Quantity.parse(part), Quantity.parse(whole))
  expect([percent, Number(percent)]).toEqual([expect.stringMatching(/^-?\d/), Number(expected)])
})

test('digits say the amount exactly, whatever it is', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (nano) => {
      const text = decimalOf(Quantity.parse(`${nano}n`))
      const [whole = '', fraction = ''] = text.replace('-', '').split('.')
      const sign = text.startsWith('-') ? -1n : 1n
      expect(sign * BigInt(whole + fraction.padEnd(9, '0'))).toBe(nano)
      expect(text).not.toMatch(/\.$|\.\d*0$|^-?0\d/)
    }),
  )
})

test('a percentage is the nearest of its places', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 20n })
  fc.assert(
    fc.property(amount, amount, (part, whole) => {
      const text = percentageOf(Quantity.parse(`${part}n`), Quantity.parse(`${whole}n`))
      const [digits = '', fraction = ''] = text.split('.')
      const places = BigInt(fraction.length)
      // Off by at most half of the last of 17 digits.
      const difference = BigInt(digits + fraction) * whole - 100n * part * 10n ** places
      const magnitude = difference < 0n ? -difference : difference
      expect(magnitude * 10n ** 16n <= 100n * part * 10n ** places).toBe(true)
    }),
  )
})
