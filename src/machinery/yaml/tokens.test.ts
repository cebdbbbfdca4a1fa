import { expect, test } from 'vitest'
import { yamlTokens } from './tokens.ts'

const listed = (text: string): readonly (string | number)[] => [...yamlTokens(text)]
const leftOut = (text: string): readonly unknown[] => listed(text).filter((one) => typeof one === 'number')

test.each([
  ['comments', (row: string) => `a: 1\n${row}d: 2\n`],
  ['comments at the beginning', (row: string) => `${row}a: 1\n`],
  ['comments at the end', (row: string) => `a: 1 # b\n${row}`],
  ['comments within a list', (row: string) => `[1,\n${row}2]`],
])('%s in a row are left out but for the first 16 and the last', (_what, text) => {
  expect(leftOut(text('  # b\n'.repeat(20)))).toEqual([18])
  expect(leftOut(text('\n'.repeat(20)))).toEqual([3])
  expect(leftOut(text('# b\r\n \t\r\n'.repeat(9)))).toEqual([5])
  expect(leftOut(text('# b\n'.repeat(17)))).toEqual([])
})

test.each([
  ['a block scalar', (row: string) => `a: |\n  b\n${row}  c\n`],
  ['a block scalar that keeps its end', (row: string) => `a: |+\n${row}`],
  ['a quoted text', (row: string) => `a: "\n${row}  "\n`],
  ['a plain text', (row: string) => `a:\n  b\n${row.replaceAll(/#.*/g, '')}  c\n`],
])('of %s nothing is left out', (_what, text) => {
  expect(leftOut(text('  # b\n\n'.repeat(50)))).toEqual([])
})

test('nothing else is missing', () => {
  const row = '# b\n'.repeat(50)
  const text = `${row}a: |\n  b\n${row}${row}c: {d: 'e',\n${row} f: &g h}\n${row} # i`
  const whole = listed(text).map((one) => (typeof one === 'number' ? row.repeat(2).slice(0, one) : one))
  // The control characters are marks of the lexer, for where a document and a text begin.
  // oxlint-disable-next-line no-control-regex
  expect(whole.join('').replaceAll(/[\u0002\u001F]/g, '')).toBe(text)
})
