import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ObjectStore } from './object-store.ts'

const store = (): ObjectStore<readonly string[], 'tag'> => new ObjectStore({ tag: (tags) => tags })

test('values are found by namespace and name, by namespace, and by the keys of an index', () => {
  const objects = store()
  objects.add({ namespace: 'n', name: 'a', uid: '1', version: '1', kept: 0, value: ['x', 'y'] }, 1)
  objects.add({ namespace: 'm', name: 'a', uid: '2', version: '2', kept: 0, value: ['y'] }, 1)
  expect(objects.entry('n', 'a')?.uid).toBe('1')
  expect(objects.entry('n', 'b')).toBeUndefined()
  expect([...objects.entries('m')].map(({ uid }) => uid)).toEqual(['2'])
  expect([...objects.entries('none')]).toEqual([])
  expect(objects.by('tag', 'y')).toEqual([['x', 'y'], ['y']])
  expect(objects.by('tag', 'z')).toEqual([])
  expect(objects.size).toBe(2)
})

test('an entry whose name was given to another is not removed again with it', () => {
  const objects = store()
  const first = objects.add({ namespace: '', name: 'a', uid: '1', version: '1', kept: 0, value: [] }, 1)
  objects.remove(first)
  objects.add({ namespace: '', name: 'a', uid: '2', version: '2', kept: 0, value: [] }, 1)
  objects.remove(first)
  expect(objects.entry('', 'a')?.uid).toBe('2')
  expect(objects.size).toBe(1)
})

test('after any changes an index holds exactly the keys of what is there', () => {
  const tags = fc.subarray(['x', 'y', 'z'])
  const step = fc.record({ name: fc.constantFrom('a', 'b', 'c'), tags: fc.option(tags, { nil: undefined }) })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const objects = store()
      const model = new Map<string, readonly string[]>()
      for (const { name, tags } of steps) {
        const entry = objects.entry('', name)
        if (tags === undefined) {
          model.delete(name)
          if (entry !== undefined) objects.remove(entry)
        } else {
          model.set(name, tags)
          if (entry === undefined) objects.add({ namespace: '', name, uid: 'u', version: '1', kept: 0, value: tags }, 1)
          else objects.change(entry, { version: '2', kept: 0, value: tags })
        }
      }
      const keys = new Set([...model.values()].flat())
      expect(objects.keysOf('tag').toSorted()).toEqual([...keys].toSorted())
      for (const key of keys)
        expect(new Set(objects.by('tag', key))).toEqual(new Set([...model.values()].filter((all) => all.includes(key))))
      expect(objects.size).toBe(model.size)
    }),
  )
})
