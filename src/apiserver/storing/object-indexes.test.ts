import { afterEach, beforeEach, expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { Store } from '../../store/store.ts'
import { ObjectIndexes } from './object-indexes.ts'

const BY_COLOR = {
  bucket: 'things',
  termsOf: ({ metadata }: KubeObject) => Object.values(metadata.labels ?? {}),
}
let store: Store
beforeEach(async () => {
  store = await Store.open({ memory: true }, { freeze: true })
})
afterEach(async () => await store.close())

const put = (name: string, ...colors: readonly string[]) =>
  store.commit([
    {
      type: 'put',
      bucket: 'things',
      key: `n/${name}`,
      object: {
        apiVersion: 'v1',
        kind: 'Thing',
        metadata: { name, namespace: 'n', labels: Object.fromEntries(colors.map((color) => [color, color])) },
      },
    },
  ])

test('an index finds what was stored before and after it was asked for, under each of its terms, as it is now', async () => {
  await put('before', 'red', 'blue')
  const indexes = new ObjectIndexes(store)
  const index = indexes.of(BY_COLOR)
  const names = (term: string) => index.find(term).map(({ metadata }) => metadata.name)
  await put('after', 'red')
  expect([names('red'), names('blue'), names('green')]).toEqual([['before', 'after'], ['before'], []])
  await put('before', 'green')
  await store.commit([{ type: 'delete', bucket: 'things', key: 'n/after' }])
  expect([names('red'), names('blue'), names('green')]).toEqual([[], [], ['before']])
  indexes.stop()
})

test('an index does not find an object under a term that it has just lost', async () => {
  await put('a', 'red')
  const indexes = new ObjectIndexes(store)
  const index = indexes.of(BY_COLOR)
  const written = put('a', 'blue')
  expect(index.find('red')).toEqual([])
  await written
  expect(index.find('blue')).toHaveLength(1)
  indexes.stop()
})

test('all callers that ask for the same index share it', () => {
  const indexes = new ObjectIndexes(store)
  expect(indexes.of(BY_COLOR)).toBe(indexes.of(BY_COLOR))
  indexes.stop()
})
