import { describe, expect, test } from 'vitest'
import { growth } from '../../../../test/growth.ts'
import { sentence } from '../../../machinery/field-error.ts'
import { parseJson } from '../../../machinery/json-text.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { readStructural } from '../read-schema.ts'
import type { RulePlace } from './rules.ts'
import { validate, validateUpdate } from './validate.ts'

const schemaOf = (spec: JsonObject) => readStructural({ type: 'object', properties: { spec } })
const spec = (schema: JsonObject, json: string): readonly string[] =>
  validate(schemaOf(schema), parseJson(`{"spec":${json}}`)).map(sentence)
const x = (schema: JsonObject, json: string): readonly string[] =>
  spec({ type: 'object', properties: { x: schema } }, `{"x":${json}}`)

describe('validate', () => {
  test.each<[string, JsonObject, string, unknown[]]>([
    [
      'a wrong type',
      { type: 'integer' },
      '"a"',
      ['spec.x: Invalid value: "string": spec.x in body must be of type integer: "string"'],
    ],
    [
      'a null',
      { type: 'string' },
      'null',
      ['spec.x: Invalid value: "null": spec.x in body must be of type string: "null"'],
    ],
    ['a null that may be', { type: 'string', nullable: true }, 'null', []],
    [
      'a maximum',
      { type: 'integer', maximum: 10 },
      '11',
      ['spec.x: Invalid value: 11: spec.x in body should be less than or equal to 10'],
    ],
    [
      'an exact maximum',
      { type: 'integer', maximum: 9007199254740992 },
      '9007199254740993',
      ['spec.x: Invalid value: 9007199254740993: spec.x in body should be less than or equal to 9007199254740992'],
    ],
    [
      'an exclusive minimum',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      '1',
      ['spec.x: Invalid value: 1: spec.x in body should be greater than 1'],
    ],
    [
      'a multiple',
      { type: 'integer', multipleOf: 2 },
      '3',
      ['spec.x: Invalid value: 3: spec.x in body should be a multiple of 2'],
    ],
    [
      'an int32',
      { type: 'integer', format: 'int32' },
      '3000000000',
      ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.x'],
    ],
    ['a whole float', { type: 'integer' }, '1.0', []],
    [
      'too long a text',
      { type: 'string', maxLength: 5 },
      '"abcdef"',
      ['spec.x: Too long: may not be more than 5 bytes'],
    ],
    ['characters beyond the basic plane', { type: 'string', maxLength: 2 }, '"😀😀"', []],
    [
      'too short a text',
      { type: 'string', minLength: 2 },
      '"😀"',
      ['spec.x: Invalid value: "😀": spec.x in body should be at least 2 chars long'],
    ],
    [
      'a pattern',
      { type: 'string', pattern: '^a$' },
      '"b"',
      ['spec.x: Invalid value: "b": spec.x in body should match \'^a$\''],
    ],
    [
      'a format',
      { type: 'string', format: 'date-time' },
      '"b"',
      ['spec.x: Invalid value: "b": spec.x in body must be of type date-time: "b"'],
    ],
    ['a format that Kubernetes does not know', { type: 'string', format: 'color' }, '"b"', []],
    [
      'an enumeration',
      { type: 'string', enum: ['b', 'a'] },
      '"x"',
      ['spec.x: Unsupported value: "x": supported values: "b", "a"'],
    ],
    [
      'int-or-string',
      { 'x-kubernetes-int-or-string': true },
      'true',
      ['spec.x: Invalid value: "boolean": spec.x in body must be of type integer,string: "boolean"'],
    ],
    [
      'too few items',
      { type: 'array', items: { type: 'string' }, minItems: 2 },
      '["a"]',
      ['spec.x: Invalid value: 1: spec.x in body should have at least 2 items'],
    ],
    [
      'too few fields',
      { type: 'object', minProperties: 1, additionalProperties: true },
      '{}',
      ['spec.x: Invalid value: 0: spec.x in body should have at least 1 properties'],
    ],
    [
      'values of a map',
      { type: 'object', additionalProperties: { type: 'string' } },
      '{"a.b":1}',
      ['spec.x.a.b: Invalid value: "integer": spec.x.a.b in body must be of type string: "integer"'],
    ],
    ['a field that is required', { type: 'object', required: ['a'] }, '{}', ['spec.x.a: Required value']],
    [
      'a place in a list',
      { type: 'array', items: { type: 'string' } },
      '["a",1]',
      ['spec.x[1]: Invalid value: "integer": spec.x[1] in body must be of type string: "integer"'],
    ],
    [
      'no branch of oneOf',
      { type: 'object', oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      '{}',
      [
        '<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found none valid',
        'spec.x.a: Required value',
      ],
    ],
    [
      'two branches of oneOf',
      { type: 'integer', oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      '3',
      ['<nil>: Invalid value: "": "spec.x" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      'the negation',
      { type: 'integer', not: { enum: [3] } },
      '3',
      ['<nil>: Invalid value: "": "spec.x" must not validate the schema (not)'],
    ],
    [
      'a set',
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      '["a","b","a","a"]',
      ['spec.x[2]: Duplicate value: "a"'],
    ],
    [
      'a list of type map',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['n', 'm'],
        items: { type: 'object' },
      },
      '[{"n":1},{"n":1,"m":2},{"n":1}]',
      ['spec.x[2]: Duplicate value: {"n":1}'],
    ],
    [
      'an embedded resource',
      { type: 'object', 'x-kubernetes-embedded-resource': true },
      '{"kind":"a b","metadata":{"name":"x/y"}}',
      [
        'spec.x.apiVersion: Required value: must not be empty',
        expect.stringContaining(
          'spec.x.kind: Invalid value: "a b": may have mixed case, but should otherwise match: a DNS-1035 label',
        ),
        'spec.x.metadata.name: Invalid value: "x/y": may not contain \'/\'',
      ],
    ],
  ])('words %s as Kubernetes does', (_, schema, json, expected) => {
    expect(x(schema, json)).toEqual(expected)
  })

  test('too many items and fields carry their number as the value', () => {
    const schema = schemaOf({ type: 'array', items: { type: 'string' }, maxItems: 2 })
    expect(validate(schema, { spec: ['a', 'b', 'c'] })).toEqual([
      { code: 'FieldValueTooMany', path: 'spec', value: 3, detail: 'must have at most 2 items' },
    ])
  })

  test('a pattern costs time linear in the text', () => {
    const match = (size: number): void =>
      expect(x({ type: 'string', pattern: '^(a+)+$' }, JSON.stringify(`${'a'.repeat(size)}!`))).toHaveLength(1)
    expect(growth(match, 5_000, 10)).toBeLessThan(50)
  })
})

describe('validateUpdate', () => {
  const schema = schemaOf({
    type: 'object',
    required: ['needed'],
    properties: {
      small: { type: 'integer', maximum: 1 },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: { type: 'object', properties: { name: { type: 'string' }, size: { type: 'integer', maximum: 1 } } },
      },
      atomic: { type: 'array', items: { type: 'integer', maximum: 1 } },
    },
  })
  const update = (from: JsonObject, to: JsonObject): readonly string[] =>
    validateUpdate(schema, { spec: to }, { spec: from }).map(sentence)

  test('forgives a field that was wrong before and did not change', () => {
    expect(update({ needed: 1, small: 5 }, { needed: 2, small: 5 })).toEqual([])
    expect(update({ needed: 1, small: 5 }, { needed: 2, small: 6 })).toHaveLength(1)
    expect(update({ needed: 1 }, { needed: 1, small: 6 })).toHaveLength(1)
  })

  test('compares items of a list of type map by their keys', () => {
    const [a, b] = [
      { name: 'a', size: 5 },
      { name: 'b', size: 6 },
    ]
    expect(update({ needed: 1, map: [a, b] }, { needed: 1, map: [b, a, { name: 'c', size: 0 }] })).toEqual([])
    expect(update({ needed: 1, map: [a] }, { needed: 1, map: [{ name: 'a', size: 6 }] })).toEqual([
      'spec.map[0].size: Invalid value: 6: spec.map[0].size in body should be less than or equal to 1',
    ])
  })

  test('compares other lists only as a whole', () => {
    expect(update({ needed: 1, atomic: [5, 1] }, { needed: 2, atomic: [5, 1] })).toEqual([])
    expect(update({ needed: 1, atomic: [5, 1] }, { needed: 2, atomic: [5, 0] })).toHaveLength(1)
  })

  test('an unchanged object may miss what is required', () => {
    expect(update({}, {})).toEqual([])
    expect(update({}, { small: 0 })).toEqual(['spec.needed: Required value'])
  })

  test('repetitions that were there before are forgiven', () => {
    const [one, two] = [{ name: 'a' }, { name: 'a' }]
    expect(update({ needed: 1, map: [one, two] }, { needed: 1, map: [one, two, { name: 'b' }] })).toEqual([])
    expect(update({ needed: 1 }, { needed: 1, map: [one, two] })).toEqual([
      'spec.map[1]: Duplicate value: {"name":"a"}',
    ])
  })
})

describe('rules', () => {
  const schema = readStructural({
    type: 'object',
    'x-kubernetes-validations': [{ rule: 'root' }],
    properties: {
      spec: {
        type: 'object',
        properties: {
          list: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            items: {
              type: 'object',
              required: ['k'],
              'x-kubernetes-validations': [{ rule: 'item' }],
              properties: { k: { type: 'string' } },
            },
          },
        },
      },
    },
  })
  const collect = (object: unknown, old?: unknown): readonly string[] => {
    const seen: string[] = []
    const evaluate = (place: RulePlace) => {
      seen.push(`${place.path} ${JSON.stringify(place.old ?? null)} ${place.isUnchanged()}`)
      return { errors: [] }
    }
    if (old === undefined) validate(schema, object, { evaluate })
    else validateUpdate(schema, object, old, { evaluate })
    return seen
  }

  test('are evaluated for each value that has some, beside what it replaces', () => {
    expect(collect({ spec: { list: [{ k: 'a' }] } })).toEqual(['<nil> null false', 'spec.list[0] null false'])
    expect(collect({ spec: { list: [{ k: 'b' }, { k: 'a' }] } }, { spec: { list: [{ k: 'a' }] } })).toEqual([
      '<nil> {"spec":{"list":[{"k":"a"}]}} false',
      'spec.list[0] null false',
      'spec.list[1] {"k":"a"} true',
    ])
  })

  test('wait until the types are right', () => {
    const errors = validate(schema, { spec: { list: [{}] } }, { evaluate: () => ({ errors: [] }) })
    expect(errors.map(sentence)).toEqual([
      'spec.list[0].k: Required value',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ])
  })

  test('stop when the evaluator says so', () => {
    let calls = 0
    const evaluate = () => {
      calls++
      return { errors: [], stop: true }
    }
    validate(schema, { spec: { list: [{ k: 'a' }] } }, { evaluate })
    expect(calls).toBe(1)
  })
})
