import { describe, expect, test } from 'vitest'
import { customDefinitions, rootInOpenApiV2, toOpenApiV2 } from './custom-definition.ts'

const widgets = {
  group: 'example.com',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  listKind: 'WidgetList',
  singular: 'widget',
  namespaced: true,
  custom: true,
  verbs: [],
  subresources: [],
}

describe('the definition of a custom resource', () => {
  test('without a schema is an object of which nothing more is known', () => {
    expect(customDefinitions(widgets)['com.example.v1.Widget']).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Widget', version: 'v1' }],
    })
  })

  test('completes metadata that the schema only hints at', () => {
    const schema = { type: 'object', properties: { metadata: { type: 'object' }, spec: { type: 'string' } } }
    const { properties } = customDefinitions({ ...widgets, schema })['com.example.v1.Widget'] ?? {}
    expect(properties).toMatchObject({
      spec: { type: 'string' },
      metadata: { $ref: '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    })
  })

  test('gives embedded resources the fields of every object', () => {
    const template = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: { type: 'object' } },
    }
    const schema = { type: 'object', properties: { list: { type: 'array', items: template } } }
    const { properties } = customDefinitions({ ...widgets, schema })['com.example.v1.Widget'] ?? {}
    expect(Object.keys((properties as { list: { items: { properties: object } } }).list.items.properties)).toEqual([
      'spec',
      'apiVersion',
      'kind',
      'metadata',
    ])
  })
})

describe('in OpenAPI v2', () => {
  test('a kind that keeps whatever it is given is any object', () => {
    const schema = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'string' } },
    }
    expect(rootInOpenApiV2(customDefinitions({ ...widgets, schema })['com.example.v1.Widget'] ?? {})).toEqual({
      type: 'object',
      'x-kubernetes-group-version-kind': [{ group: 'example.com', kind: 'Widget', version: 'v1' }],
    })
  })

  test('a field that keeps unknown members has no properties', () => {
    const schema = {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      properties: { a: { type: 'string' } },
    }
    expect(toOpenApiV2({ type: 'object', properties: { open: schema } })).toEqual({
      type: 'object',
      properties: { open: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
    })
  })

  test('a nullable object and an int-or-string have no type', () => {
    const nullable = { type: 'object', nullable: true, properties: { a: { type: 'string' } }, required: ['a'] }
    const port = { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }
    expect(toOpenApiV2({ type: 'object', additionalProperties: nullable, properties: { port } })).toEqual({
      type: 'object',
      additionalProperties: {},
      properties: { port: { 'x-kubernetes-int-or-string': true } },
    })
  })

  test('a property may be called like a keyword', () => {
    const schema = {
      type: 'object',
      properties: { default: { type: 'string' }, items: { type: 'array', items: { type: 'string', default: 'a' } } },
    }
    expect(toOpenApiV2(schema)).toEqual({
      type: 'object',
      properties: { default: { type: 'string' }, items: { type: 'array', items: { type: 'string' } } },
    })
  })
})
