import { expect, test } from 'vitest'
import { TurnQueue } from './turn-queue.ts'

const queue = (most = 10): TurnQueue => new TurnQueue(most, () => new Error('too many'))

test('turns go to one user after the other, and other work is done in between', async () => {
  const turns = queue()
  const order: string[] = []
  const take = (user: string): Promise<void> => turns.turn(user).then(() => void order.push(user))
  const taken = [take('jane'), take('jane'), take('jane'), take('jack')]
  const other = new Promise<void>((resolve) => {
    const look = (): void => {
      order.push('other')
      if (order.includes('jane')) resolve()
      else setImmediate(look)
    }
    setImmediate(look)
  })
  await Promise.all([...taken, other])
  expect(order.filter((one) => one !== 'other')).toEqual(['jane', 'jack', 'jane', 'jane'])
  expect(order.indexOf('other')).toBeLessThan(order.indexOf('jack'))
})

test('a user with too many waiting requests is rejected, and others are not', async () => {
  const turns = queue(1)
  const first = turns.turn('jane')
  await expect(turns.turn('jane')).rejects.toThrow('too many')
  await Promise.all([first, turns.turn('jack')])
  await turns.turn('jane')
})
