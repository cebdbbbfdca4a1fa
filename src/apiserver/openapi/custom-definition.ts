import { isObject, type JsonObject } from '../../machinery/object.ts'
import type { ServedResource } from '../resource/served-resource.ts'
import { API_VERSION, KIND, METADATA } from './field-sentences.ts'
import { LIST_META, listTypeNameOf, OBJECT_META, refTo, typeNameOf } from './type-name.ts'

export type OpenApiDefinitions = Readonly<Record<string, JsonObject>>

const identity = (meta: string): JsonObject => ({
  apiVersion: { type: 'string', description: API_VERSION },
  kind: { type: 'string', description: KIND },
  metadata: { ...refTo(meta), description: METADATA },
})

/** The definitions of a custom resource and of its list: its schema, and the fields that every object has. */
export function customDefinitions(resource: ServedResource): OpenApiDefinitions {
  const { group, version, kind, listKind, schema } = resource
  const ofKind = (name: string) => ({ 'x-kubernetes-group-version-kind': [{ group, kind: name, version }] })
  const { properties, ...rest } = schema === undefined ? {} : withEmbedded(schema)
  const known =
    schema === undefined
      ? // With some properties and not others kubectl would take the rest for mistakes.
        { type: 'object' }
      : {
          ...rest,
          type: 'object',
          properties: { ...(isObject(properties) ? properties : {}), ...identity(OBJECT_META) },
        }
  return {
    [typeNameOf(resource)]: { ...known, ...ofKind(kind) },
    [listTypeNameOf(resource)]: {
      type: 'object',
      required: ['items'],
      properties: { ...identity(LIST_META), items: { type: 'array', items: refTo(typeNameOf(resource)) } },
      ...ofKind(listKind),
    },
  }
}

/** Gives embedded resources the fields that every object has. */
function withEmbedded(schema: JsonObject): JsonObject {
  return mapChildren(schema, (child) => {
    const inner = withEmbedded(child)
    if (child['x-kubernetes-embedded-resource'] !== true) return inner
    return {
      ...inner,
      properties: { ...(isObject(inner['properties']) ? inner['properties'] : {}), ...identity(OBJECT_META) },
    }
  })
}

const DROPPED = new Set(['oneOf', 'anyOf', 'allOf', 'not', 'nullable', 'default', 'x-kubernetes-validations'])
const STRUCTURE = new Set(['properties', 'items', 'additionalProperties', 'required'])

/**
 * The definition of a kind, or of its list, in OpenAPI v2. A kind that keeps whatever it is given is any object there, without
 * saying more of itself: upstream publishes no `x-kubernetes-preserve-unknown-fields` at the root.
 */
export function rootInOpenApiV2(definition: JsonObject): JsonObject {
  if (definition['x-kubernetes-preserve-unknown-fields'] !== true) return toOpenApiV2(definition)
  const { type, 'x-kubernetes-group-version-kind': kinds } = definition
  return { type, 'x-kubernetes-group-version-kind': kinds }
}

/**
 * Describes as much of a custom resource's schema as OpenAPI v2 can. The rest is left open, never narrowed: clients
 * that validate with it would refuse good objects otherwise. So nullable fields and int-or-strings lose their type, and
 * fields that keep unknown members lose their properties.
 */
export function toOpenApiV2(schema: JsonObject): JsonObject {
  const untyped = schema['nullable'] === true || schema['x-kubernetes-int-or-string'] === true
  const open = untyped || schema['x-kubernetes-preserve-unknown-fields'] === true
  const kept = Object.entries(schema).filter(
    ([key]) => !DROPPED.has(key) && !(untyped && key === 'type') && !(open && STRUCTURE.has(key)),
  )
  return mapChildren(Object.fromEntries(kept), toOpenApiV2)
}

/** Copies a schema with its direct subschemas replaced. */
function mapChildren(schema: JsonObject, replace: (child: JsonObject) => JsonObject): JsonObject {
  const { properties, items, additionalProperties } = schema
  return {
    ...schema,
    ...(isObject(properties)
      ? {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, child]) => [name, isObject(child) ? replace(child) : child]),
          ),
        }
      : {}),
    ...(isObject(items) ? { items: replace(items) } : {}),
    ...(isObject(additionalProperties) ? { additionalProperties: replace(additionalProperties) } : {}),
  }
}
