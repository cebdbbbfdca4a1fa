import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BodyAllowance, type BodyOwner, type UnfinishedBody } from './allowance.ts'

const BOUNDS = { all: 100, user: 60, unknown: 30 }
const jane: BodyOwner = { name: 'jane', isKnown: true }
const jack: BodyOwner = { name: 'jack', isKnown: true }
const stranger: BodyOwner = { name: '192.0.2.1', isKnown: false }

function bodies(...names: readonly string[]): { readonly all: readonly UnfinishedBody[]; readonly refused: string[] } {
  const refused: string[] = []
  return { all: names.map((name) => ({ giveUp: () => void refused.push(name) })), refused }
}

test('the oldest unfinished body of the user with too much is refused, and no other', () => {
  const allowance = new BodyAllowance(BOUNDS)
  const { all, refused } = bodies('other', 'first', 'second', 'third')
  const [other, first, second, third] = all
  allowance.hold(jack, other!, 20)
  allowance.hold(jane, first!, 20)
  allowance.hold(jane, second!, 20)
  allowance.hold(jane, third!, 30)
  expect(refused).toEqual(['first'])
  expect(allowance.total).toBe(70)
})

test('when all hold too much, the oldest of the owner with most is refused', () => {
  const allowance = new BodyAllowance(BOUNDS)
  const { all, refused } = bodies('a', 'b', 'c', 'd')
  allowance.hold(jack, all[0]!, 20)
  allowance.hold(jane, all[1]!, 30)
  allowance.hold(jane, all[2]!, 30)
  allowance.hold(jack, all[3]!, 25)
  expect(refused).toEqual(['b'])
})

test('a client that is not known may hold less, and a body that is too large alone is refused', () => {
  const allowance = new BodyAllowance(BOUNDS)
  const { all, refused } = bodies('small', 'large')
  allowance.hold(stranger, all[0]!, 10)
  allowance.release(stranger, all[0]!)
  allowance.hold(stranger, all[1]!, 31)
  expect([refused, allowance.total]).toEqual([['large'], 0])
})

test('a complete body counts until it is released, and gives way to nobody', () => {
  const allowance = new BodyAllowance(BOUNDS)
  const { all, refused } = bodies('complete', 'newer', 'other')
  const [complete, newer, other] = all
  allowance.hold(jane, complete!, 50)
  allowance.complete(jane, complete!)
  allowance.hold(jane, newer!, 20)
  expect(refused).toEqual(['newer'])
  allowance.hold(jack, other!, 60)
  expect(refused).toEqual(['newer', 'other'])
  allowance.release(jane, complete!)
  expect(allowance.total).toBe(0)
})

test('whatever arrives, what is held stays within the bounds and is what was not refused [security/unfinished-bodies]', () => {
  const steps = fc.array(fc.tuple(fc.nat(2), fc.nat(5), fc.nat(70)))
  fc.assert(
    fc.property(steps, (taken) => {
      const allowance = new BodyAllowance(BOUNDS)
      const owners = [jane, jack, stranger]
      const held = owners.map(() => new Map<number, { body: UnfinishedBody; bytes: number }>())
      const total = (of: number): number => [...held[of]!.values()].reduce((sum, { bytes }) => sum + bytes, 0)
      for (const [of, name, bytes] of taken) {
        const mine = held[of]!
        const body = mine.get(name)?.body ?? { giveUp: () => void mine.delete(name) }
        if (bytes === 0) {
          allowance.release(owners[of]!, body)
          mine.delete(name)
        } else {
          mine.set(name, { body, bytes })
          allowance.hold(owners[of]!, body, bytes)
        }
        expect(allowance.total).toBe(total(0) + total(1) + total(2))
        expect(allowance.total).toBeLessThanOrEqual(BOUNDS.all)
        expect([total(0) <= BOUNDS.user, total(1) <= BOUNDS.user, total(2) <= BOUNDS.unknown]).not.toContain(false)
      }
    }),
  )
})
