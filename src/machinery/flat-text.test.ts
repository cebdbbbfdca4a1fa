import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuTimeWhenWarm } from '../../test/growth.ts'
import { flatText } from './flat-text.ts'

/** Texts of any code units: pairs of surrogates, halves of them, controls. */
const anyText = fc
  .array(fc.oneof(fc.nat(0xffff), fc.nat(0x7f), fc.integer({ min: 0xd800, max: 0xdfff })), { maxLength: 60 })
  .map((units) => String.fromCharCode(...units))

describe('a flat text is the same value', () => {
  test.each([
    ['nothing', ''],
    ['a name', 'kube-system'],
    ['marks that JSON escapes', '"quoted" and \\ and /'],
    ['controls', '\0\b\n\u001F\u007F'],
    ['what ends lines in scripts', '\u2028\u2029'],
    ['letters of more than a byte', 'größer, 더 크다'],
    ['pairs of surrogates', '😀 𝒳'],
    ['halves of a pair', '\uD83D and \uDE00'],
    ['halves in the wrong order', '\uDE00\uD83D'],
    ['a byte order mark', '\uFEFFtext'],
    ['what is JSON itself', '{"__proto__":null}'],
  ])('for %s', (_, text) => {
    expect(flatText(text)).toBe(text)
  })

  test('for whatever was put together, and cut out of it, even through a pair of surrogates', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.nat(120), fc.nat(120), (one, other, from, to) => {
        const text = `${one}${other}`.slice(from, to)
        const flat = flatText(text)
        expect(flat).toBe(text)
        expect(flat).toHaveLength(text.length)
        expect(new Map([[text, 'found']]).get(flat)).toBe('found')
      }),
    )
  })
})

test('an object is written as JSON sooner with a flat text than with the same cut out of another', () => {
  const others = Array.from({ length: 30 }, (_, n) => `a text of some length ${n} `.repeat(10))
  const path = `/api/v1/namespaces/${'n'.repeat(20)}/pods/${'p'.repeat(20)}`
  // A part that `split` gives may be kept for later calls, as a text of its own.
  const cut = path.slice(path.lastIndexOf('/') + 1)
  const least = (object: object): number =>
    Math.min(...Array.from({ length: 5 }, () => cpuTimeWhenWarm(() => JSON.stringify(object))))
  expect(least({ others, name: flatText(cut) })).toBeLessThan(least({ others, name: cut }))
})
