import { expect, test } from 'vitest'
import { cutText, inLines, inOneLine, sharedLines } from './shown.ts'

test.each([
  ['plain, "quoted" \\ and ä 中 😀', 'plain, "quoted" \\ and ä 中 😀'],
  ['\u001b[2Jgone\u0007', String.raw`\x1b[2Jgone\a`],
  ['one\r\ntwo\tthree', String.raw`one\r\ntwo\tthree`],
  ['\u007f\u009b31m\u2028\u202etxt\ufeff', String.raw`\x7f\u009b31m\u2028\u202etxt\ufeff`],
  ['half \ud83d', 'half \ufffd'],
  ['ยี่ห้อ שָׁלוֹם', 'ยี่ห้อ שָׁלוֹם'],
  [`a${'\u0302'.repeat(10)}b`, `a${'\u0302'.repeat(8)}${String.raw`\u0302\u0302`}b`],
])('%j is shown in one line as %j', (text, shown) => {
  expect(inOneLine(text)).toBe(shown)
})

test('a message keeps the lines that it was put together of', () => {
  expect(inLines('one\ntwo\r\n\u001b')).toBe('one\ntwo\\r\n\\x1b')
})

test('a text that is cut ends with an ellipsis and with a whole character', () => {
  expect([cutText('abc', 3), cutText('abcd', 3), cutText('a😀bc', 3)]).toEqual(['abc', 'ab…', 'a…'])
})

test('lines that fit are whole, and a line break of a text is none of the message', () => {
  expect(sharedLines(['one', 'two\nthree'], 100)).toBe('one\ntwo\\nthree')
})

test('a long line leaves the others their places', () => {
  const message = sharedLines(['x'.repeat(5_000), 'short', 'y'.repeat(5_000)], 1_000)
  expect(message).toHaveLength(1_000)
  expect(message.split('\n').map((line) => line.length)).toEqual([497, 5, 496])
})

test('of more lines than have room the message says how many are left out', () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => `${at}: ${'x'.repeat(300)}`)
  const shown = sharedLines(lines, 2_000).split('\n')
  expect(shown.join('\n').length).toBeLessThanOrEqual(2_000)
  expect(shown.slice(0, -1).every((line, at) => line.startsWith(`${at}: `) && line.length >= 200)).toBe(true)
  expect(shown.at(-1)).toBe(`and ${1_000 - (shown.length - 1)} more`)
})
