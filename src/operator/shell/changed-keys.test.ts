import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { ChangedKeys } from './changed-keys.ts'

test('a key that changes several times in one turn is reported once to each handler, and none to a handler that has ended', async () => {
  const keys = new ChangedKeys()
  const [first, second]: [string[], string[]] = [[], []]
  keys.onChange((key) => first.push(key), ['known'])
  const end = keys.onChange((key) => second.push(key), [])
  for (const key of ['a', 'b', 'a']) keys.add(key)
  expect([first, second]).toEqual([['known'], []])
  await nextTurn()
  expect([first, second]).toEqual([
    ['known', 'a', 'b'],
    ['a', 'b'],
  ])
  end()
  keys.add('a')
  await nextTurn()
  expect([first.at(-1), second]).toEqual(['a', ['a', 'b']])
})
