import { expect, test } from 'vitest'
import { WaitingLines } from './waiting-lines.ts'

const never = new Promise<void>(() => undefined)
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve()
}

test('a change wakes the first, and who goes on the next; who waits on stays the first', async () => {
  const lines = new WaitingLines()
  const woken: string[] = []
  const wait = (name: string, isFirst = false): void => {
    void lines.turn('n', isFirst, never).then((isTurn) => woken.push(`${name} ${isTurn}`))
  }
  for (const name of ['a', 'b', 'c']) wait(name)
  lines.next('n')
  await turns()
  expect(woken).toEqual(['a true'])
  wait('a', true)
  lines.next('n')
  lines.next('other')
  await turns()
  expect(woken).toEqual(['a true', 'a true'])
  lines.next('n')
  lines.next('n')
  lines.next('n')
  await turns()
  expect(woken).toEqual(['a true', 'a true', 'b true', 'c true'])
})

test('a request that does not wait any longer leaves the line', async () => {
  const lines = new WaitingLines()
  const over = Promise.withResolvers<void>()
  const first = lines.turn('n', false, over.promise)
  const second = lines.turn('n', false, never)
  over.resolve()
  expect(await first).toBe(false)
  lines.next('n')
  expect(await second).toBe(true)
})
