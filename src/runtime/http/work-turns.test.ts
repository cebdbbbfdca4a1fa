import { expect, test } from 'vitest'
import { WorkTurns } from './work-turns.ts'

const busyFor = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('work begins at once while little of the turn of the loop has been used, and again in the next one', async () => {
  const turns = new WorkTurns()
  expect(turns.begin('jane')).toBeUndefined()
  busyFor(6)
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
  busyFor(6)
  const order: string[] = []
  const take = async (user: string): Promise<void> => {
    await turns.begin(user)
    order.push(user)
    busyFor(6)
  }
  await Promise.all([...Array.from({ length: 20 }, () => take('jane')), take('jack')])
  expect(order.indexOf('jack')).toBe(1)
})
