import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../machinery/json-text.ts'
import { mergePatch } from './merge.ts'

describe('mergePatch', () => {
  // The examples of RFC 7386, appendix A, whose patch is an object.
  test.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ['{"a":1.0}', '{"b":{"c":2.50},"__proto__":{"x":1}}', '{"a":1.0,"b":{"c":2.50},"__proto__":{"x":1}}'],
  ])('of %s with %s is %s', (original, patch, expected) => {
    expect(JSON.stringify(mergePatch(parseJson(original), parseJson(patch)))).toBe(expected)
  })

  test('answers 400 to a patch that is not an object', () => {
    expect(() => mergePatch({}, [])).toThrow(
      expect.objectContaining({
        status: expect.objectContaining({
          code: 400,
          message: 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
        }),
      }),
    )
  })

  const object = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })

  test('changes nothing more when applied again, and leaves its arguments alone', () => {
    fc.assert(
      fc.property(object, object, (original, patch) => {
        const before = JSON.stringify([original, patch])
        const once = mergePatch(original, patch)
        expect(JSON.stringify(mergePatch(once, patch))).toBe(JSON.stringify(once))
        expect(JSON.stringify([original, patch])).toBe(before)
      }),
    )
  })

  test('of {} is the original', () => {
    fc.assert(
      fc.property(object, (original) => {
        expect(mergePatch(original, {})).toEqual(original)
      }),
    )
  })
})
