import type { JSONSchemaProps, ValidationRule } from '../../../builtin/apiextensions-v1.ts'
import { isTree } from '../../../machinery/json-value.ts'

/** Readers of the schemas in a schema. A member of the wrong type counts as absent: the body was decoded before. */

type Member = keyof JSONSchemaProps

export function schemaOf(schema: JSONSchemaProps, name: Member): JSONSchemaProps | undefined {
  const value = schema[name]
  return isTree(value) ? value : undefined
}

export function schemasOf(schema: JSONSchemaProps, name: Member): readonly JSONSchemaProps[] {
  const value: unknown = schema[name]
  return Array.isArray(value) ? value.filter(isTree) : []
}

export function membersOf(schema: JSONSchemaProps, name: Member): readonly (readonly [string, JSONSchemaProps])[] {
  const value: unknown = schema[name]
  return isTree(value) ? Object.entries(value).map(([key, member]) => [key, isTree(member) ? member : {}] as const) : []
}

/** The CEL rules of a schema. */
export function validationsOf(schema: JSONSchemaProps): readonly ValidationRule[] {
  const value: unknown = schema['x-kubernetes-validations']
  return Array.isArray(value) ? value.filter(isTree) : []
}
