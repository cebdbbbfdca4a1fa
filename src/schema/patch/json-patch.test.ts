import * as fc from 'fast-check'
import { applyPatch, type Operation } from 'rfc6902'
import { describe, expect, test } from 'vitest'
import { cpuTimeWhenWarm } from '../../../test/growth.ts'
import { parseJson } from '../../machinery/json-text.ts'
import { ApiError, type Status } from '../../machinery/status.ts'
import { jsonPatch } from './json-patch.ts'

function statusOf(document: unknown, patch: unknown): Status {
  try {
    jsonPatch(document, patch)
  } catch (error) {
    if (error instanceof ApiError) return error.status
    throw error
  }
  throw new Error('it applied')
}

const many = (count: number): unknown[] => Array.from({ length: count }, () => ({ op: 'add', path: '/a', value: 1 }))

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value)
    for (const item of Object.values(value)) frozen(item)
  }
  return value
}

const trees = (value: fc.Arbitrary<unknown>, lists: number): fc.Arbitrary<object> =>
  fc.letrec<{ node: unknown; object: object }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      value,
      tie('object'),
      fc.array(tie('node'), { maxLength: lists, minLength: lists }),
    ),
    object: fc.dictionary(fc.constantFrom('a', 'b', '0'), tie('node'), { maxKeys: 3 }),
  })).object

function ours(document: unknown, patch: unknown): unknown {
  try {
    return jsonPatch(frozen(document), frozen(patch))
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 422) return undefined
    throw error
  }
}

function theirs(document: unknown, patch: readonly object[]): unknown {
  // The package mutates what it is given, so nothing in it may be the same object twice; a structured clone would keep that.
  const copy: unknown = JSON.parse(JSON.stringify(document))
  try {
    const errors = applyPatch(copy, JSON.parse(JSON.stringify(patch)) as Operation[])
    return errors.every((error) => error === null) ? copy : undefined
  } catch {
    return undefined
  }
}

const document = frozen({ a: { b: 1, 'c/d': 2, '~': 3 }, list: [1, 2, 3], items: [{ n: 1 }, { n: 2 }] })

