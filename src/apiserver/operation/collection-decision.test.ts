import { describe, expect, test } from 'vitest'
import type { KubeObject, OwnerReference } from '../../machinery/object.ts'
import {
  awaits,
  decideCollection,
  type OwnerState,
  unblocking,
  withoutFinalizer,
  withoutOwners,
} from './collection-decision.ts'

const reference = (uid: string, blockOwnerDeletion?: boolean): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
})

const decided = (states: readonly OwnerState[], hasDependents = false, finalizers?: readonly string[]) =>
  decideCollection(
    finalizers,
    states.map((state, index) => ({ reference: reference(String(index)), state })),
    hasDependents,
  )

describe('an object', () => {
  test.each([
    ['without owners stays', []],
    ['whose owners are all there stays', ['present', 'present']],
  ] as const)('%s', (_, states) => {
    expect(decided(states)).toEqual({ type: 'keep' })
  })

  test('of which an owner is unknown is not decided about, whatever the others are', () => {
    expect(decided(['absent', 'unknown'])).toEqual({ type: 'undecided' })
    expect(decided(['present', 'unknown', 'absent'])).toEqual({ type: 'undecided' })
  })

  test('loses the references to owners that are gone or wait, while another one is there', () => {
    expect(decided(['absent', 'present', 'waiting'])).toEqual({ type: 'detach', uids: new Set(['0', '2']) })
  })

  test('goes when no owner is there', () => {
    expect(decided(['absent', 'absent'], true)).toEqual({ type: 'delete', policy: 'Background' })
    expect(decided(['waiting'])).toEqual({ type: 'delete', policy: 'Background' })
  })

  test('goes in the foreground when an owner waits and it has dependents itself', () => {
    expect(decided(['waiting', 'absent'], true)).toEqual({ type: 'delete', policy: 'Foreground' })
  })

  test('goes as its own finalizer says', () => {
    expect(decided(['absent'], false, ['a.test/x', 'orphan'])).toEqual({ type: 'delete', policy: 'Orphan' })
    expect(decided(['absent'], false, ['foregroundDeletion'])).toEqual({ type: 'delete', policy: 'Foreground' })
    expect(decided(['waiting'], true, ['orphan'])).toEqual({ type: 'delete', policy: 'Foreground' })
  })
})

test('a deletion waits for orphans or for dependents as its finalizer says', () => {
  const deletionTimestamp = '2026-01-01T00:00:00Z'
  expect([
    awaits({ finalizers: ['orphan'] }),
    awaits({ deletionTimestamp }),
    awaits({ deletionTimestamp, finalizers: ['a.test/x'] }),
    awaits({ deletionTimestamp, finalizers: ['a.test/x', 'orphan'] }),
    awaits({ deletionTimestamp, finalizers: ['foregroundDeletion'] }),
  ]).toEqual([undefined, undefined, undefined, 'orphans', 'dependents'])
})

test('changes concern references and finalizers only', () => {
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'a',
      ownerReferences: [reference('x', true), reference('y'), reference('z', false)],
      finalizers: ['orphan', 'a.test/x'],
    },
    data: { a: 'b' },
  }
  const { metadata } = object
  expect(withoutOwners(object, new Set(['x', 'z']))).toEqual({
    ...object,
    metadata: { ...metadata, ownerReferences: [reference('y')] },
  })
  expect(unblocking(object)).toEqual({
    ...object,
    metadata: { ...metadata, ownerReferences: [reference('x', false), reference('y'), reference('z', false)] },
  })
  expect(withoutFinalizer(object, 'orphan')).toEqual({ ...object, metadata: { ...metadata, finalizers: ['a.test/x'] } })
})
