import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Shares } from './shares.ts'

const BOUNDS = { all: 64, each: 8 }

test('whatever is taken and given back, no account has more than its share, and others find room [security/dashboard]', () => {
  const steps = fc.array(fc.tuple(fc.nat(9), fc.integer({ min: 1, max: 3 }), fc.boolean()), { maxLength: 200 })
  fc.assert(
    fc.property(steps, (all) => {
      const shares = new Shares(BOUNDS)
      const held = new Map<string, number[]>()
      for (const [account, amount, isGiven] of all) {
        const name = `a${account}`
        const own = held.get(name) ?? []
        held.set(name, own)
        if (isGiven) {
          const last = own.pop()
          if (last !== undefined) shares.give(name, last)
        } else if (shares.take(name, amount) === undefined) own.push(amount)
        const sums = [...held.values()].map((amounts) => amounts.reduce((a, b) => a + b, 0))
        expect(shares.total).toBe(sums.reduce((a, b) => a + b, 0))
        expect(Math.max(...sums)).toBeLessThanOrEqual(BOUNDS.each)
        expect(shares.total).toBeLessThanOrEqual(BOUNDS.all)
      }
    }),
  )
})

test('ten that take all that they get leave room for others [security/dashboard]', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 100, maxLength: 300 }), (takers) => {
      const shares = new Shares(BOUNDS)
      for (const taker of takers) shares.take(`a${taker}`)
      for (let taker = 0; taker < 10; taker++) while (shares.take(`a${taker}`) === undefined);
      expect(shares.take('newcomer')).toBeUndefined()
    }),
  )
})

test('an account that has its share is told so, and one that must leave the rest to others is, too', () => {
  const shares = new Shares({ all: 10, each: 4 })
  for (let at = 0; at < 4; at++) expect(shares.take('a')).toBeUndefined()
  expect(shares.take('a')).toBe('own')
  for (let at = 0; at < 3; at++) expect(shares.take('b')).toBeUndefined()
  expect([shares.take('b'), shares.take('c', 4)]).toEqual(['others', 'others'])
  shares.give('a', 4)
  expect([shares.heldBy('a'), shares.take('b'), shares.total]).toEqual([0, undefined, 4])
})
