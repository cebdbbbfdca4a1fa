import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Quantity } from '../../quantity/quantity.ts'
import { byNearness, rowsOf } from './limit-row.ts'
import { roughTime, useOf } from './text.ts'

const NAMED = { namespace: 'n', kind: 'ResourceQuota', name: 'q' }
const rows = (hard: Readonly<Record<string, string>>, used: Readonly<Record<string, string>>) => {
  const parsed = (list: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(list).map(([name, amount]) => [name, Quantity.parse(amount)]))
  return rowsOf(NAMED, parsed(hard), parsed(used)).toSorted(byNearness)
}

test('the nearest to its limit comes first; a limit of 0 is full, and comes after those with room', () => {
  const hard = { over: '2', full: '1Gi', zero: '0', near: '3', far: '1000m', unknown: '5', held: '0' }
  const used = { over: '3', full: '1024Mi', zero: '0', near: '2', far: '1m', held: '1' }
  expect(rows(hard, used).map(({ row: { resource, fill, percent } }) => [resource, fill, percent])).toEqual([
    ['over', 'over', 150],
    ['held', 'over', undefined],
    ['full', 'full', 100],
    ['near', 'room', 66],
    ['far', 'room', 0],
    ['zero', 'full', undefined],
    ['unknown', 'unknown', undefined],
  ])
})

test('a bar is full exactly where nothing more fits, and says so without its cells', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 24n })
  fc.assert(
    fc.property(amount, amount, (hard, used) => {
      const [ranked] = rows({ x: String(hard) }, { x: String(used) })
      const shown = useOf(ranked?.row ?? { fill: 'unknown' })
      const isFull = used >= hard
      expect(shown.includes('#'.repeat(20))).toBe(isFull)
      expect(/full|over/.test(shown)).toBe(isFull)
    }),
  )
})

test('rows are in the order of their exact shares, whatever their units are', () => {
  const amount = fc.bigInt({ min: 1n, max: 10n ** 15n })
  fc.assert(
    fc.property(fc.array(fc.tuple(amount, amount), { minLength: 2, maxLength: 6 }), (pairs) => {
      const hard = Object.fromEntries(pairs.map(([limit], index) => [`r${index}`, `${limit}m`]))
      const used = Object.fromEntries(pairs.map(([, usage], index) => [`r${index}`, `${usage}m`]))
      const order = rows(hard, used).map(({ row }) => pairs[Number(row.resource.slice(1))] ?? ([1n, 1n] as const))
      for (const [index, [limit, usage]] of order.entries()) {
        const [nextLimit, nextUsage] = order[index + 1] ?? ([1n, 0n] as const)
        // Shares are compared in billionths.
        expect((usage * 10n ** 9n) / limit).toBeGreaterThanOrEqual((nextUsage * 10n ** 9n) / nextLimit)
      }
    }),
  )
})

test('a time to exhaustion is shown in one unit, and never as more than it is', () => {
  const shown = [0, 1, 59, 60, 119, 3599, 3 * 3600 - 1, 3 * 3600, 48 * 3600 - 1, 48 * 3600, 30 * 86_400].map(roughTime)
  expect(shown).toEqual(['now', '<1m', '<1m', '1m', '1m', '59m', '179m', '3h', '47h', '2d', '30d'])
})
