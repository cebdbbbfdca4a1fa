import { expect, test } from 'vitest'
import { goQuote } from './quote.ts'

test.each([
  ['plain text, with <&> and ä and 中', '"plain text, with <&> and ä and 中"'],
  [String.raw`\u0007 and \b as they are spelled`, String.raw`"\\u0007 and \\b as they are spelled"`],
  ['say "no"\\', String.raw`"say \"no\"\\"`],
  ['\u0000\u0007\b\t\n\v\f\r\u001b\u007f', String.raw`"\x00\a\b\t\n\v\f\r\x1b\x7f"`],
  ['\u0080\u00a0\u200b\u2028\ufeff', String.raw`"\u0080\u00a0\u200b\u2028\ufeff"`],
  ['\u{1f600}\u{e0001}', String.raw`"😀\U000e0001"`],
])('%j is quoted as Go does', (text, quoted) => {
  expect(goQuote(text)).toBe(quoted)
})
