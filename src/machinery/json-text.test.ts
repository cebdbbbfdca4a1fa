import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { duplicateFields, JsonTextError, MAX_DEPTH, parseJson } from './json-text.ts'
import { isRawNumber, jsonEqual, numberText, withUntypedNumbers } from './json-value.ts'

function errorOf(text: string): string {
  try {
    parseJson(text)
  } catch (error) {
    if (error instanceof JsonTextError) return error.message
    throw error
  }
  return 'no error'
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('parseJson', () => {
  test('keeps every digit of a number through JSON.stringify', () => {
    const text = '{"a":1.0,"b":[0.5,12345678901234567890,1e3,-0.10],"c":"1.0","d":1.50}'
    expect(JSON.stringify(parseJson(text))).toBe(text)
  })

  test('gives a plain number wherever that is exact', () => {
    expect(parseJson('{"a":0.5,"b":9007199254740991,"c":-3}')).toEqual({ a: 0.5, b: 9007199254740991, c: -3 })
  })

  test('finds an inexact number that stands alone, in a list, and behind white space', () => {
    for (const text of ['1.0', '[1.0]', '[1 ,\n 1.0]', '{"a"\n:\t 1.0}', '-12345678901234567']) {
      expect(JSON.stringify(parseJson(text))).toBe(text.replaceAll(/\s/g, ''))
    }
  })

  test('makes __proto__ a plain member', () => {
    expect(Object.keys(parseJson('{"__proto__":1}') as object)).toEqual(['__proto__'])
  })

  test('agrees with JSON.parse on any JSON whose numbers are exact', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
      { numRuns: 100 },
    )
  })

  test('prints any decimal number as it was written', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,20})?([eE][-+]?\d{1,2})?$/), (number) => {
        if (/^-0$/.test(number)) return
        expect(JSON.stringify(parseJson(`{"a": ${number}}`))).toBe(`{"a":${number}}`)
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['', 'unexpected end of JSON input'],
    ['{"a":1', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['{a:1}', "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['[1 2]', "invalid character '2' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['01', "invalid character '1' after top-level value"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['tRue', "invalid character 'R' in literal true (expecting 'r')"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u00g0"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"a\nb"', String.raw`invalid character '\n' in string literal`],
    ["'a'", String.raw`invalid character '\'' looking for beginning of value`],
  ])('says what is wrong with %j as Go does', (text, message) => {
    expect(errorOf(text)).toBe(message)
  })

  test('refuses what nests too deep, however it is spelled', () => {
    expect(errorOf(nested(MAX_DEPTH))).toBe('no error')
    expect(errorOf(nested(MAX_DEPTH + 1))).toBe('exceeded max depth')
    expect(errorOf(nested(1_000_000))).toBe('exceeded max depth')
    expect(errorOf(`["${'['.repeat(2 * MAX_DEPTH)}\\"${'['.repeat(2 * MAX_DEPTH)}"]`)).toBe('no error')
  })

  test('words an error for every text that JSON.parse refuses', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:0123.e-+tfn\\u ax\n'.split('')) }), (text) => {
        let valid = true
        try {
          JSON.parse(text)
        } catch {
          valid = false
        }
        expect(errorOf(text)).toMatch(valid ? /^no error$/ : /^(unexpected end of JSON input$|invalid character )/)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('duplicateFields', () => {
  test('names each field that comes again with its path, once', () => {
    const text = '{"spec":{"x":1,"x":2,"x":3,"c":[{"n":1},{"n":1,"n":2}],"a/b":{"\\u0061":1,"a":2}}}'
    expect(duplicateFields(text)).toEqual([
      'duplicate field "spec.x"',
      'duplicate field "spec.c[1].n"',
      'duplicate field "spec.a/b.a"',
    ])
  })

  test('finds nothing where equal names stand in different objects', () => {
    expect(duplicateFields('{"a":{"n":1},"b":{"n":1},"c":[{"n":1},{"n":1}]}')).toEqual([])
  })

  test('reads a long text as it reads a short one', () => {
    const text = `{${'"a" : {"x":[1,2], "y":1},'.repeat(20_000)}"b":1}`
    expect(duplicateFields(text)).toEqual(['duplicate field "a"'])
  })

  test('survives any depth', () => {
    expect(duplicateFields('['.repeat(200_000) + ']'.repeat(200_000))).toEqual([])
  })
})

describe('JSON values', () => {
  test('the spelling of a number decides its type', () => {
    const raw = parseJson('1.0')
    expect([
      isRawNumber(raw),
      isRawNumber({ rawJSON: '1.0' }),
      numberText(raw),
      numberText(2),
      numberText('2'),
    ]).toEqual([true, false, '1.0', '2', undefined])
    expect(jsonEqual(parseJson('[1.0]'), parseJson('[1.0]'))).toBe(true)
    expect(jsonEqual(parseJson('[1.0]'), [1])).toBe(false)
  })

  test('without a schema, numbers are int64 or else float64', () => {
    const value = withUntypedNumbers(parseJson('{"a":1.0,"b":[9223372036854775807,9223372036854775808],"c":1e2}'))
    expect(JSON.stringify(value)).toBe('{"a":1,"b":[9223372036854775807,9223372036854776000],"c":100}')
  })

  test('without inexact numbers the value itself comes back', () => {
    const value = { a: [1, { b: 'x' }] }
    expect(withUntypedNumbers(value)).toBe(value)
  })
})

describe('halves of characters', () => {
  test.each([
    [String.raw`"\ud800"`, '\ufffd'],
    [String.raw`"\udc00\ud800x"`, '\ufffd\ufffdx'],
    [String.raw`"\ud83d\ude00"`, '😀'],
    [String.raw`"\\ud800"`, String.raw`\ud800`],
    [String.raw`{"\ud800":1}`, { '\ufffd': 1 }],
  ])('%s is read as Go reads it', (text, value) => {
    expect(parseJson(text)).toEqual(value)
  })
})
