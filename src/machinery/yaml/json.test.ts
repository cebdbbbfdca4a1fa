import { expect, test } from 'vitest'
import { readJsonAsYaml } from './json.ts'
import { parseYaml } from './text.ts'

test.each([
  '{"a":[1.0,1e1,1E+1,10e-1,-0,1.5,0.5,-1.0]}',
  '{"a":1e20,"b":9007199254740993,"c":12345678901234567890,"d":123456789012345678901}',
  '{"a":1e400,"b":-1e400,"c":1e-400}',
  '{"a":{"b":"1.0","c":"é\\u00e9\\n/"}}',
  '{"__proto__":{"a":1.0}}',
])('a JSON text is read as the YAML that it is: %s', (text) => {
  const read = readJsonAsYaml(text, false)
  expect(JSON.stringify(read?.value)).toBe(JSON.stringify(parseYaml(text)))
})

test.each(['{"a":"\\/"}', '{"a":"\\ud83d\\ude00"}', '{"a":"\u007f"}', '{a: 1}', '[1]', ' {"a":1}'])(
  'a text that YAML reads otherwise is left to its reader: %j',
  (text) => {
    expect(readJsonAsYaml(text, true)).toBeUndefined()
  },
)

test('a key that is set twice is noticed where that is asked for', () => {
  expect([true, false].map((asked) => readJsonAsYaml('{"a":1,"a":2}', asked)?.isTwice)).toEqual([true, false])
})
