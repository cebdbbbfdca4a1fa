import { expect, test } from 'vitest'
import { isNamespaceName, noNamespaceText } from './namespace-name.ts'

test.each([
  ['shop', true],
  ['a', true],
  ['team-0', true],
  ['x'.repeat(63), true],
  ['x'.repeat(64), false],
  ['A B', false],
  ['-a', false],
  ['a-', false],
  ['a.b', false],
  ['', false],
])('"%s" as the name of a namespace: %s', (text, isOne) => expect(isNamespaceName(text)).toBe(isOne))

test('says what a name has', () => expect(noNamespaceText('A B')).toMatch(/^“A B” is no name .* lower-case/))
