import { expect, test } from 'vitest'
import { floatKey, resolveScalar, YamlScalarError } from './scalar.ts'

const STANDARD = 'tag:yaml.org,2002:'
/** Whole numbers as `1n`, which titles of tests can show. */
const shown = (value: unknown): unknown => (typeof value === 'bigint' ? `${value}n` : value)
const plain = (value: string): unknown => shown(resolveScalar({ value, isPlain: true, tag: undefined }))
const tagged = (tag: string, value: string): unknown =>
  shown(resolveScalar({ value, isPlain: false, tag: `${STANDARD}${tag}` }))

test.each<readonly [string, unknown]>([
  ['1.0', 1],
  ['1e1', 10],
  ['10e-1', 1],
  ['.5', 0.5],
  ['5.', 5],
  ['089', 89],
  ['1_000.5', 1000.5],
  ['18446744073709551616', 2 ** 64],
  ['+9223372036854775808', 2 ** 63],
  ['1e-400', 0],
  ['1', '1n'],
  ['+1', '1n'],
  ['-0', '0n'],
  ['00', '0n'],
  ['1_000', '1000n'],
  ['017', '15n'],
  ['0o17', '15n'],
  ['0x1F', '31n'],
  ['-0x1f', '-31n'],
  ['0b101', '5n'],
  ['0x00000000000000000001', '1n'],
  ['18446744073709551615', '18446744073709551615n'],
  ['-9223372036854775808', '-9223372036854775808n'],
  ['1e400', '1e400'],
  ['0x1FFFFFFFFFFFFFFFFF', '0x1FFFFFFFFFFFFFFFFF'],
  ['e5', 'e5'],
  ['-e5', '-e5'],
  ['.e5', '.e5'],
  ['.', '.'],
  ['-.', '-.'],
  ['.5_0', 0.5],
  ['.5__0', '.5__0'],
  ['._5', '._5'],
  ['1e', '1e'],
  ['+', '+'],
  ['0b2', '0b2'],
  ['12:30:45', '12:30:45'],
  ['2001-01-01', '2001-01-01'],
  ['infinity', 'infinity'],
  ['y', true],
  ['Off', false],
  ['tRUE', 'tRUE'],
  ['', null],
  ['~', null],
  ['nULL', 'nULL'],
  ['-.inf', -Infinity],
  ['.NaN', NaN],
])('the scalar %j stands for %s', (text, value) => {
  expect(plain(text)).toEqual(value)
})

test('a scalar in quotes is a text, whatever it looks like', () => {
  for (const value of ['1', 'true', '', '.nan'])
    expect(resolveScalar({ value, isPlain: false, tag: undefined })).toBe(value)
})

test.each<readonly [string, string, unknown]>([
  ['binary', 'aGk=', 'hi'],
  ['binary', 'aGVs\nbG8=\n', 'hello'],
  ['binary', '4oKs', '€'],
  ['binary', '8J+YgA==', '😀'],
  ['binary', '//79', '\ufffd\ufffd\ufffd'],
  ['binary', '4oI=', '\ufffd\ufffd'],
  ['str', '5', '5'],
  ['int', '5', '5n'],
  ['float', '5', 5],
  ['float', '5.5', 5.5],
  ['bool', 'yes', true],
  ['null', '', null],
  ['timestamp', '2001-1-1', '2001-1-1'],
  ['merge', '5', '5'],
])('with the tag !!%s the scalar %j stands for %j', (tag, text, value) => {
  expect(tagged(tag, text)).toEqual(value)
})

test.each([
  ['binary', 'a b', '!!binary value contains invalid base64 data'],
  ['binary', 'aGk', '!!binary value contains invalid base64 data'],
  ['int', 'five', 'cannot decode !!str `five` as a !!int'],
  ['int', '5.5', 'cannot decode !!float `5.5` as a !!int'],
  ['float', '18446744073709551615', 'cannot decode !!int `18446744073709551615` as a !!float'],
  ['bool', '1', 'cannot decode !!int `1` as a !!bool'],
  ['null', 'x', 'cannot decode !!str `x` as a !!null'],
  ['timestamp', 'x', 'cannot decode !!str `x` as a !!timestamp'],
])('the tag !!%s does not admit the scalar %j', (tag, text, problem) => {
  expect(() => tagged(tag, text)).toThrow(new YamlScalarError(problem))
})

test.each([
  [1, '1'],
  [2.5, '2.5'],
  [0.1, '0.1'],
  [-0, '-0'],
  [123_456, '123456'],
  [123_456.7, '123456.7'],
  [1_234_567, '1.234567e+06'],
  [1e7, '1e+07'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [16_777_217, '1.6777216e+07'],
  [1e300, '.inf'],
  [NaN, '.nan'],
])('the number %s is the key %s', (value, key) => {
  expect(floatKey(value)).toBe(key)
})
