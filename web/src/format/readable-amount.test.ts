import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Quantity } from '../../../src/quantity/quantity.ts'
import { readableAmount, readablePair } from './readable-amount.ts'

test.each([
  ['1536Mi', 'limits.memory', '1.5 GiB'],
  ['2100Mi', 'requests.memory', '2.05 GiB'],
  ['20999Mi', 'requests.memory', '20.5 GiB'],
  ['1Gi', 'requests.storage', '1 GiB'],
  ['1023', 'memory', '1,023 B'],
  ['4Gi', 'gold.storageclass.storage.k8s.io/requests.storage', '4 GiB'],
  ['250m', 'requests.cpu', '0.25 cores'],
  ['1', 'cpu', '1 core'],
  ['1500', 'limits.cpu', '1,500 cores'],
  ['12345678', 'pods', '12,345,678'],
  ['4k', 'limit', '4,000'],
  ['1536Mi', 'limit', '1.5 GiB'],
  ['-3Gi', 'memory', '-3 GiB'],
  ['no amount', 'pods', 'no amount'],
])('writes %s of %s as %s', (amount, resource, text) => {
  expect(readableAmount(amount, resource).replaceAll('\u202F', ',')).toBe(text)
})

test('writes usage in the unit of its limit, whatever the resource is called', () => {
  expect(readablePair('943718400', '10Gi', 'limit')).toEqual(['900 MiB', '10 GiB'])
  expect(readablePair('5Gi', '10Gi', 'limit')).toEqual(['5', '10 GiB'])
  expect(readablePair('5', '10', 'limit')).toEqual(['5', '10'])
  expect(readableAmount('1073741824', 'limit', '10Gi')).toBe('1 GiB')
})

const resource = fc.constantFrom('requests.cpu', 'limits.memory', 'pods')
const amount = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.constantFrom('', 'm', 'Ki', 'Mi', 'n'))
  .map(([units, suffix]) => `${units}${suffix}`)

test('amounts that differ are written differently, and those that are the same alike', () => {
  fc.assert(
    fc.property(amount, amount, resource, (used, hard, name) => {
      const [shownUsed, shownHard] = readablePair(used, hard, name)
      const isSame = Quantity.parse(used).equals(Quantity.parse(hard))
      const [number] = shownHard.split(' ')
      expect(shownUsed === shownHard || shownUsed === number).toBe(isSame)
    }),
  )
})

test('no amount is written as more than it is', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (bytes) => {
      const [number = '', unit = ''] = readableAmount(String(bytes), 'memory').split(' ')
      const shown = Quantity.parse(`${number.replaceAll('\u202F', '')}${unit === 'B' ? '' : unit.replace('B', '')}`)
      expect(shown.cmp(Quantity.of(bytes))).toBeLessThanOrEqual(0)
    }),
  )
})
