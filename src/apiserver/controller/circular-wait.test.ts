import { expect, test } from 'vitest'
import { type StoredPlace, waitsForItself } from './circular-wait.ts'
import { OwnershipIndex } from './ownership-index.ts'

/** Every object waits; `a<b` says that `a` keeps `b`, `a-b` that it is owned by it only. */
function world(...relations: readonly string[]): (uid: string) => boolean {
  const index = new OwnershipIndex()
  const waiting = new Map<string, StoredPlace>()
  const owners = new Map<string, { readonly uid: string; readonly blocks: boolean }[]>()
  for (const [dependent = '', sign, owner = ''] of relations) {
    for (const uid of [dependent, owner]) waiting.set(uid, { bucket: 'b', key: uid })
    owners.set(dependent, [...(owners.get(dependent) ?? []), { uid: owner, blocks: sign === '<' }])
  }
  for (const [uid, list] of owners) {
    const references = list.map((one) => ({
      apiVersion: 'v1',
      kind: 'K',
      name: one.uid,
      uid: one.uid,
      blockOwnerDeletion: one.blocks,
    }))
    index.put('b', uid, uid, references)
  }
  return (uid) => waitsForItself(uid, index, waiting)
}

test('two that keep each other wait for themselves', () => {
  const waits = world('a<b', 'b<a')
  expect([waits('a'), waits('b')]).toEqual([true, true])
})

test('so do more, in a ring', () => {
  expect(world('a<b', 'b<c', 'c<d', 'd<a')('c')).toBe(true)
})

test('a chain does not, however long', () => {
  const waits = world('a<b', 'b<c', 'c<d')
  expect(['a', 'b', 'c', 'd'].some(waits)).toBe(false)
})

test('a ring that one object does not keep closed ends', () => {
  expect(world('a<b', 'b-a')('a')).toBe(false)
})

test('one that keeps a ring is not in it', () => {
  const waits = world('x<a', 'a<b', 'b<a')
  expect([waits('x'), waits('a')]).toEqual([false, true])
})

test('an object that is not being deleted closes no ring', () => {
  const index = new OwnershipIndex()
  const reference = (uid: string) => ({ apiVersion: 'v1', kind: 'K', name: uid, uid, blockOwnerDeletion: true })
  index.put('b', 'a', 'a', [reference('b')])
  index.put('b', 'b', 'b', [reference('a')])
  expect(waitsForItself('a', index, new Map([['a', { bucket: 'b', key: 'a' }]]))).toBe(false)
})
