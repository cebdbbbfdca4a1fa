import { isTree, numberText } from '../../../machinery/json-value.ts'
import type { JsonObject } from '../../../machinery/object.ts'

/** Readers of a JSON schema's members. A member of the wrong type counts as absent: the body was decoded before. */

export function textOf(schema: JsonObject, name: string): string {
  const value = schema[name]
  return typeof value === 'string' ? value : ''
}

export function flagOf(schema: JsonObject, name: string): boolean {
  return schema[name] === true
}

/** A number as the float64 that Kubernetes reads it into. */
export function numberOf(schema: JsonObject, name: string): number | undefined {
  const text = numberText(schema[name])
  return text === undefined ? undefined : Number(text)
}

export function schemaOf(schema: JsonObject, name: string): JsonObject | undefined {
  const value = schema[name]
  return isTree(value) ? value : undefined
}

export function schemasOf(schema: JsonObject, name: string): readonly JsonObject[] {
  const value = schema[name]
  return Array.isArray(value) ? value.filter(isTree) : []
}

export function membersOf(schema: JsonObject, name: string): readonly (readonly [string, JsonObject])[] {
  const value = schema[name]
  return isTree(value) ? Object.entries(value).map(([key, member]) => [key, isTree(member) ? member : {}] as const) : []
}

export function textsOf(schema: JsonObject, name: string): readonly string[] {
  const value = schema[name]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

export function listOf(schema: JsonObject, name: string): readonly unknown[] {
  const value = schema[name]
  return Array.isArray(value) ? value : []
}

/** Is the member there, and not null? */
export function has(schema: JsonObject, name: string): boolean {
  return (schema[name] ?? null) !== null
}
