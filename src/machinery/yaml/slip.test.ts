import { expect, test } from 'vitest'
import { yamlSlip } from './slip.ts'

test.each([
  ['a: 1\nb: {c: 2}\n', undefined],
  ['---\n# nothing\n---\na: 1\n...\n', undefined],
  ['a: 1\na: 2\n', [2, 1, 'a: is set twice']],
  ['a:\n  - b: 1\n  - b: 1\n    c: {d: 1, d: 2}\n', [4, 15, 'a[1].c.d: is set twice']],
  ['{"a": {"b": 1,\n "b": 2}}', [2, 2, 'a.b: is set twice']],
  ['- - a: 1\n    a: 1\n', [2, 5, '[0][0].a: is set twice']],
  ['a: 1\n---\nb: 1\n', [3, 1, 'a second document begins here; only one may be given']],
  ['a: 1\n---\nb: 1\nb: 2\n', [3, 1, 'a second document begins here; only one may be given']],
])('%j gives %j', (text, expected) => {
  const slip = yamlSlip(text)
  expect(slip === undefined ? undefined : [slip.line, slip.column, slip.message]).toEqual(expected)
})
