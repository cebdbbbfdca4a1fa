import { assert, constantFrom, array, integer, tuple, property } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareApiVersions } from './group-order.ts'

const versions = tuple(
  constantFrom('v', 'x'),
  integer({ min: 1, max: 12 }),
  constantFrom('', 'alpha', 'beta'),
  integer({ min: 1, max: 12 }),
).map(([prefix, major, stage, minor]) => `${prefix}${major}${stage}${stage === '' ? '' : minor}`)

describe('versions', () => {
  test('are preferred stable first, then beta, alpha, and other names alphabetically', () => {
    const order = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10']
    expect(order.toReversed().toSorted(compareApiVersions)).toEqual(order)
  })

  test('have one order, however they come', () => {
    assert(
      property(array(versions, { maxLength: 8 }), (list) => {
        expect(list.toReversed().toSorted(compareApiVersions)).toEqual(list.toSorted(compareApiVersions))
      }),
      { numRuns: 200 },
    )
  })
})
