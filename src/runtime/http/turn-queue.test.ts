import { expect, test } from 'vitest'
import { TurnQueue } from './turn-queue.ts'

test('turns go to one user after the other, and other work is done in between', async () => {
  const turns = new TurnQueue()
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

test('a task that has begun comes before those that wait for the same user', async () => {
  const turns = new TurnQueue()
  const order: string[] = []
  await Promise.all([
    turns.turn('jane').then(() => order.push('first')),
    turns.turn('jane').then(() => order.push('second')),
    turns.nextTurn('jane').then(() => order.push('begun')),
  ])
  expect(order).toEqual(['begun', 'first', 'second'])
})

test('short turns follow each other as long as they share no more than their time, and a long one is followed by other work', async () => {
  const turns = new TurnQueue(() => 1)
  const order: string[] = []
  const take = (what: string, ms: number): Promise<void> =>
    turns.turn('jane').then(async () => {
      await Promise.resolve()
      order.push(what)
      const end = performance.now() + ms
      while (performance.now() < end);
    })
  const look = (): void => {
    order.push('other')
    if (!order.includes('after')) setImmediate(look)
  }
  setImmediate(look)
  await Promise.all([take('short', 0), take('long', 5), take('after', 0)])
  const at = (what: string): number => order.indexOf(what)
  expect(order.slice(at('short'), at('long'))).toEqual(['short'])
  expect(order.slice(at('long'), at('after'))).toContain('other')
})
