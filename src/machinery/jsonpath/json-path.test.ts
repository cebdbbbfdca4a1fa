import { describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { parseJson } from '../json-text.ts'
import { JsonPath } from './json-path.ts'
import { JsonPathError } from './json-path-error.ts'

const lax = { allowMissingKeys: true }
const print = (template: string, object: unknown): string => JsonPath.compile(template, lax).print(object)

/** Objects in objects, each with a string beside it. */
function nested(levels: number): unknown {
  let value: unknown = {}
  for (let i = 0; i < levels; i++) value = { a: value, b: 'x' }
  return value
}

/** Returns the result of `run`, or the message of its JsonPathError. */
function outcome(run: () => unknown): { readonly value?: unknown; readonly error?: unknown } {
  try {
    return { value: run() }
  } catch (error) {
    return { error: error instanceof JsonPathError ? error.message : error }
  }
}

describe('numbers', () => {
  test.each([
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [100000.5, '100000.5'],
    [1234567.5, '1.2345675e+06'],
    [1e21, '1e+21'],
    [2 ** 63, '9.223372036854776e+18'],
    [-(2 ** 63), '-9223372036854775808'],
    [-0, '0'],
    [9223372036854775807n, '9223372036854775807'],
    [9223372036854775808n, '9.223372036854776e+18'],
  ])('%s prints as Go prints it: %s', (value, text) => {
    expect(print('{.x}', { x: value })).toBe(text)
  })

  test('a token with a fraction stays a float, in text and in comparisons', () => {
    const object = parseJson('{"l":[{"x":1000000.0}]}')
    expect(print('{.l[0].x}', object)).toBe('1e+06')
    expect(print('{.l[?(@.x==1000000.0)].x}', object)).toBe('1e+06')
    expect(() => print('{.l[?(@.x==1000000)].x}', object)).toThrow('incompatible types for comparison')
  })

  test('integers beyond 2^53 compare exactly, bigint or raw', () => {
    const path = '{.l[?(@.x==9007199254740993)].x}'
    expect(print(path, { l: [{ x: 9007199254740992n }, { x: 9007199254740993n }] })).toBe('9007199254740993')
    expect(print(path, parseJson('{"l":[{"x":9007199254740995},{"x":9007199254740993}]}'))).toBe('9007199254740993')
  })

  test('a raw number has no members and no elements', () => {
    const object = parseJson('{"x":12345678901234567890}')
    expect(print('{.x.rawJSON}{.x.*}', object)).toBe('')
    expect(print('{$}', object)).toBe('{"x":12345678901234567000}')
  })

  test('a float of the template prints as a float', () => {
    expect(print('{1000000.0} {1000000} {+7} {-.5}', {})).toBe('1e+06 1000000 7 -0.5')
  })
})

describe('text', () => {
  test('JSON escapes what Go escapes', () => {
    expect(print('{$}', { 'b<': '&>\u2028"\\\n', a: null })).toBe(
      String.raw`{"a":null,"b\u003c":"\u0026\u003e\u2028\"\\\n"}`,
    )
  })

  test('names and strings are ordered by code point, not by UTF-16 unit', () => {
    expect(print('{$}', { '\u{10000}': 1, '\uff5e': 2 })).toBe('{"\uff5e":2,"\u{10000}":1}')
    expect(print('{[?(@<"\u{10000}")]}', ['\uff5e'])).toBe('\uff5e')
  })

  test.each([
    ['{"\\x41\\101\\u00e9\\U0001F600\\a"}', 'AA\u00e9\u{1f600}\u0007'],
    ['{"\\xc3\\xa9"}', '\u00e9'],
  ])('the literal %s is unquoted as in Go', (template, text) => {
    expect(print(template, {})).toBe(text)
  })

  test.each(['{"\\q"}', '{"\\x4"}', '{"\\ud800"}', '{"\\400"}', '{"\\\'"}'])('%s is refused', (template) => {
    expect(() => JsonPath.compile(template)).toThrow(`unquote string ${template.slice(1, -1)} error invalid syntax`)
  })
})

describe('objects', () => {
  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('%s is not a member by inheritance', (name) => {
    expect(() => JsonPath.compile(`{.${name}}`).print({})).toThrow(`${name} is not found`)
    expect(print(`{.x[0].${name}}`, { x: [{}] })).toBe('')
  })

  test('a list has no member called length', () => {
    expect(print('{.x.length}', { x: [1] })).toBe('')
  })
})

describe('existence filters count what upstream returns beside its error', () => {
  const items = [{ n: 'a', l: [1] }, { n: 'b' }]
  test('an index out of bounds counts as existing, a missing key does not', () => {
    expect(JsonPath.compile('{[?(@.l[5])].n}').print(items)).toBe('a')
  })

  test('a union with a missing key counts as existing when missing keys are errors', () => {
    expect(JsonPath.compile("{[?(@['x','y'])].n}").print(items)).toBe('a b')
    expect(print("{[?(@['x','y'])].n}", items)).toBe('')
  })
})

test('an empty slice leaves out the lists that follow it, as upstream', () => {
  expect(print('{[*].l[*]}', [{ l: [1] }, { l: [] }, { l: [2] }])).toBe('1')
})

test('a union with a key that nothing has is an error unless missing keys are allowed', () => {
  expect(() => JsonPath.compile("{['a','b']}").print({ a: 1 })).toThrow('b is not found')
  expect(print("{['a','b']}", { a: 1 })).toBe('1')
})

test('first gives the first result of all, or undefined', () => {
  expect(JsonPath.compile('{.a}', lax).first({ a: 7 })).toBe(7)
  expect(JsonPath.compile('{.a}', lax).first({})).toBeUndefined()
  expect(JsonPath.compile('{.a[*]}{.b[*]}', lax).first({ a: [], b: [8, 9] })).toBe(8)
})

test('scalarAsList changes filters on scalars only', () => {
  const path = JsonPath.compile('{.x[?(@=="a")]}', { scalarAsList: true })
  expect(path.print({ x: 'a' })).toBe('a')
  expect(path.print({ x: ['a', 'b'] })).toBe('a')
  expect(path.print({ x: null })).toBe('')
  expect(() => path.print({ x: {} })).toThrow('map[] is not array or slice and cannot be filtered')
  expect(() => JsonPath.compile('{.x[0]}', { scalarAsList: true }).print({ x: 'a' })).toThrow('string is not array')
})

describe('a template cannot take more than its share', () => {
  const bombs: readonly (readonly [string, string, unknown])[] = [
    ['descents on descents', `{${'...*'.repeat(50)}}`, nested(100)],
    ['ranges in ranges', `{range ...*}`.repeat(30), nested(60)],
    ['ranges without end', '{range @}'.repeat(100), {}],
    ['ranges in ranges without end', '{range @[*]}'.repeat(20), [0, 1]],
    ['a descent into the deep', '{..}', nested(20_000)],
    ['printing the deep', '{$}', nested(20_000)],
    ['printing the deep in an error', '{[?(@)]}', nested(20_000)],
    ['a long string as bytes', '{.x.*}', { x: 'x'.repeat(2_000_000) }],
    ['one large value again and again', '{$}'.repeat(200), { x: 'x'.repeat(1_000_000) }],
    ['filters in filters', '{[?( @.a"b == '.repeat(2000), {}],
  ]
  test.each(bombs)('%s', (_name, template, object) => {
    expect(() => print(template, object)).toThrow(JsonPathError)
  })

  test('printing a large value at every level as JSON', () => {
    const object = { x: 'x'.repeat(1_000_000) }
    const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], object)
    expect(() => JsonPath.compile('{..}').printJson(deep)).toThrow('template prints more than')
  })

  test('a long chain of keys in quotes is read', () => {
    expect(print(`{['${'a.'.repeat(200_000)}a']}`, {})).toBe('')
  })
})

