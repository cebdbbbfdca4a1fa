import { expect, test } from 'vitest'
import { WorkTurns } from './work-turns.ts'

/** Longer than any share of a turn. */
const LONG_MS = 31

const busyFor = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('work begins at once while little of the turn of the loop has been used, and again in the next one', async () => {
  const turns = new WorkTurns()
  expect(turns.begin('jane')).toBeUndefined()
  busyFor(LONG_MS)
  const late = turns.begin('jane')
  expect(late).toBeInstanceOf(Promise)
  await late
  expect(turns.begin('jane')).toBeUndefined()
})

test('a user whose work waits overtakes nothing of its own, and others go on at once', async () => {
  const turns = new WorkTurns()
  const step = turns.next('jane')
  const own = turns.begin('jane')
  expect(own).toBeInstanceOf(Promise)
  expect(turns.begin('jack')).toBeUndefined()
  await Promise.all([step, own])
})

test('however many requests of one user wait, the first one of another has the second turn', async () => {
  const turns = new WorkTurns()
  await turns.begin('jane')
  busyFor(LONG_MS)
  const order: string[] = []
  const take = async (user: string): Promise<void> => {
    await turns.begin(user)
    order.push(user)
    busyFor(LONG_MS)
  }
  await Promise.all([...Array.from({ length: 20 }, () => take('jane')), take('jack')])
  expect(order.indexOf('jack')).toBe(1)
})

test('a user that is alone has more of a turn, until another writes, and again a while after', async () => {
  let now = 0
  const turns = new WorkTurns(() => now)
  /** Does work of this user begin at once when what began in the turn has taken so long? */
  const beginsAfter = async (ms: number, first: string): Promise<boolean> => {
    void turns.begin(first)
    now += ms
    const turn = turns.begin('jane')
    await turn
    await new Promise(setImmediate)
    return turn === undefined
  }
  expect(await beginsAfter(29, 'jane')).toBe(true)
  expect(await beginsAfter(31, 'jane')).toBe(false)
  expect(await beginsAfter(4, 'jack')).toBe(true)
  expect(await beginsAfter(6, 'jane')).toBe(false)
  now += 1000
  expect(await beginsAfter(29, 'jane')).toBe(true)
})
