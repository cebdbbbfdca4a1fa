import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Quantity } from '../../../src/quantity/quantity.ts'
import { filledOf, useOf } from './use-of.ts'

const WARN_AT = [80, 95]

test.each([
  ['0', '0', 'full', 100, 'full'],
  ['5', '0', 'over', 100, 'over the limit'],
  ['10', '10', 'full', 100, 'full'],
  ['11', '10', 'over', 100, 'over the limit'],
  ['7', '10', 'room', 70, ''],
  ['8', '10', 'near', 80, 'filling'],
  ['95', '100', 'tight', 95, 'almost full'],
  ['9999', '10000', 'tight', 99, 'almost full'],
  [undefined, '10', 'unknown', 0, 'not counted'],
  ['what', '10', 'unknown', 0, 'not counted'],
])('%s of %s is %s', (used, hard, level, width, words) => {
  expect(useOf(filledOf({ hard, ...(used === undefined ? {} : { used }) }), WARN_AT)).toMatchObject({
    level,
    width,
    words,
  })
})

test('says the percentage with the words', () => {
  expect(useOf({ fill: 'room', percent: 83 }, WARN_AT).state).toBe('83 % · filling')
  expect(useOf({ fill: 'room', percent: 5 }, WARN_AT).state).toBe('5 %')
  expect(useOf({ fill: 'over' }, WARN_AT).state).toBe('over the limit')
  expect(useOf({ fill: 'unknown' }, WARN_AT).state).toBe('not counted')
})

test('one threshold marks what is near, and none marks nothing', () => {
  expect(useOf({ fill: 'room', percent: 90 }, [80]).level).toBe('near')
  expect(useOf({ fill: 'room', percent: 99 }, []).level).toBe('room')
})

test('a bar is full exactly where nothing more fits', () => {
  const amount = fc.bigInt({ min: -2n, max: 10n ** 20n }).map(String)
  fc.assert(
    fc.property(amount, amount, (used, hard) => {
      const isFull = Quantity.parse(used).cmp(Quantity.parse(hard)) >= 0 || Quantity.parse(hard).sign() <= 0
      const { width } = useOf(filledOf({ used, hard }), WARN_AT)
      expect(width === 100).toBe(isFull)
      expect(width).toBeGreaterThanOrEqual(0)
    }),
  )
})
