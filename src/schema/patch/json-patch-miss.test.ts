import { expect, test } from 'vitest'
import { jsonPatch } from './json-patch.ts'
import { PatchMiss } from './error.ts'

const DOCUMENT = { data: { a: '1' }, list: ['x'] }

function why(operation: object): string {
  try {
    jsonPatch(DOCUMENT, [operation])
  } catch (error) {
    if (error instanceof PatchMiss) return error.why
    throw error
  }
  return 'applied'
}

// The messages of a real API server about the patches of webhooks.
test.each([
  [{ op: 'mend', path: '/data/x' }, 'Unexpected kind: mend'],
  [
    { op: 'add', path: '/nowhere/x', value: 1 },
    'add operation does not apply: doc is missing path: "/nowhere/x": missing value',
  ],
  [
    { op: 'replace', path: '/spec/x', value: 1 },
    'replace operation does not apply: doc is missing path: /spec/x: missing value',
  ],
  [
    { op: 'remove', path: '/data/zz' },
    "error in remove for path: '/data/zz': Unable to remove nonexistent key: zz: missing value",
  ],
  [
    { op: 'remove', path: '/nowhere/x' },
    'remove operation does not apply: doc is missing path: "/nowhere/x": missing value',
  ],
  [{ op: 'test', path: '/data/a', value: 'y' }, 'testing value /data/a failed: test failed'],
  [
    { op: 'move', from: '/data/zz', path: '/data/y' },
    "error in move for path: 'zz': Unable to remove nonexistent key: zz: missing value",
  ],
  [
    { op: 'copy', from: '/nowhere/z', path: '/data/y' },
    'copy operation does not apply: doc is missing from path: /nowhere/z: missing value',
  ],
  [
    { op: 'copy', from: '/data/a', path: '/nowhere/y' },
    'copy operation does not apply: doc is missing destination path: /nowhere/y: missing value',
  ],
])('%j says why it does not apply', (operation, message) => {
  expect(why(operation)).toBe(message)
})

test('clients get a general sentence', () => {
  expect(() => jsonPatch(DOCUMENT, [{ op: 'remove', path: '/data/zz' }])).toThrow(
    'the server rejected our request due to an error in our request',
  )
})
