import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { jsonParts, type SlicedList, textsMadeFrom, yamlParts } from './sliced-list.ts'
import { yamlOf } from './yaml-answer.ts'

const text = fc.oneof(
  fc.string(),
  fc.lorem({ maxCount: 40 }),
  fc.array(fc.lorem({ maxCount: 9 })).map((lines) => lines.join('\n')),
  fc.constantFrom('yes', 'no', '1e3', '0x1', '~', '', ' ', 'a: b', '- a', '2026-01-01'),
)
const item = fc.dictionary(
  fc.string({ minLength: 1 }),
  fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.string({ minLength: 1 }), tie('value'), { maxKeys: 3 }),
    ),
  })).value,
  { maxKeys: 4 },
)

const listOf = (items: readonly unknown[], name: SlicedList['name']): SlicedList => ({
  fields: { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '7' } },
  name,
  texts: textsMadeFrom(items, (one) => JSON.stringify(one)),
})

test('a list that is made item by item is the text that the whole would be, as JSON and as YAML', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 4 }), fc.constantFrom('items', 'rows'), (items, name) => {
      const whole = JSON.stringify({ ...listOf(items, name).fields, [name]: items })
      expect([...jsonParts(listOf(items, name))].join('')).toBe(whole)
      expect([...yamlParts(listOf(items, name))].join('')).toBe(yamlOf(whole))
      expect(yamlOf(whole)).toBe(
        stringify(JSON.parse(whole), { version: '1.1', sortMapEntries: true, indentSeq: false }),
      )
    }),
  )
})

test('a list can be gone through again', () => {
  const list = listOf([{ a: 1 }, { b: 2 }], 'items')
  expect([...jsonParts(list)]).toEqual([...jsonParts(list)])
})

test('a number of 64 bits keeps its digits in YAML', () => {
  expect(yamlOf('{"a":3546343826724305832,"b":[-9223372036854775808],"c":1.25}')).toBe(
    'a: 3546343826724305832\nb:\n- -9223372036854775808\nc: 1.25\n',
  )
})
