import { isTree, setOwn } from '../json-value.ts'
import { DROP, mapItems, mapMembers } from './share-unchanged.ts'
import type { StructuralSchema } from './structural-schema.ts'

/**
 * What an API server makes of an object before it validates it: a null that may not be one goes, or becomes the default
 * where there is one; then missing fields get theirs. Items of lists stay, null or not. Shares whatever did not change, and
 * the defaults themselves. `keepsNulls`: what a server-side apply made has a null without a default still, to be refused.
 */
export function applyDefaults(schema: StructuralSchema, object: unknown, keepsNulls = false): unknown {
  return complete(schema, object, keepsNulls ? null : DROP)
}

/** `instead`: what becomes of a null that may not be one and has no default. */
function complete(schema: StructuralSchema | undefined, value: unknown, instead: unknown): unknown {
  if (typeof value !== 'object' || schema === undefined) return value
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return value
    return mapItems(value, (item) => (item === null ? withoutNull(items, null) : complete(items, item, instead)))
  }
  if (!isTree(value)) return value
  const { properties, additionalProperties } = schema
  const completed = mapMembers(value, (key, member) => {
    if (typeof member !== 'object') return member
    const child = properties.get(key) ?? additionalProperties
    if (typeof child !== 'object') return member
    return member === null ? withoutNull(child, instead) : complete(child, member, instead)
  })
  return schema.fieldDefaults.length === 0 ? completed : withMissing(schema, completed)
}

/** What a null becomes: itself where it may be, else the default, else what is given. */
function withoutNull(schema: StructuralSchema, otherwise: unknown): unknown {
  if (schema.nullable) return null
  return schema.default === undefined ? otherwise : schema.default
}

function withMissing(
  schema: StructuralSchema,
  object: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  let result: Record<string, unknown> | undefined
  for (const [name, value] of schema.fieldDefaults) {
    if (Object.hasOwn(object, name)) continue
    result ??= { ...object }
    setOwn(result, name, value)
  }
  return result ?? object
}
