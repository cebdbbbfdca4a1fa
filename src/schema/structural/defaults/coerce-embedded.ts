import { type FieldError, invalid } from '../../../machinery/field-error.ts'
import { isTree } from '../../../machinery/json-value.ts'
import { decode } from '../../type/decode.ts'
import { DecodeError } from '../../type/decode-error.ts'
import type { Type } from '../../type/type.ts'
import { mapItems, mapMembers } from './share-unchanged.ts'
import type { StructuralSchema } from '../value/structural-schema.ts'

export interface Coerced {
  readonly object: unknown
  /** `unknown field "spec.template.metadata.x"`, sorted. */
  readonly unknown: readonly string[]
  /** The first thing that is of the wrong type; upstream answers it with 400. */
  readonly error: FieldError | undefined
}

/**
 * Brings the metadata of embedded resources into the form that `objectMeta`, the type of `ObjectMeta`, prescribes: unknown
 * fields and nulls go. The root's own metadata is decoded elsewhere. (apiextensions `objectmeta.Coerce`)
 */
export function coerceEmbedded(schema: StructuralSchema, object: unknown, objectMeta: Type): Coerced {
  const state: State = { objectMeta, unknown: [], error: undefined }
  const coerced = coerce(schema, object, '', state)
  return { object: coerced, unknown: state.unknown.toSorted(), error: state.error }
}

interface State {
  readonly objectMeta: Type
  readonly unknown: string[]
  error: FieldError | undefined
}

function coerce(schema: StructuralSchema | undefined, value: unknown, path: string, state: State): unknown {
  if (schema === undefined || !schema.holds.embeddedResources) return value
  if (Array.isArray(value)) return mapItems(value, (item, at) => coerce(schema.items, item, `${path}[${at}]`, state))
  if (!isTree(value)) return value
  return mapMembers(value, (key, member) => {
    const known = schema.properties.get(key)
    const at = known === undefined ? `${path}[${key}]` : child(path, key)
    const own = schema.embeddedResource ? coerceMeta(key, member, child(path, key), state) : member
    const below = known ?? schema.additionalProperties
    return typeof below === 'object' ? coerce(below, own, at, state) : own
  })
}

function coerceMeta(key: string, value: unknown, path: string, state: State): unknown {
  if (key === 'apiVersion' || key === 'kind') {
    if (typeof value !== 'string') state.error ??= invalid(path, value, 'must be a string')
    return value
  }
  if (key !== 'metadata') return value
  if (value === null) return {}
  try {
    const { object, unknown } = decode(state.objectMeta, value)
    for (const text of unknown) state.unknown.push(text.replace('unknown field "', `unknown field "${path}.`))
    return object
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error
    state.error ??= invalid(path, value, error.message)
    return value
  }
}

const child = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)
