import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { OwnerReference } from '../../machinery/object.ts'
import { OwnershipIndex } from './ownership-index.ts'

const owner = (uid: string, blockOwnerDeletion?: boolean, name = uid): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
})

const keysOf = (index: OwnershipIndex, uid: string): readonly string[] =>
  [...index.dependentsOf(uid)].map(({ bucket, key }) => `${bucket} ${key}`)

describe('an index of owners', () => {
  test('knows the dependents of each owner', () => {
    const index = new OwnershipIndex()
    expect(index.put('pods', 'n/a', 'a', [owner('x'), owner('y')])).toEqual({ changed: true, freed: [] })
    index.put('pods', 'n/b', 'b', [owner('x')])
    expect([keysOf(index, 'x'), keysOf(index, 'y'), keysOf(index, 'z')]).toEqual([
      ['pods n/a', 'pods n/b'],
      ['pods n/a'],
      [],
    ])
  })

  test('keeps nothing of objects without owners', () => {
    const index = new OwnershipIndex()
    expect(index.put('pods', 'n/a', 'a', undefined).changed).toBe(false)
    expect(index.put('pods', 'n/a', 'a', []).changed).toBe(false)
    expect(index.find('pods', 'n/a')).toBeUndefined()
  })

  test('distinguishes a change of references from none', () => {
    const index = new OwnershipIndex()
    index.put('pods', 'n/a', 'a', [owner('x')])
    expect(index.put('pods', 'n/a', 'a', [owner('x')]).changed).toBe(false)
    expect(index.put('pods', 'n/a', 'a', [owner('x', false)]).changed).toBe(false)
    expect(index.put('pods', 'n/a', 'a', [owner('x', true)]).changed).toBe(true)
    expect(index.put('pods', 'n/a', 'a', [owner('x', true, 'other')]).changed).toBe(true)
    expect(index.put('pods', 'n/a', 'a', []).changed).toBe(true)
    expect(keysOf(index, 'x')).toEqual([])
  })

  test('names the owners that their last blocking dependent leaves', () => {
    const index = new OwnershipIndex()
    index.put('pods', 'n/a', 'a', [owner('x', true)])
    index.put('pods', 'n/b', 'b', [owner('x', true), owner('y', true)])
    index.put('pods', 'n/c', 'c', [owner('x')])
    expect(index.remove('pods', 'n/a').freed).toEqual([])
    expect(index.put('pods', 'n/b', 'b', [owner('x'), owner('y', true)]).freed).toEqual(['x'])
    expect(index.remove('pods', 'n/b').freed).toEqual(['y'])
    expect(index.remove('pods', 'n/b')).toEqual({ changed: false, freed: [] })
  })

  test('counts an owner that is named twice once, and nobody as keeping itself', () => {
    const index = new OwnershipIndex()
    index.put('pods', 'n/a', 'a', [owner('x', true), owner('x', false), owner('a', true)])
    expect([index.blockersOf('x'), index.blockersOf('a'), keysOf(index, 'a')]).toEqual([1, 0, ['pods n/a']])
  })

  test('takes another object of the same name for another', () => {
    const index = new OwnershipIndex()
    index.put('pods', 'n/a', 'a', [owner('x')])
    expect(index.put('pods', 'n/a', 'a2', [owner('x')]).changed).toBe(true)
    expect([...index.dependentsOf('x')].map(({ uid }) => uid)).toEqual(['a2'])
  })

  test('remembers an owner that went as long as it has dependents', () => {
    const index = new OwnershipIndex()
    index.put('pods', 'n/a', 'a', [owner('x')])
    expect([...index.leave('x')]).toHaveLength(1)
    expect([...index.leave('y')]).toHaveLength(0)
    index.put('pods', 'n/a', 'a', [owner('x', true)])
    expect([index.isGone('x'), index.isGone('y')]).toEqual([true, false])
    index.remove('pods', 'n/a')
    expect(index.isGone('x')).toBe(false)
  })

  test('forgets a bucket as a whole', () => {
    const index = new OwnershipIndex()
    index.put('pods', 'n/a', 'a', [owner('x', true)])
    index.put('secrets', 'n/a', 'b', [owner('x')])
    expect(index.removeBucket('pods')).toEqual(['x'])
    expect(keysOf(index, 'x')).toEqual(['secrets n/a'])
    expect(index.removeBucket('none')).toEqual([])
  })

  test('is what the objects say, whatever happened before', () => {
    const uids = fc.constantFrom('u0', 'u1', 'u2')
    const references = fc.array(fc.tuple(uids, fc.boolean()), { maxLength: 3 })
    const step = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(references, { nil: undefined }))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const index = new OwnershipIndex()
        const model = new Map<string, readonly OwnerReference[]>()
        for (const [key, owners] of steps) {
          if (owners === undefined) {
            index.remove('b', key)
            model.delete(key)
          } else {
            const list = owners.map(([uid, blocks]) => owner(uid, blocks))
            index.put('b', key, `uid-${key}`, list)
            model.set(key, list)
          }
        }
        for (const uid of ['u0', 'u1', 'u2']) {
          const naming = [...model].filter(([, list]) => list.some((one) => one.uid === uid))
          const blocking = naming.filter(([, list]) =>
            list.some((one) => one.uid === uid && one.blockOwnerDeletion === true),
          )
          expect(keysOf(index, uid).toSorted()).toEqual(naming.map(([key]) => `b ${key}`).toSorted())
          expect(index.blockersOf(uid)).toBe(blocking.length)
        }
      }),
    )
  })
})
