import { describe, expect, test } from 'vitest'
import { sentence } from '../../machinery/field-error.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { compileStructural } from './compile.ts'

const PATH = 'spec.versions[0].schema.openAPIV3Schema'

/** The sentences, with the schema's own path left out. */
function problems(schema: JsonObject, hasStatus = false): readonly string[] {
  const compiled = compileStructural(schema, { path: PATH, hasStatus })
  return compiled.ok ? [] : compiled.errors.map((error) => sentence(error).replaceAll(PATH, '$'))
}

const object = (properties: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'object', properties, ...more })
const field = (schema: JsonObject): readonly string[] => problems(object({ x: schema }))

describe('compileStructural', () => {
  test('takes a schema of every shape', () => {
    const compiled = compileStructural(
      object(
        {
          metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 10 } } },
          spec: object({
            replicas: { type: 'integer', format: 'int32', default: 1, minimum: 0 },
            port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
            raw: { 'x-kubernetes-preserve-unknown-fields': true },
            labels: { type: 'object', additionalProperties: { type: 'string' } },
            template: {
              type: 'object',
              'x-kubernetes-embedded-resource': true,
              'x-kubernetes-preserve-unknown-fields': true,
            },
            list: {
              type: 'array',
              'x-kubernetes-list-type': 'map',
              'x-kubernetes-list-map-keys': ['name'],
              items: object({ name: { type: 'string' } }, { required: ['name'] }),
            },
          }),
        },
        { 'x-kubernetes-validations': [{ rule: 'self.spec.replicas > 0', fieldPath: '.spec.replicas' }] },
      ),
      { path: PATH },
    )
    expect(compiled.ok && compiled.schema.rules).toMatchObject([{ rule: 'self.spec.replicas > 0', message: '' }])
    expect(compiled.ok && compiled.schema.holds).toEqual({
      defaults: true,
      keyedLists: true,
      embeddedResources: true,
      rules: true,
    })
  })

  test.each<[string, JsonObject, string[]]>([
    ['no type', {}, ['$.properties[x].type: Required value: must not be empty for specified object fields']],
    [
      'an unknown type',
      { type: 'strin' },
      [
        '$.properties[x].type: Unsupported value: "strin": supported values: "array", "boolean", "integer", "number", "object", "string"',
      ],
    ],
    ['no items', { type: 'array' }, ['$.properties[x].items: Required value: must be specified']],
    [
      'items without type',
      { type: 'array', items: {} },
      ['$.properties[x].items.type: Required value: must not be empty for specified array items'],
    ],
    [
      'items for each place',
      { type: 'array', items: [{ type: 'string' }] },
      ['$.properties[x].items: Forbidden: items must be a schema object and not an array'],
    ],
    ['a reference', { type: 'object', $ref: '#/x' }, ['$.properties[x].$ref: Forbidden: $ref is not supported']],
    [
      'fields and additional fields',
      { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
      ['$.properties[x].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive'],
    ],
    [
      'unique items',
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      [
        '$.properties[x].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
      ],
    ],
    [
      'an invalid pattern',
      { type: 'string', pattern: '(?=a)' },
      [
        '$.properties[x].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
      ],
    ],
    [
      'int-or-string that preserves',
      { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
      [
        '$.properties[x].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
      ],
    ],
    [
      'an embedded resource that nothing describes',
      { type: 'object', 'x-kubernetes-embedded-resource': true },
      [
        '$.properties[x].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
      ],
    ],
    [
      'structure below a junctor',
      { type: 'string', anyOf: [{ type: 'string' }, { nullable: true, description: 'x', default: 'a' }] },
      [
        '$.properties[x].anyOf[0].type: Forbidden: must be empty to be structural',
        '$.properties[x].anyOf[1].default: Forbidden: must be undefined to be structural',
        '$.properties[x].anyOf[1].description: Forbidden: must be empty to be structural',
        '$.properties[x].anyOf[1].nullable: Forbidden: must be false to be structural',
      ],
    ],
    [
      'a list of type map without keys',
      { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'map' },
      [
        '$.properties[x].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
        '$.properties[x].items.type: Invalid value: "string": must be object if parent array\'s x-kubernetes-list-type is map',
      ],
    ],
    [
      'a map key that may be missing',
      {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: { type: 'object', properties: { a: { type: 'string' } } },
      },
      [
        '$.properties[x].items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
      ],
    ],
    [
      'a set of granular objects',
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } },
      [
        '$.properties[x].items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
      ],
    ],
    [
      'an invalid map type',
      { type: 'string', 'x-kubernetes-map-type': 'x' },
      [
        '$.properties[x].type: Invalid value: "string": must be object if x-kubernetes-map-type is specified',
        '$.properties[x].x-kubernetes-map-type: Unsupported value: "x": supported values: "atomic", "granular"',
      ],
    ],
    [
      'a default of the wrong type',
      { type: 'integer', default: 'a' },
      ['$.properties[x].default: Invalid value: "string":  in body must be of type integer: "string"'],
    ],
    [
      'a default with an unknown field',
      { type: 'object', properties: { a: { type: 'string' } }, default: { b: 1 } },
      ['$.properties[x].default: Invalid value: {"b":1}: must not have unknown fields'],
    ],
    [
      'rules that are incomplete',
      { type: 'string', 'x-kubernetes-validations': [{ rule: ' ' }, { rule: 'a\nb' }, { rule: 'a', fieldPath: '.b' }] },
      [
        '$.properties[x].x-kubernetes-validations[0].rule: Required value: rule is not specified',
        '$.properties[x].x-kubernetes-validations[1].message: Required value: message must be specified if rule contains line breaks',
        '$.properties[x].x-kubernetes-validations[2].fieldPath: Invalid value: ".b": fieldPath must be a valid path',
      ],
    ],
  ])('refuses %s', (_, schema, expected) => {
    expect(field(schema)).toEqual(expected)
  })

  test('the root is an object whose metadata the schema hardly touches', () => {
    expect(problems({})).toEqual(['$.type: Required value: must not be empty at the root'])
    expect(problems({ type: 'array', items: { type: 'string' } })).toEqual([
      '$.type: Invalid value: "array": must be object at the root',
    ])
    expect(problems({ type: 'object', additionalProperties: { type: 'string' } })).toEqual([
      '$.additionalProperties: Forbidden: must not be used at the root',
    ])
    expect(problems(object({ metadata: object({ labels: { type: 'object' } }) }))).toEqual([
      '$.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ])
    expect(problems(object({ kind: { type: 'string', default: 'X' } }))).toEqual([
      '$.properties[kind].default: Forbidden: must not be set in top-level kind',
    ])
    expect(problems({ type: 'object', nullable: true })).toEqual([
      '$.nullable: Forbidden: nullable cannot be true at the root',
    ])
  })

  test('with a status subresource the root takes few keywords', () => {
    expect(problems(object({}, { description: 'x', 'x-kubernetes-validations': [{ rule: 'true' }] }), true)).toEqual([])
    expect(problems({ type: 'object', minProperties: 1 }, true)[0]).toContain('only [Description Type Format')
  })

  test('fields that junctors constrain must be specified outside of them', () => {
    expect(problems(object({}, { allOf: [{ properties: { a: { minLength: 1 } } }] }))).toEqual([
      '$.properties[a]: Required value: because it is defined in $.allOf[0].properties[a]',
    ])
  })
})
