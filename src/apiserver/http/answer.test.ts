import { describe, expect, test } from 'vitest'
import { warningHeaders } from './answer.ts'

test('each warning is one header, told once', () => {
  expect(warningHeaders(['a', 'b', 'a'])).toEqual({ warning: ['299 - "a"', '299 - "b"'] })
})

test('quotes and backslashes are escaped, other letters sent as UTF-8, and what a header cannot carry is not told', () => {
  expect(warningHeaders(['say "x\\y" in ünïcode', 'bad\r\nInjected: yes', ''])).toEqual({
    warning: [`299 - "say \\"x\\\\y\\" in ${Buffer.from('ünïcode').toString('latin1')}"`],
  })
})

test('without warnings there are no headers', () => {
  expect(warningHeaders([])).toEqual({})
})

describe('warnings beyond what upstream tells', () => {
  const told = (texts: readonly string[]): string => (warningHeaders(texts)['warning'] as readonly string[]).join(', ')

  test('are each cut to 256 characters', () => {
    const texts = ['a', 'b', 'c'].map((letter) => letter.repeat(2000))
    expect(told(texts)).toBe(['a', 'b', 'c'].map((letter) => `299 - "${letter.repeat(256)}"`).join(', '))
  })

  test('are left out once 4096 characters are told', () => {
    const texts = Array.from({ length: 100_000 }, (_, index) => `unknown field "field-${index}"`)
    expect([...told(texts).matchAll(/299 - /g)].length).toBeLessThan(220)
  })

  test('share headers, since clients take a limited number', () => {
    const { warning } = warningHeaders(Array.from({ length: 130 }, (_, index) => `w${index}`))
    expect(warning).toHaveLength(44)
    expect(told(Array.from({ length: 130 }, (_, index) => `w${index}`))).toBe(
      Array.from({ length: 130 }, (_, index) => `299 - "w${index}"`).join(', '),
    )
  })
})
