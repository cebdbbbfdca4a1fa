// Covers collection.ts, custom-resource.ts, object-schema.ts, scalar-type.ts and schema.ts together.
import { describe, expect, expectTypeOf, test } from 'vitest'
import { rawNumber } from '../../machinery/json-value.ts'
import { listOf, mapOf, type ResourceListJson, resourceList } from './collection.ts'
import { customResource, type ObjectOf } from './custom-resource.ts'
import { labelSelector } from './label-selector-type.ts'
import { object } from './object-schema.ts'
import { boolean, choice, integer, quantity, text } from './scalar-type.ts'
import { defaulted, optional, type TypeOf, withDescription } from './schema.ts'

const crew = object('Who works there.', {
  name: text('Its name.', { maxLength: 63 }),
  size: optional(integer('How many.', { format: 'int32', minimum: 1 })),
  shift: choice('When.', ['Day', 'Night'], 'Day'),
})

const berth = object('Where a ship lies.', {
  length: quantity('How long.'),
  lights: defaulted(object('What shines.', { on: defaulted(boolean('Whether it does.'), true) }), {}),
  crews: optional(listOf('Who works there.', crew)),
  cargo: optional(mapOf('What lies there.', resourceList('One owner’s.'))),
})

describe('the schema for API servers', () => {
  test('lists what is required, sorted, and holds defaults', () => {
    expect(berth.openapi).toMatchObject({
      type: 'object',
      description: 'Where a ship lies.',
      required: ['length'],
      properties: {
        lights: { default: {}, properties: { on: { type: 'boolean', default: true } } },
        crews: { type: 'array', items: { required: ['name', 'shift'] } },
      },
    })
    expect(object('Nothing is required.', { on: optional(boolean()) }).openapi).not.toHaveProperty('required')
  })

  test('has amounts as int-or-string with the pattern of Kubernetes', () => {
    expect(quantity('How long.').openapi).toEqual({
      description: 'How long.',
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern:
        '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
      'x-kubernetes-int-or-string': true,
    })
  })

  test('says where lists and maps have one owner', () => {
    expect(labelSelector.openapi).toMatchObject({
      'x-kubernetes-map-type': 'atomic',
      properties: {
        matchLabels: { additionalProperties: { type: 'string' } },
        matchExpressions: {
          'x-kubernetes-list-type': 'atomic',
          items: { required: ['key', 'operator'], properties: { values: { 'x-kubernetes-list-type': 'atomic' } } },
        },
      },
    })
  })

  test('takes another description for a field of a shared type', () => {
    const described = withDescription('The night watch.', crew)
    expect(described.openapi).toEqual({ ...crew.openapi, description: 'The night watch.' })
    expect(described.read).toBe(crew.read)
  })
})

test('the type of a schema is readonly, with the optional fields optional and the defaulted ones there', () => {
  expectTypeOf<TypeOf<typeof berth>>().toEqualTypeOf<{
    readonly length: string | number
    readonly lights: { readonly on: boolean }
    readonly crews?: readonly { readonly name: string; readonly size?: number; readonly shift: 'Day' | 'Night' }[]
    readonly cargo?: Readonly<Record<string, ResourceListJson>>
  }>()
  expect(berth.blank).toEqual({ length: '0', lights: { on: true } })
})

describe('an object that was read', () => {
  test('is the same object when nothing is missing, with the fields that are unknown here', () => {
    const full = {
      length: 200,
      lights: { on: false },
      crews: [{ name: 'a', size: 3, shift: 'Night' }],
      cargo: { a: { tea: '4' } },
      fromTomorrow: { x: [null] },
    }
    expect(berth.read(full)).toBe(full)
  })

  test('has the defaults of what is missing or null, and shares the rest', () => {
    const crews = [{ name: 'a', shift: 'Day' }]
    const read = berth.read({ length: '1', lights: null, crews })
    expect(read).toEqual({ length: '1', lights: { on: true }, crews })
    expect(read?.crews).toBe(crews)
    expect(berth.read({ length: '1', lights: {} })?.lights).toEqual({ on: true })
  })

  test('has blanks for what is required and missing all the same', () => {
    expect(berth.read({ crews: [{}, null, 'x'] })).toEqual({
      length: '0',
      lights: { on: true },
      crews: [{ name: '', shift: 'Day' }],
    })
  })

  test('lacks what is of another type', () => {
    expect(berth.read('x')).toBeUndefined()
    expect(berth.read({ length: true, crews: {}, cargo: [] })).toEqual({ length: '0', lights: { on: true } })
    expect(crew.read({ name: 5, size: 'many', shift: 'Noon' })).toEqual({ name: '', shift: 'Day' })
    expect(berth.read({ length: '1', cargo: { a: null, b: { tea: 1, ink: true }, c: 'x' } })?.cargo).toEqual({
      b: { tea: 1 },
    })
  })

  test('keeps every digit of its amounts', () => {
    const large = '123456789012345678901'
    expect(berth.read({ length: rawNumber(large) })?.length).toBe(large)
    expect(integer().read(rawNumber('2.0'))).toBe(2)
  })

  test('may have any names in its maps', () => {
    const cargo = mapOf(undefined, quantity()).read(
      JSON.parse('{"__proto__": "1", "constructor": "2", "toString": null}'),
    )
    expect(Object.entries(cargo ?? {})).toEqual([
      ['__proto__', '1'],
      ['constructor', '2'],
    ])
    expect(berth.read(Object.create({ length: '5' }) as object)).toMatchObject({ length: '0' })
  })
})

describe('a kind', () => {
  const berths = customResource({
    group: 'harbour.test',
    version: 'v1',
    kind: 'Berth',
    plural: 'berths',
    shortNames: ['b'],
    namespaced: true,
    description: 'A berth.',
    columns: [{ name: 'Length', type: 'string', description: 'How long', jsonPath: '.spec.length' }],
    spec: berth,
    status: object('What is seen of it.', { ships: defaulted(integer(), 0) }),
  })

  test('gives its whole definition', () => {
    expect(berths.crd).toMatchObject({
      apiVersion: 'apiextensions.k8s.io/v1',
      metadata: { name: 'berths.harbour.test' },
      spec: {
        group: 'harbour.test',
        scope: 'Namespaced',
        names: { kind: 'Berth', listKind: 'BerthList', plural: 'berths', singular: 'berth', shortNames: ['b'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {} },
            additionalPrinterColumns: [{ name: 'Length', jsonPath: '.spec.length' }],
            schema: {
              openAPIV3Schema: {
                required: ['spec'],
                properties: { metadata: { type: 'object' }, spec: berth.openapi, status: { type: 'object' } },
              },
            },
          },
        ],
      },
    })
  })

  test('reads its objects: the spec is always there, the status once there is one', () => {
    const metadata = { name: 'a' }
    const read = berths.read({ apiVersion: 'harbour.test/v0', kind: 'Other', metadata })
    expectTypeOf(read).toEqualTypeOf<ObjectOf<typeof berths>>()
    expect(read).toEqual({ apiVersion: 'harbour.test/v1', kind: 'Berth', metadata, spec: berth.blank })
    expect(read.metadata).toBe(metadata)
    expect(berths.read({ ...read, status: {} }).status).toEqual({ ships: 0 })
  })
})
