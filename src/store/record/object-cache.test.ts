import { expect, test } from 'vitest'
import { ObjectCache } from './object-cache.ts'
import { StoredRecord } from './record.ts'

const text = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'x'.repeat(10_000) } })
const written = (cache: ObjectCache): StoredRecord =>
  new StoredRecord(cache, 'pods', 'ns/x', 1, 1, text, JSON.parse(text))
const read = (cache: ObjectCache): StoredRecord => new StoredRecord(cache, 'pods', 'ns/x', 1, 1, text)

test('an object that was written stays for a while, then it is made again from its text', () => {
  const cache = new ObjectCache(1_000_000, false)
  const record = written(cache)
  const { object } = record
  for (let others = 0; others < 10; others++) written(cache)
  expect(record.object).toBe(object)
  for (let others = 0; others < 100; others++) written(cache)
  expect(record.object).not.toBe(object)
  expect(record.object).toEqual(object)
})

test('an object that is used stays while others are written', () => {
  const cache = new ObjectCache(1_000_000, false)
  const record = read(cache)
  const { object } = record
  for (let others = 0; others < 1000; others++) written(cache)
  expect(record.object).toBe(object)
})

test('an object that is not used any more is let go when others are', () => {
  const cache = new ObjectCache(50_000, false)
  const record = read(cache)
  const { object } = record
  for (let others = 0; others < 20; others++) expect(read(cache).object.kind).toBe('Pod')
  expect(record.object).not.toBe(object)
})