describe('jsonPatch', () => {
  test.each<[string, unknown[], unknown]>([
    ['adds a member', [{ op: 'add', path: '/a/x', value: null }], { ...document, a: { ...document.a, x: null } }],
    ['adds over a member', [{ op: 'add', path: '/list', value: 0 }], { ...document, list: 0 }],
    ['inserts into a list', [{ op: 'add', path: '/list/1', value: 9 }], { ...document, list: [1, 9, 2, 3] }],
    ['appends behind the last place', [{ op: 'add', path: '/list/3', value: 9 }], { ...document, list: [1, 2, 3, 9] }],
    ['appends at the dash', [{ op: 'add', path: '/list/-', value: 9 }], { ...document, list: [1, 2, 3, 9] }],
    ['counts from the end', [{ op: 'remove', path: '/list/-1' }], { ...document, list: [1, 2] }],
    ['removes from a list', [{ op: 'remove', path: '/list/0' }], { ...document, list: [2, 3] }],
    [
      'unescapes pointers',
      [
        { op: 'remove', path: '/a/c~1d' },
        { op: 'remove', path: '/a/~0' },
      ],
      { ...document, a: { b: 1 } },
    ],
    [
      'replaces inside',
      [{ op: 'replace', path: '/items/1/n', value: 5 }],
      { ...document, items: [{ n: 1 }, { n: 5 }] },
    ],
    [
      'moves',
      [
        { op: 'move', from: '/a/b', path: '/list/0' },
        { op: 'remove', path: '/a' },
      ],
      { list: [1, 1, 2, 3], items: document.items },
    ],
    ['tests for null what is not there', [{ op: 'test', path: '/nothing', value: null }], document],
    ['takes a missing value for null', [{ op: 'add', path: '/x' }], { ...document, x: null }],
    [
      'does not mind what stands before the first slash',
      [{ op: 'remove', path: 'b/a' }],
      { list: document.list, items: document.items },
    ],
    ['does nothing when empty', [], document],
  ])('%s', (_, patch, expected) => {
    expect(jsonPatch(document, frozen(patch))).toEqual(expected)
  })

  test('keeps a copy apart from its source', () => {
    const patch = [
      { op: 'add', path: '/a/x', value: { deep: [1] } },
      { op: 'add', path: '/a/x/deep/-', value: 2 },
      { op: 'copy', from: '/a', path: '/copy' },
      { op: 'add', path: '/a/x/deep/-', value: 3 },
      { op: 'add', path: '/copy/x/deep/-', value: 4 },
    ]
    const result = jsonPatch(document, frozen(patch)) as { a: { x: unknown }; copy: { x: unknown } }
    expect([result.a.x, result.copy.x]).toEqual([{ deep: [1, 2, 3] }, { deep: [1, 2, 4] }])
  })

  test('shares what it does not touch', () => {
    const result = jsonPatch(document, [{ op: 'add', path: '/a/x', value: 1 }]) as typeof document
    expect(result.items).toBe(document.items)
  })

  test('keeps exact numbers and plain __proto__ members', () => {
    const patch = parseJson(
      '[{"op":"add","path":"/x","value":1.0},{"op":"copy","from":"/x","path":"/__proto__"},{"op":"test","path":"/x","value":1.0}]',
    )
    expect(JSON.stringify(jsonPatch({}, patch))).toBe('{"x":1.0,"__proto__":1.0}')
  })

  test.each<[string, unknown]>([
    ['a failing test', { op: 'test', path: '/a/b', value: 2 }],
    ['a test of a place that the list does not have', { op: 'test', path: '/list/7', value: 1 }],
    ['a member that is not there', { op: 'remove', path: '/nothing' }],
    ['a member that only the prototype has', { op: 'remove', path: '/toString' }],
    ['a parent that is not there', { op: 'add', path: '/x/y', value: 1 }],
    ['a parent that is a scalar', { op: 'add', path: '/a/b/c', value: 1 }],
    ['a replacement of nothing', { op: 'replace', path: '/x', value: 1 }],
    ['a copy of nothing', { op: 'copy', from: '/x', path: '/y' }],
    ['the document as a place', { op: 'replace', path: '', value: {} }],
    ['a test of the document', { op: 'test', path: '', value: null }],
    ['a copy from where no container is', { op: 'copy', from: '/x/y', path: '/z' }],
    ['a place outside the list', { op: 'add', path: '/list/4', value: 1 }],
    ['a place with a leading zero', { op: 'add', path: '/list/01', value: 1 }],
    ['an operation without path', { op: 'remove' }],
    ['a pointer without slash', { op: 'remove', path: 'a' }],
    ['an unknown operation', { op: 'merge', path: '/a', value: {} }],
    ['a move into itself', { op: 'move', from: '/a', path: '/a/b' }],
  ])('answers 422 to %s', (_, operation) => {
    expect(statusOf(document, [operation])).toMatchObject({
      code: 422,
      reason: 'Invalid',
      message: 'the server rejected our request due to an error in our request',
      details: {},
    })
  })

  test('answers 400 to a patch that is not a list of operations', () => {
    expect(statusOf({}, {})).toMatchObject({
      code: 400,
      message: 'json: cannot unmarshal object into Go value of type jsonpatch.Patch',
    })
    expect(statusOf({}, ['x']).code).toBe(400)
  })

  test('answers 413 beyond 10,000 operations', () => {
    expect(jsonPatch({}, many(10_000))).toEqual({ a: 1 })
    expect(statusOf({}, many(10_001))).toMatchObject({
      code: 413,
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    })
  })

  test('stops copies that double each time', () => {
    const copies = Array.from({ length: 40 }, (_, at) => ({ op: 'copy', from: '', path: `/x${at}` }))
    expect(statusOf({ a: 'x'.repeat(1000) }, copies).code).toBe(422)
  })

  test('writes to a large list behind copies of something else in time linear in their number', () => {
    const list = frozen(Array.from({ length: 20_000 }, (_, at) => at))
    const run = (size: number): void => {
      const steps = [
        { op: 'copy', from: '/small', path: '/copy' },
        { op: 'replace', path: '/list/0', value: 1 },
        { op: 'replace', path: '/copy/a', value: 1 },
      ]
      const operations = Array.from({ length: size }, () => steps).flat()
      expect(jsonPatch({ list, small: { a: 0 } }, operations)).toMatchObject({ small: { a: 0 }, copy: { a: 1 } })
    }
    const alone = (size: number): void => {
      jsonPatch(
        { list },
        Array.from({ length: 3 * size }, () => ({ op: 'replace', path: '/list/0', value: 1 })),
      )
    }
    expect(cpuTimeWhenWarm(() => run(3000))).toBeLessThan(
      Math.max(
        cpuTimeWhenWarm(() => alone(3000)),
        1,
      ) * 40,
    )
  })

  describe('beside the rfc6902 package', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', '0', '1', '2', '-'), { minLength: 1, maxLength: 3 })
      .map((tokens) => `/${tokens.join('/')}`)
    const operations = (value: fc.Arbitrary<unknown>): fc.Arbitrary<readonly object[]> =>
      fc.array(
        fc.oneof(
          fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path, value }),
          fc.record({ op: fc.constant('remove'), path }),
          fc.record({ op: fc.constantFrom('copy', 'move'), path, from: path }),
        ),
        { minLength: 1, maxLength: 4 },
      )
    test('gives the same for objects, and refuses the same', () => {
      const value = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom<unknown>({}, { a: 1 }))
      fc.assert(
        fc.property(trees(fc.integer({ min: 0, max: 2 }), 0), operations(value), (document, patch) => {
          fc.pre(!JSON.stringify(document).includes('['))
          expect(ours(document, patch)).toEqual(theirs(document, patch))
        }),
        { numRuns: 500 },
      )
    })

    // The package also takes places such as "a" of a list, which the standard calls errors.
    test('gives the same for lists wherever it applies', () => {
      const value = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom<unknown>({}, [], { a: 1 }, [1, 2]))
      fc.assert(
        fc.property(trees(value, 2), operations(value), (document, patch) => {
          const result = ours(document, patch)
          expect(result).toEqual(result === undefined ? undefined : theirs(document, patch))
        }),
        { numRuns: 500 },
      )
    })
  })
})
