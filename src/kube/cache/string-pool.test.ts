import { expect, test } from 'vitest'
import { parseJson } from '../../machinery/json-text.ts'
import { shareStrings, stringPool } from './string-pool.ts'

test('equal strings come back as they were put in', () => {
  const share = stringPool()
  for (const text of ['', 'a', 'a', 'production']) expect(share(text)).toBe(text)
})

test('a copy with shared strings is equal, down to names that objects have anyway', () => {
  const value: unknown = JSON.parse('{"a":["x",1,null,{"__proto__":"y","b":true}]}')
  expect(JSON.stringify(shareStrings(value, stringPool()))).toBe(JSON.stringify(value))
})

test('a number that JavaScript cannot hold stays as it is', () => {
  const value = parseJson('{"claim":{"requests.cpu":9007199254740993,"pods":[1e400]}}')
  expect(JSON.stringify(shareStrings(value, stringPool()))).toBe(JSON.stringify(value))
})

test('a string that is used again survives the change of generations', () => {
  const kept: string[] = []
  const share = stringPool(2)
  for (const text of ['a', 'b', 'c', 'a', 'd', 'e', 'a']) kept.push(share(text))
  expect(kept).toEqual(['a', 'b', 'c', 'a', 'd', 'e', 'a'])
})
