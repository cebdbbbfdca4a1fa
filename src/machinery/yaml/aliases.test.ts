import { describe, expect, test } from 'vitest'
import { growth } from '../../../test/growth.ts'
import { parseYaml, YamlTextError } from './text.ts'

const each = (count: number, line: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('\n')

/** Texts that took quadratic time with the library's own look-ups. The first one always runs, the others in the long form. */
const ALIASED: Readonly<Record<string, (count: number) => string>> = {
  'many anchors, each named once': (count) => each(count, (at) => `k${at}: &a${at} 1\nj${at}: *a${at}`),
  'aliases within what others name': (count) =>
    each(count, (at) => `k${at}: &k${at} 1\nx${at}: &x${at} [*k${at}]\ny${at}: *x${at}`),
  'one anchor that is set again and again': (count) => each(count, (at) => `k${at}: &x [1]\nj${at}: *x`),
  // Texts that took linear time before too.
  'a flow list': (count) => `a: [${'1,'.repeat(count)}]`,
  'flow maps': (count) => `a: [${'{a: 1},'.repeat(count)}]`,
  'a flow map of keys alone': (count) => `{${each(count, (at) => `k${at},`)}}`,
  'a block map': (count) => each(count, (at) => `k${at}: v`),
  'explicit keys': (count) => each(count, (at) => `? k${at}\n: v`),
  'one key again and again': (count) => 'k: v\n'.repeat(count),
  'items of nothing': (count) => `a:\n${'-\n'.repeat(count)}`,
  'items with comments': (count) => `a:\n${'- 1 # c\n# d\n'.repeat(count)}`,
  tags: (count) => `a:\n${'- !!str 1\n'.repeat(count)}`,
  'quoted lines': (count) => `a: "${'x\n '.repeat(count)}"`,
  'plain lines': (count) => `a: x\n${' x\n'.repeat(count)}`,
  'literal lines': (count) => `a: |\n${' x\n'.repeat(count)}`,
  'folded lines': (count) => `a: >\n${' x\n\n'.repeat(count)}`,
  'a long key': (count) => `${'k'.repeat(count)}: 1`,
  directives: (count) => `${'%X y\n'.repeat(count)}---\na: 1`,
  documents: (count) => `a: 1\n${'---\n- 1\n'.repeat(count)}`,
}
const isLong = process.env['ALLOT_SOAK'] !== undefined

describe('a YAML text', () => {
  test.each(Object.entries(ALIASED).slice(0, isLong ? undefined : 1))('of %s is read in linear time', (_what, text) => {
    expect(growth((count) => parseYaml(text(count)), 250, 8)).toBeLessThan(24)
  })

  test('takes what an alias names from the last anchor before it', () => {
    expect(parseYaml('a: &x 1\nb: *x\nc: &x 2\nd: *x\ne: {<<: &y {f: &x 3}, g: *x}\nh: {<<: *y}')).toEqual({
      a: 1,
      b: 1,
      c: 2,
      d: 2,
      e: { f: 3, g: 3 },
      h: { f: 3 },
    })
  })

  test.each(['a: &x [*x]', 'a: &x {b: *x}', 'a: *x\nb: &x 1'])('%j names what is not there yet', (text) => {
    expect(() => parseYaml(text)).toThrow(YamlTextError)
  })

  test('is refused before anything is made of aliases that multiply what they name', () => {
    const map = each(12_000, (at) => `k${at}: 1,`).replaceAll('\n', '')
    const text = `a: &a {${map}}\nb: [${'{<<: *a},'.repeat(99)}]`
    expect(() => parseYaml(text)).toThrow('yaml: document contains excessive aliasing')
  })
})
