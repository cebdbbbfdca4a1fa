import { describe, expect, test } from 'vitest'
import { parseYaml, readYaml, YamlTextError } from './text.ts'

function errorOf(text: string): YamlTextError {
  try {
    parseYaml(text)
  } catch (error) {
    if (error instanceof YamlTextError) return error
    throw error
  }
  throw new Error('no error')
}

describe('parseYaml', () => {
  test.each([
    ['a: 1.0\nb: 12345678901234567890\nc: 1e3\nd: 0.5', '{"a":1,"b":12345678901234567890,"c":1000,"d":0.5}'],
    ['a: 0777\nb: 0x1F\nc: 1_000\nd: +1', '{"a":511,"b":31,"c":1000,"d":1}'],
    ['a: yes\nb: off\nc: true', '{"a":true,"b":false,"c":true}'],
    ['a: 22:22\nb: 2001-01-01\nc: !!binary aGk=', '{"a":"22:22","b":"2001-01-01","c":"hi"}'],
    ['a: ~\nb:\nc: null', '{"a":null,"b":null,"c":null}'],
    ['a: "1.0"\nb: \'2\'', '{"a":"1.0","b":"2"}'],
    ['a: &x {b: 1}\nc: {<<: *x, d: 2}', '{"a":{"b":1},"c":{"b":1,"d":2}}'],
    ['1: a\ntrue: b', '{"1":"a","true":"b"}'],
    ['a: |\n  x\n  ---\n  y\n', '{"a":"x\\n---\\ny\\n"}'],
    ['{"kind": "Pod", "n": [1]}', '{"kind":"Pod","n":[1]}'],
    ['# comment\n---\na: 1\n---\nb: 2\n', '{"a":1}'],
  ])('reads %j as Kubernetes does', (text, json) => {
    expect(JSON.stringify(parseYaml(text))).toBe(json)
  })

  test('says where the error is', () => {
    const error = errorOf('kind: Pod\nspec:\n  a: [1,\n  b: 2\n')
    expect([error.line, error.column > 0]).toEqual([4, true])
    const nan = errorOf('kind: Pod\nn: .nan\n')
    expect([nan.message, nan.line, nan.column]).toEqual(['json: unsupported value: NaN', 2, 4])
  })

  test.each(['1e400', '-1e400', '1E+999', `1${'0'.repeat(400)}`])(
    'takes %s, which no number holds, for a text',
    (text) => {
      expect(parseYaml(`a: ${text}\n${text}: [${text}]`)).toEqual({ a: text, [text]: [text] })
    },
  )

  test('takes what is nearly nothing for a number, and hexadecimal too', () => {
    expect(parseYaml('[1e-400, -0x10, 1e30, 18446744073709551616]')).toEqual([0, -16, 1e30, 2 ** 64])
  })

  test('refuses keys that JSON does not have', () => {
    expect(errorOf('? [a]\n: 1').message).toBe('yaml: a key must be a scalar')
    expect(errorOf('~: 1').message).toBe('yaml: a key must not be null')
  })

  test('refuses aliases that multiply', () => {
    const names = 'abcdefghi'.split('')
    const bomb = names.map(
      (name, at) =>
        `${name}: &${name} [${Array(9)
          .fill(at === 0 ? 'x' : `*${names[at - 1]}`)
          .join()}]`,
    )
    expect(errorOf(bomb.join('\n')).message).toBe('yaml: document contains excessive aliasing')
  })

  test('refuses aliases and merges that make a long text', () => {
    const aliases = `a: &a "${'x'.repeat(1_000_000)}"\nb: [${'*a,'.repeat(50)}]`
    expect(errorOf(aliases).message).toBe('yaml: document contains excessive aliasing')
    const map = Array.from({ length: 1000 }, (_, at) => `${'k'.repeat(100)}${at}: v`)
    const merges = `a: &a {${map.join()}}\nb: [${'{<<: *a},'.repeat(400)}]`
    expect(errorOf(merges).message).toBe('yaml: document contains excessive aliasing')
  })

  test('refuses what nests too deep', () => {
    expect(errorOf('['.repeat(5000)).message).toBe('yaml: exceeded max depth')
    expect(errorOf('['.repeat(1100) + ']'.repeat(1100)).message).toBe('yaml: exceeded max depth')
  })

  test('makes __proto__ a plain member', () => {
    expect(Object.keys(parseYaml('__proto__: {a: 1}') as object)).toEqual(['__proto__'])
  })
})

test.each([
  ['%YAML 1.1\n---\na: 1', undefined],
  ['%TAG !e! tag:yaml.org,2002:\n---\na: 1', undefined],
  ['%YAML 1.2\n---\na: 1', 'yaml: found incompatible YAML document'],
  ['# c\n%YAML 1.2\n---\na: 1', 'yaml: line 1: found incompatible YAML document'],
  ['%YAML 1.1\n%YAML 1.1\n---\na: 1', 'yaml: line 1: found duplicate %YAML directive'],
  ['%YAML x\n---\na: 1', 'yaml: did not find expected version number'],
  ['%YAML 1\n---\na: 1', "yaml: did not find expected digit or '.' character"],
  ['%FOO x\n---\na: 1', 'yaml: found unknown directive name'],
  ['%\n---\na: 1', 'yaml: could not find expected directive name'],
])('the directive %j is %s', (text, problem) => {
  if (problem === undefined) expect(parseYaml(text)).toEqual({ a: 1 })
  else expect(errorOf(text).message).toBe(problem)
})

test.each([
  [String.raw`"\e\x41\u00e9\U0001F600"`, '\u001bAé😀'],
  [String.raw`"it\'s"`, "it's"],
  [String.raw`"a\\/b\\'"`, String.raw`a\/b\'`],
  ['"a\\\n  b"', 'ab'],
  [String.raw`'\/'`, String.raw`\/`],
  ['|\n  "\\/"\n', '"\\/"\n'],
])('the escapes of %j are read', (text, value) => {
  expect(parseYaml(`a: ${text}\nb: 1`)).toEqual({ a: value, b: 1 })
})

test.each([
  [String.raw`"\/"`, 'found unknown escape character'],
  [String.raw`"\q"`, 'found unknown escape character'],
  [String.raw`"\ud83d\ude00"`, 'found invalid Unicode character escape code'],
  [String.raw`"\U00110000"`, 'found invalid Unicode character escape code'],
])('the escape of %j is refused, with its line', (text, problem) => {
  expect(errorOf(`b: "it\\'s"\na: ${text}`)).toMatchObject({ message: `yaml: line 2: ${problem}`, line: 2, column: 5 })
})

test.each(['\u0000', '\u007f', '\u0081', '\uffff'])('a text with the character %j is refused', (character) => {
  expect(errorOf(`a: 1\nb: "${character}"`)).toMatchObject({
    message: 'yaml: control characters are not allowed',
    line: 2,
    column: 5,
  })
})

test('a key that is set twice is named with its line', () => {
  expect(readYaml('a: 1\nb:\n  c: 1\n  c: 2\na: 3\n', true).duplicates).toEqual([
    'line 4: key "c" already set in map',
    'line 5: key "a" already set in map',
  ])
})

test.each(['<<: 1', '<<: [1]', 'a: &a [1]\nb: {<<: *a}', '<<: <<'])('%j merges a value that is not a map', (text) => {
  expect(() => parseYaml(text)).toThrow(YamlTextError)
  expect(() => parseYaml(text)).toThrow('map merge requires map or sequence of maps as the value')
})
