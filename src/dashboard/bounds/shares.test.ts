import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Holder, Shares } from './shares.ts'

const BOUNDS = { all: 64, each: 8, minted: 48 }
const holder = (name: string, isMinted = false): Holder => ({ name, isMinted })

test('whatever is taken and given back, no account has more than its share, and others find room [security/dashboard]', () => {
  const steps = fc.array(fc.tuple(fc.nat(29), fc.integer({ min: 1, max: 3 }), fc.boolean()), { maxLength: 200 })
  fc.assert(
    fc.property(steps, (all) => {
      const shares = new Shares(BOUNDS)
      const held = new Map<string, number[]>()
      for (const [account, amount, isGiven] of all) {
        const name = `a${account}`
        const of = holder(name, account % 3 > 0)
        const own = held.get(name) ?? []
        held.set(name, own)
        if (isGiven) {
          const last = own.pop()
          if (last !== undefined) shares.give(of, last)
        } else if (shares.take(of, amount) === undefined) own.push(amount)
        const sums = [...held.values()].map((amounts) => amounts.reduce((a, b) => a + b, 0))
        expect(shares.total).toBe(sums.reduce((a, b) => a + b, 0))
        expect(Math.max(...sums)).toBeLessThanOrEqual(BOUNDS.each)
        expect(shares.total).toBeLessThanOrEqual(BOUNDS.all)
        // A user finds room, however many ServiceAccounts there are.
        const users = [...held].filter(([one]) => Number(one.slice(1)) % 3 === 0)
        if (users.every(([, amounts]) => amounts.length === 0)) {
          expect(shares.take(holder('newcomer'), 1)).toBeUndefined()
          shares.give(holder('newcomer'))
        }
      }
    }),
  )
})

test('ten that take all that they get leave room for others [security/dashboard]', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 100, maxLength: 300 }), (takers) => {
      const shares = new Shares(BOUNDS)
      for (const taker of takers) shares.take(holder(`a${taker}`))
      for (let taker = 0; taker < 10; taker++) while (shares.take(holder(`a${taker}`)) === undefined);
      expect(shares.take(holder('newcomer'))).toBeUndefined()
    }),
  )
})

test('an account that has its share is told so, and one that must leave the rest to others is, too', () => {
  const shares = new Shares({ all: 10, each: 4 })
  for (let at = 0; at < 4; at++) expect(shares.take(holder('a'))).toBeUndefined()
  expect(shares.take(holder('a'))).toBe('own')
  for (let at = 0; at < 3; at++) expect(shares.take(holder('b'))).toBeUndefined()
  expect([shares.take(holder('b')), shares.take(holder('c'), 4)]).toEqual(['others', 'others'])
  shares.give(holder('a'), 4)
  expect([shares.heldBy('a'), shares.take(holder('b')), shares.total]).toEqual([0, undefined, 4])
})
