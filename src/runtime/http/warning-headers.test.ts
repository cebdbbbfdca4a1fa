import { describe, expect, test } from 'vitest'
import { warningHeaders, warningTexts, warningValues } from './warning-headers.ts'

test('each warning is one header, sent once', () => {
  expect(warningHeaders(['a', 'b', 'a'])).toEqual({ warning: ['299 - "a"', '299 - "b"'] })
})

test('quotes and backslashes are escaped, other letters sent as UTF-8, and a warning that a header cannot carry is not sent', () => {
  expect(warningHeaders(['say "x\\y" in ünïcode', 'bad\r\nInjected: yes', ''])).toEqual({
    warning: [`299 - "say \\"x\\\\y\\" in ${Buffer.from('ünïcode').toString('latin1')}"`],
  })
})

test('without warnings there are no headers', () => {
  expect(warningHeaders([])).toEqual({})
})

describe('warnings beyond those that upstream sends', () => {
  const sent = (texts: readonly string[]): string => (warningHeaders(texts)['warning'] as readonly string[]).join(', ')

  test('are each cut to 256 characters', () => {
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(2000))
    expect(sent(texts)).toBe(['a', 'b', 'c'].map((letter) => `299 - "${letter.repeat(256)}"`).join(', '))
  })

  test('are counted and cut in whole characters', () => {
    const flag = '\u{1F6A9}'
    // 4096 characters are as many as may be, in however many units of UTF-16.
    const short = Array.from({ length: 16 }, (_, index) => `${String.fromCharCode(97 + index)}${flag.repeat(255)}`)
    const utf8 = (text: string): string => Buffer.from(text).toString('latin1')
    expect(sent(short)).toBe(short.map((text) => `299 - "${utf8(text)}"`).join(', '))
    const long = [flag.repeat(3000), `x${flag.repeat(3000)}`]
    expect(sent(long)).toBe(
      [flag.repeat(256), `x${flag.repeat(255)}`].map((text) => `299 - "${utf8(text)}"`).join(', '),
    )
  })

  test('are cut once one of them does not fit, and those before it are sent all the same', () => {
    const before = Array.from({ length: 16 }, (_, index) => String.fromCharCode(97 + index).repeat(256))
    expect(sent([...before, 'z'.repeat(300), 'never sent'])).toBe(
      [...before, 'z'.repeat(256)].map((text) => `299 - "${text}"`).join(', '),
    )
  })

  test('are not sent when they hold a control character, of those beyond ASCII too', () => {
    expect(warningHeaders(['a\u0085b', 'c\u009fd', 'e\u00a0f'])).toEqual({ warning: [`299 - "e\u00c2\u00a0f"`] })
  })

  test('are left out once 4096 characters are sent', () => {
    const texts = Array.from({ length: 100_000 }, (_, index) => `unknown field "field-${index}"`)
    expect([...sent(texts).matchAll(/299 - /g)].length).toBeLessThan(220)
  })

  test('share headers, since clients take a limited number', () => {
    const { warning } = warningHeaders(Array.from({ length: 130 }, (_, index) => `w${index}`))
    expect(warning).toHaveLength(44)
    expect(sent(Array.from({ length: 130 }, (_, index) => `w${index}`))).toBe(
      Array.from({ length: 130 }, (_, index) => `299 - "w${index}"`).join(', '),
    )
  })
})

describe('warnings that are read', () => {
  test.each<[string, string | readonly string[], readonly string[]]>([
    ['of one header', '299 - "the increase raises nothing"', ['the increase raises nothing']],
    ['of several headers', ['299 - "a"', '299 kube "b"'], ['a', 'b']],
    ['of a header with several', '299 - "a, b", 299 - "c" ,299 - "d"', ['a, b', 'c', 'd']],
    ['with a date', '299 - "a" "Sat, 28 Nov 2026 19:00:00 GMT", 299 - "b"', ['a', 'b']],
    ['with escapes', String.raw`299 - "say \"x\\y\", 299 - \"z\""`, [String.raw`say "x\y", 299 - "z"`]],
    ['in UTF-8', `299 - "${Buffer.from('größer 😀').toString('latin1')}"`, ['größer 😀']],
    ['with control characters', '299 - "a\u001b[31m\tb\u00c2\u009b"', ['a [31m b']],
    ['but other codes', '199 - "a", 299 - "b"', ['b']],
    ['up to what is malformed', ['299 - "a", 299 "b", 299 - "c"', '299 - "open', '', '299 - ""'], ['a']],
  ])('%s', (_, header, texts) => {
    expect(warningTexts(header)).toEqual(texts)
  })

  test('are those that were sent', () => {
    const texts = ['a', 'say "x\\y", 299 - "z"', 'größer 😀', '\\', '"']
    expect(warningTexts(warningValues(texts))).toEqual(texts)
    expect(warningTexts(warningValues(texts).join(', '))).toEqual(texts)
  })
})
