import { array, assert, boolean, constantFrom, option, property, string, tuple } from 'fast-check'
import { expect, test } from 'vitest'
import { keyRange, OrderedEntries } from './ordered-entries.ts'

const name = string({ unit: constantFrom('a', 'b', '-', '/', '0', 'z'), maxLength: 3 })

test('it holds what a sorted array would hold, in every range', () => {
  const steps = array(tuple(boolean(), name), { maxLength: 200 })
  assert(
    property(steps, option(name, { nil: undefined }), option(name, { nil: undefined }), (all, namespace, after) => {
      const entries = new OrderedEntries<{ key: string }>()
      const model = new Set<string>()
      for (const [add, key] of all) {
        if (!add) entries.delete(key)
        else if (!model.has(key)) entries.insert({ key })
        if (add) model.add(key)
        else model.delete(key)
      }
      const prefix = namespace === undefined ? '' : `${namespace}/`
      const expected = [...model]
        .filter((key) => key.startsWith(prefix) && (after === undefined || key > after))
        .toSorted()
      const range = keyRange(namespace, after)
      expect([...entries.range(range)].map(({ key }) => key)).toEqual(expected)
      expect(entries.count(range)).toBe(expected.length)
    }),
    { numRuns: 300 },
  )
})

test('many entries in any order stay sorted and are counted', () => {
  const entries = new OrderedEntries<{ key: string }>()
  const keys = Array.from({ length: 5000 }, (_, i) => String((i * 7919) % 5000).padStart(4, '0'))
  for (const key of keys) entries.insert({ key })
  expect([...entries.range(keyRange(undefined))].map(({ key }) => key)).toEqual(keys.toSorted())
  expect(entries.count({ from: '1000', to: '3000' })).toBe(2000)
  for (const key of keys.slice(0, 4990)) entries.delete(key)
  expect([...entries.range(keyRange(undefined))]).toHaveLength(10)
})

test('entries that come and go while they are visited are seen only ahead', () => {
  const entries = new OrderedEntries<{ key: string }>()
  for (const key of ['b', 'd', 'f']) entries.insert({ key })
  const seen: string[] = []
  for (const { key } of entries.range(keyRange(undefined))) {
    seen.push(key)
    if (key === 'b') entries.insert({ key: 'a' })
    if (key === 'd') entries.delete('d')
    if (key === 'd') entries.insert({ key: 'e' })
  }
  expect(seen).toEqual(['b', 'd', 'e', 'f'])
})
