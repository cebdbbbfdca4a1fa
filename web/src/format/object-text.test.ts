import { expect, test } from 'vitest'
import { hasFullName, objectText } from './object-text.ts'

test.each([
  ['Deployment', 'web', true, 'Deployment web'],
  ['Pod', '', false, 'Pod without a name'],
  ['', 'web', false, 'Object of no kind web'],
  ['', ' ', false, 'Object of no kind without a name'],
])('kind "%s" and name "%s"', (kind, name, named, text) => {
  expect(hasFullName({ kind, name })).toBe(named)
  expect(objectText({ kind, name })).toBe(text)
})
