import { Ajv, type SchemaObject } from 'ajv'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/machinery/object.ts'
import { applyDefaults } from '../../src/schema/structural/defaults/apply.ts'
import { compileStructural } from '../../src/schema/structural/compile.ts'
import { prune } from '../../src/schema/structural/defaults/prune-unknown.ts'
import { readStructural } from '../../src/schema/structural/read-schema.ts'
import { validateUpdate, validateValue } from '../../src/schema/structural/value/validate.ts'

const names = fc.constantFrom('a', 'b', 'c')
const small = fc.integer({ min: 0, max: 3 })
const texts = fc.constantFrom('', 'a', 'ab', 'abc', '😀', 'b1')
const numbers = fc.oneof(fc.integer({ min: -3, max: 12 }), fc.constantFrom(0.5, 2.5, -1.25))

/** Limits that stand alone and below junctors. Bounds are whole: upstream cuts others when it compares integers. */
const limits = fc.record(
  {
    maxLength: small,
    minLength: small,
    pattern: fc.constantFrom('^a', 'b', '[0-9]$'),
    maximum: fc.integer({ min: 0, max: 10 }),
    exclusiveMaximum: fc.boolean(),
    minimum: fc.integer({ min: -2, max: 5 }),
    exclusiveMinimum: fc.boolean(),
    multipleOf: fc.integer({ min: 1, max: 3 }),
    maxItems: small,
    minItems: small,
    maxProperties: small,
    minProperties: small,
    required: fc.uniqueArray(names, { maxLength: 2 }),
  },
  { requiredKeys: [] },
)

const LIMITS: Readonly<Record<string, readonly string[]>> = {
  string: ['maxLength', 'minLength', 'pattern'],
  integer: ['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'multipleOf'],
  number: ['maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'multipleOf'],
  boolean: [],
  array: ['maxItems', 'minItems'],
  object: ['maxProperties', 'minProperties', 'required'],
}

const ofType = (type: string, given: JsonObject): JsonObject => ({
  type,
  ...Object.fromEntries(Object.entries(given).filter(([name]) => LIMITS[type]?.includes(name))),
})

const junctor = fc.record(
  {
    allOf: fc.array(limits, { minLength: 1, maxLength: 2 }),
    anyOf: fc.array(limits, { minLength: 1, maxLength: 2 }),
    oneOf: fc.array(limits, { minLength: 1, maxLength: 3 }),
    not: limits,
  },
  { requiredKeys: [] },
)
const rarely = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | object> =>
  fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary })

const { schemas } = fc.letrec<{ schemas: JsonObject }>((tie) => {
  const scalar = fc.oneof(
    fc
      .tuple(fc.constantFrom('integer', 'number', 'boolean', 'string'), limits)
      .map(([type, given]) => ofType(type, given)),
    fc.uniqueArray(texts, { minLength: 1, maxLength: 2 }).map((list) => ({ type: 'string', enum: list })),
    fc.constant({ 'x-kubernetes-int-or-string': true }),
  )
  const list = fc.tuple(limits, tie('schemas')).map(([given, items]) => ({ ...ofType('array', given), items }))
  const struct = fc
    .tuple(limits, fc.dictionary(names, tie('schemas')))
    .map(([given, properties]) => ({ ...ofType('object', given), properties }))
  const map = fc
    .tuple(limits, tie('schemas'))
    .map(([given, additionalProperties]) => ({ ...ofType('object', given), additionalProperties }))
  return {
    schemas: fc
      .tuple(
        fc.oneof({ maxDepth: 3 }, scalar, scalar, list, struct, struct, map),
        rarely(junctor),
        rarely(fc.constant({ nullable: true })),
      )
      .map(([schema, more, nullable]) => ({ ...schema, ...more, ...('enum' in schema ? {} : nullable) })),
  }
})

const { values } = fc.letrec<{ values: unknown }>((tie) => ({
  values: fc.oneof(
    { maxDepth: 4 },
    texts,
    numbers,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('values'), { maxLength: 3 }),
    fc.dictionary(names, tie('values')),
    fc.dictionary(names, tie('values')),
  ),
}))

