import { isTree, setOwn } from '../../../machinery/json-value.ts'
import { failure } from '../../../machinery/status.ts'
import { DefaultsAllowance, MOST_ADDED, TooManyDefaults } from './allowance.ts'
import { DROP, mapItems, mapMembers } from './share-unchanged.ts'
import type { StructuralSchema } from '../value/structural-schema.ts'

/**
 * Prepares an object as an API server does before validation: a null where none is allowed is removed, or becomes the default
 * where there is one; then missing fields get theirs. Items of lists stay, null or not. Shares whatever did not change, and
 * the defaults themselves. `keepsNulls`: what a server-side apply made has a null without a default still, to be refused.
 * Throws 413 where the defaults add more than any object may hold; upstream adds them all, and fails to store the object.
 */
export function applyDefaults(schema: StructuralSchema, object: unknown, keepsNulls = false): unknown {
  const completed = affordableDefaults(schema, object, keepsNulls)
  if (completed !== undefined) return completed
  throw failure(
    413,
    'RequestEntityTooLarge',
    `the defaults of the schema would add more than ${MOST_ADDED} bytes to the object, which is more than is stored`,
  )
}

/** As `applyDefaults`; `undefined` where the defaults add too much. */
export function affordableDefaults(schema: StructuralSchema, object: unknown, keepsNulls = false): unknown {
  if (!schema.holds.defaults) return complete(schema, object, { instead: keepsNulls ? null : DROP, allowance: NONE })
  try {
    return applyDefaultsWithin(schema, object, new DefaultsAllowance(MOST_ADDED), keepsNulls)
  } catch (error) {
    if (error instanceof TooManyDefaults) return undefined
    throw error
  }
}

/** As `applyDefaults`, taking from an allowance. Throws `TooManyDefaults`. */
export const applyDefaultsWithin = (
  schema: StructuralSchema,
  object: unknown,
  allowance: DefaultsAllowance,
  keepsNulls = false,
): unknown => complete(schema, object, { instead: keepsNulls ? null : DROP, allowance })

interface Filling {
  /** The replacement of a null where none is allowed and there is no default. */
  readonly instead: unknown
  readonly allowance: DefaultsAllowance
}

/** For a schema without defaults. */
const NONE = new DefaultsAllowance(0)

function complete(schema: StructuralSchema | undefined, value: unknown, filling: Filling): unknown {
  if (typeof value !== 'object' || schema === undefined) return value
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return value
    const forNull = { ...filling, instead: null }
    return mapItems(value, (item) => (item === null ? withoutNull(items, forNull) : complete(items, item, filling)))
  }
  if (!isTree(value)) return value
  const { properties, additionalProperties } = schema
  const completed = mapMembers(value, (key, member) => {
    if (typeof member !== 'object') return member
    const child = properties.get(key) ?? additionalProperties
    if (typeof child !== 'object') return member
    return member === null ? withoutNull(child, filling) : complete(child, member, filling)
  })
  return schema.fieldDefaults.length === 0 ? completed : withMissing(schema, completed, filling)
}

/** Returns the replacement of a null: itself where it is allowed, else the default, else `instead`. */
function withoutNull(schema: StructuralSchema, { instead, allowance }: Filling): unknown {
  if (schema.nullable) return null
  if (schema.default === undefined) return instead
  allowance.take(schema.defaultSize)
  return schema.default
}

function withMissing(
  schema: StructuralSchema,
  object: Readonly<Record<string, unknown>>,
  { allowance }: Filling,
): Readonly<Record<string, unknown>> {
  let result: Record<string, unknown> | undefined
  for (const [name, value, size] of schema.fieldDefaults) {
    if (Object.hasOwn(object, name)) continue
    allowance.takeMember(name, size)
    result ??= { ...object }
    setOwn(result, name, value)
  }
  return result ?? object
}