describe('properties', () => {
  const name = fc.constantFrom('a', 'b', 'c')
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      fc.oneof(
        fc.integer(),
        fc.string(),
        fc.boolean(),
        fc.constant(null),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
      ),
      fc.array(tie('node'), { maxLength: 4 }),
      fc.dictionary(name, tie('node'), { maxKeys: 3 }),
    ),
  })).node
  test('the fast path of a chain of fields answers as the general evaluator', () => {
    fc.assert(
      fc.property(tree, fc.array(name, { minLength: 1, maxLength: 4 }), fc.boolean(), (object, names, allow) => {
        const chain = names.map((one) => `.${one}`).join('')
        const fast = JsonPath.compile(`{${chain}}`, { allowMissingKeys: allow })
        // A second, empty action keeps the template from the fast path.
        const general = JsonPath.compile(`{${chain}}{""}`, { allowMissingKeys: allow })
        expect(outcome(() => fast.print(object))).toEqual(outcome(() => general.print(object)))
        expect(outcome(() => fast.evaluate(object)[0])).toEqual(outcome(() => general.evaluate(object)[0]))
        const list = outcome(() => general.evaluate(object)[0]?.[0])
        expect(outcome(() => fast.first(object))).toEqual(list)
      }),
      { numRuns: 300 },
    )
  })

  test('a slice within bounds is Array.prototype.slice', () => {
    const bounds = fc
      .array(fc.integer(), { maxLength: 12 })
      .chain((list) =>
        fc.tuple(fc.constant(list), fc.integer({ min: 0, max: list.length }), fc.integer({ min: 0, max: list.length })),
      )
    fc.assert(
      fc.property(bounds, fc.integer({ min: 1, max: 4 }), ([list, x, y], step) => {
        const [from, to] = x < y ? [x, y] : [y, x]
        const slice = list.slice(from, to)
        expect(JsonPath.compile(`{[${from}:${to}]}`).evaluate(list)).toEqual([slice])
        const stepped = slice.filter((_value, index) => index % step === 0)
        expect(JsonPath.compile(`{[${from}:${to}:${step}]}`).evaluate(list)).toEqual([stepped])
        const fromEnd = from < list.length ? from - list.length : from
        expect(JsonPath.compile(`{[${fromEnd}:]}`).evaluate(list)).toEqual([list.slice(from)])
      }),
      { numRuns: 300 },
    )
  })

  test('printed JSON reads back as the value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), tree), (object) => {
        expect(JSON.parse(print('{$}', object))).toEqual(JSON.parse(JSON.stringify(object)))
      }),
      { numRuns: 200 },
    )
  })

  test('any text is either a template or refused with a JsonPathError, and never changes the object', () => {
    const piece = fc.constantFrom(
      ...'{}[]()?@$.*,:\'"\\ <>=!019ab-'.split(''),
      '..',
      '[?(',
      ')]',
      'range ',
      '{end}',
      '{.a}',
      '[*]',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 16 }), tree, (pieces, object) => {
        const before = JSON.stringify(object)
        const result = outcome(() => print(`{${pieces.join('')}}`, object))
        expect(result).toSatisfy((one: ReturnType<typeof outcome>) => typeof (one.value ?? one.error) === 'string')
        expect(JSON.stringify(object)).toBe(before)
      }),
      { numRuns: 1000 },
    )
  })
})
