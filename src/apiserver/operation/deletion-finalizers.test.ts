import { describe, expect, test } from 'vitest'
import { deletionFinalizers, kindPolicyOf, policyOf } from './deletion-finalizers.ts'

describe('the finalizers of an object that is deleted', () => {
  test.each([
    ['are none when nothing is asked', [], undefined, 'delete', []],
    ['are none with Background', [], 'Background', 'delete', []],
    ['wait for blocking dependents with Foreground', [], 'Foreground', 'delete', ['foregroundDeletion']],
    ['wait for orphans with Orphan', [], 'Orphan', 'delete', ['orphan']],
    ['follow the kind when nothing is asked', [], undefined, 'orphan', ['orphan']],
    ['follow what is asked rather than the kind', [], 'Background', 'orphan', []],
    [
      'follow the finalizer that is there rather than the kind',
      ['foregroundDeletion'],
      undefined,
      'orphan',
      ['foregroundDeletion'],
    ],
    ['keep the finalizer that is there when nothing is asked', ['orphan'], undefined, 'delete', ['orphan']],
    [
      'follow what is asked rather than the one that is there',
      ['orphan'],
      'Foreground',
      'delete',
      ['foregroundDeletion'],
    ],
    [
      'lose the one that is there with Background',
      ['foregroundDeletion', 'a.test/x'],
      'Background',
      'delete',
      ['a.test/x'],
    ],
    ['keep those of others, before ours', ['a.test/x'], 'Orphan', 'delete', ['a.test/x', 'orphan']],
    [
      'are only those of others where the kind knows no dependents',
      ['a.test/x', 'orphan'],
      'Foreground',
      'unsupported',
      ['a.test/x'],
    ],
  ] as const)('%s', (_, present, asked, kind, expected) => {
    expect(deletionFinalizers(present, asked, kind)).toEqual(expected)
  })

  test('are the very same list when nothing changes', () => {
    const present = ['foregroundDeletion', 'a.test/x']
    expect(deletionFinalizers(present, 'Foreground', 'delete')).toBe(present)
  })
})

test('only jobs and replication controllers orphan by default, and events know no dependents', () => {
  expect(
    ['jobs.batch', 'replicationcontrollers', 'events', 'cronjobs.batch', 'deployments.apps', 'constructor'].map(
      kindPolicyOf,
    ),
  ).toEqual(['orphan', 'orphan', 'unsupported', 'delete', 'delete', 'delete'])
})

test('an object names its policy by a finalizer', () => {
  expect([
    policyOf(undefined),
    policyOf(['a.test/x']),
    policyOf(['a.test/x', 'orphan']),
    policyOf(['foregroundDeletion']),
  ]).toEqual([undefined, undefined, 'Orphan', 'Foreground'])
})
