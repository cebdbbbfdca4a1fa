import type { FieldError } from '../machinery/field-error.ts'
import { isTree } from '../machinery/json-value.ts'
import type { JsonObject } from '../machinery/object.ts'
import { prune } from '../schema/structural/defaults/prune-unknown.ts'
import { unknownField } from '../schema/structural/defaults/unknown-field.ts'
import { readStructural } from '../schema/structural/read-schema.ts'
import { validateValue } from '../schema/structural/value/validate.ts'
import { chartValues } from './chart-values.ts'

/** All values, or everything that is wrong with those that were given. */
export type ValuesResult =
  | { readonly values: JsonObject; readonly errors?: undefined }
  | { readonly errors: readonly FieldError[] }

/** The values of an installation for which nothing is given. */
export const defaultValues = (): JsonObject => chartValues.read({}) ?? chartValues.blank

/** Lays values that were given over the defaults as Helm does: objects member by member, null takes a member away. */
export function readValues(given: unknown): ValuesResult {
  const values = merged(defaultValues(), given ?? {})
  const schema = readStructural(withRequired(chartValues.openapi))
  const { unknown } = prune(schema, values, { root: false })
  const errors = [...validateValue(schema, values), ...unknown.map(unknownField)]
  return errors.length === 0 && isTree(values) ? { values } : { errors }
}

/** Every value has a default, so one is missing only where null takes it away. Templates rely on all. */
export function withRequired(schema: JsonObject): JsonObject {
  const { properties } = schema
  if (!isTree(properties)) return schema
  const fields = Object.entries(properties).flatMap(([name, field]) => (isTree(field) ? [[name, field] as const] : []))
  return {
    ...schema,
    properties: Object.fromEntries(fields.map(([name, field]) => [name, withRequired(field)])),
    required: fields.filter(([, field]) => 'default' in field).map(([name]) => name),
  }
}

function merged(below: unknown, above: unknown): unknown {
  if (!isTree(below) || !isTree(above)) return above
  const members = Object.entries(above).map(([name, value]) => [
    name,
    Object.hasOwn(below, name) ? merged(below[name], value) : value,
  ])
  const all: Record<string, unknown> = { ...below, ...Object.fromEntries(members) }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null))
}
