import { expect, test } from 'vitest'
import { parseGoDuration } from './duration.ts'

const invalid = (text: string): string => `time: invalid duration "${text}"`
const cases: readonly (readonly [text: string, expected: bigint | string])[] = [
  ['0', 0n],
  ['+5s', 5_000_000_000n],
  ['-1.5h', -5_400_000_000_000n],
  ['1h15m30.918273645s', 4_530_918_273_645n],
  ['.5s', 500_000_000n],
  ['1.s', 1_000_000_000n],
  ['10.5s4m', 250_500_000_000n],
  ['52763797000ns', 52_763_797_000n],
  ['0.100000000000000000000h', 360_000_000_000n],
  ['00000000000000000000000001s', 1_000_000_000n],
  ['9223372036854775807ns', 2n ** 63n - 1n],
  ['-9223372036854775808ns', -(2n ** 63n)],
  ['', invalid('')],
  ['-', invalid('-')],
  ['s', invalid('s')],
  ['.', invalid('.')],
  ['.s', invalid('.s')],
  ['+.s', invalid('+.s')],
  ['abc', invalid('abc')],
  ['1h 2m', 'time: unknown unit "h " in duration "1h 2m"'],
  ['3000000h', invalid('3000000h')],
  ['9223372036854775808ns', invalid('9223372036854775808ns')],
  ['5', 'time: missing unit in duration "5"'],
  ['1s5', 'time: missing unit in duration "1s5"'],
  ['1d', 'time: unknown unit "d" in duration "1d"'],
  ['1\u00fc', 'time: unknown unit "\\xc3\\xbc" in duration "1\\xc3\\xbc"'],
  ['1"\n', 'time: unknown unit "\\"\\x0a" in duration "1\\"\\x0a"'],
]

test.each(cases)('the duration %s is read as Go reads it', (text, expected) => {
  expect(parseGoDuration(text)).toBe(expected)
})