/** A value that fits the schema's types often enough to reach the limits. */
function valueFor(schema: JsonObject): fc.Arbitrary<unknown> {
  const { type, items, properties, additionalProperties } = schema as {
    type?: string
    items?: JsonObject
    properties?: Record<string, JsonObject>
    additionalProperties?: JsonObject
  }
  const fitting = ((): fc.Arbitrary<unknown> => {
    if (type === 'string') return texts
    if (type === 'boolean') return fc.boolean()
    if (type === 'array' && items !== undefined) return fc.array(valueFor(items), { maxLength: 3 })
    if (additionalProperties !== undefined) return fc.dictionary(names, valueFor(additionalProperties), { maxKeys: 2 })
    if (type !== 'object') return numbers
    const fields = Object.entries(properties ?? {}).map(([name, child]) => [name, valueFor(child)] as const)
    return fc.record(Object.fromEntries(fields), { requiredKeys: [] })
  })()
  return fc.oneof({ weight: 20, arbitrary: fitting }, { weight: 1, arbitrary: values })
}

const cases = schemas.chain((schema) => fc.tuple(fc.constant(schema), valueFor(schema)))

const manyValues = schemas.chain((schema) =>
  fc.tuple(fc.constant(schema), fc.array(valueFor(schema), { minLength: 20, maxLength: 20 })),
)

/** The same schema in JSON schema's words of draft 7. */
function draft7(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(draft7)
  if (typeof schema !== 'object' || schema === null) return schema
  const own: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(schema)) {
    own[name] =
      name === 'properties' ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, draft7(v)])) : draft7(value)
  }
  for (const [bound, exclusive] of [
    ['maximum', 'exclusiveMaximum'],
    ['minimum', 'exclusiveMinimum'],
  ] as const) {
    const isExclusive = own[exclusive] === true && own[bound] !== undefined
    delete own[exclusive]
    if (!isExclusive) continue
    own[exclusive] = own[bound]
    delete own[bound]
  }
  if (own['x-kubernetes-int-or-string'] === true) own['type'] = ['integer', 'string']
  delete own['x-kubernetes-int-or-string']
  if (own['nullable'] !== true) return own
  delete own['nullable']
  // Kubernetes looks at nothing else when a null may be.
  return { anyOf: [{ type: 'null' }, own] }
}

describe('generated schemas and values', () => {
  test('are accepted and refused as ajv does', () => {
    const ajv = new Ajv({ strict: false, unicodeRegExp: true, addUsedSchema: false })
    let refused = 0
    let total = 0
    fc.assert(
      // Several values for each schema, because ajv takes milliseconds to compile one.
      fc.property(manyValues, ([schema, list]) => {
        const expected = ajv.compile(draft7(schema) as SchemaObject)
        const compiled = readStructural(schema)
        for (const value of list) {
          const errors = validateValue(compiled, value)
          total++
          if (errors.length > 0) refused++
          expect(errors.length === 0, JSON.stringify([schema, value, errors])).toBe(expected(value))
        }
      }),
      { numRuns: 60 },
    )
    expect(refused).toBeGreaterThan(0)
    expect(refused).toBeLessThan(total)
  })

  test('are structural, and pruned and defaulted once and for all', () => {
    fc.assert(
      fc.property(cases, ([schema, value]) => {
        const root = { type: 'object', properties: { x: schema } }
        expect(compileStructural(root, { path: 'p' }).ok).toBe(true)
        const compiled = readStructural(root)
        const object = { x: value }
        const before = JSON.stringify(object)
        const pruned = prune(compiled, object).object
        const defaulted = applyDefaults(compiled, pruned)
        expect(JSON.stringify(object)).toBe(before)
        expect(prune(compiled, pruned)).toEqual({ object: pruned, unknown: [] })
        expect(applyDefaults(compiled, defaulted)).toBe(defaulted)
        // Everything that is left is known, so an update that changes nothing is never refused.
        expect(validateUpdate(compiled, { ...(defaulted as object) }, defaulted)).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})
