import type { GroupVersionKind } from '../../machinery/group-version.ts'
import type { Field, ListType, ObjectType, PatchStrategy, Type } from '../type/type.ts'
import type { StructuralSchema } from './value/structural-schema.ts'

export interface TypeOptions {
  /** The type of `ObjectMeta`, for the object itself and for embedded resources. */
  readonly objectMeta: Type
  readonly groupVersionKind: GroupVersionKind
}

const NO_STRATEGY: PatchStrategy = { merge: false, replace: false, retainKeys: false, mergeKey: undefined }
const TEXT: Type = { kind: 'string', goType: 'string' }
const ANYTHING: Type = { kind: 'any', goType: 'interface {}' }
const GO_OBJECT = 'map[string]interface {}'

/** A custom resource's type, as server-side apply and the strict decoder use it for built-in kinds. */
export function typeOf(schema: StructuralSchema, { objectMeta, groupVersionKind }: TypeOptions): ObjectType {
  return {
    ...structType(schema, objectMeta, true),
    groupVersionKinds: [groupVersionKind],
    struct: groupVersionKind.kind,
  }
}

function convert(schema: StructuralSchema, objectMeta: Type): Type {
  switch (schema.type) {
    case '':
      return untyped(schema, objectMeta)
    case 'array':
      return listType(schema, objectMeta)
    case 'string':
      return TEXT
    case 'boolean':
      return { kind: 'boolean', goType: 'bool' }
    case 'integer':
      return schema.format === 'int32' ? { kind: 'int32', goType: 'int32' } : { kind: 'int64', goType: 'int64' }
    case 'number':
      return { kind: 'double', goType: 'float64' }
    default:
      return objectType(schema, objectMeta)
  }
}

/**
 * Without a type (which is so under `x-kubernetes-int-or-string` too) anything may stand there as far as merging goes: a
 * scalar, a list or an object, which may have fields all the same.
 */
function untyped(schema: StructuralSchema, objectMeta: Type): Type {
  const { additionalProperties, items, properties } = schema
  const object = properties.size > 0 || additionalProperties !== undefined ? objectType(schema, objectMeta) : undefined
  const list = items === undefined ? undefined : listType(schema, objectMeta)
  return {
    ...ANYTHING,
    ...(object?.kind === 'object' || object?.kind === 'map' ? { object } : {}),
    ...(list === undefined ? {} : { list }),
  }
}

const listType = (schema: StructuralSchema, objectMeta: Type): ListType => ({
  kind: 'list',
  goType: '[]interface {}',
  items: schema.items === undefined ? ANYTHING : convert(schema.items, objectMeta),
  listType: schema.listType ?? 'atomic',
  keys: schema.listMapKeys,
})

function objectType(schema: StructuralSchema, objectMeta: Type): Type {
  const { additionalProperties, embeddedResource, properties, preserveUnknownFields } = schema
  if (embeddedResource || properties.size > 0) return structType(schema, objectMeta, embeddedResource)
  if (additionalProperties !== undefined) {
    const values = typeof additionalProperties === 'object' ? convert(additionalProperties, objectMeta) : ANYTHING
    return { kind: 'map', goType: GO_OBJECT, values, atomic: schema.mapType === 'atomic' }
  }
  return preserveUnknownFields ? { ...ANYTHING, goType: GO_OBJECT } : structType(schema, objectMeta, false)
}

function structType(schema: StructuralSchema, objectMeta: Type, isResource: boolean): ObjectType {
  const fields = new Map<string, Field>()
  const add = (name: string, type: Type, byDefault?: unknown): void => {
    if (fields.has(name)) return
    const required = schema.required.includes(name)
    const index = fields.size
    fields.set(name, { name, index, type, required, omitsEmpty: false, default: byDefault, patch: NO_STRATEGY })
  }
  if (isResource) {
    add('apiVersion', TEXT)
    add('kind', TEXT)
    add('metadata', objectMeta)
  }
  for (const [name, child] of schema.properties) add(name, convert(child, objectMeta), child.default)
  return {
    kind: 'object',
    name: '',
    struct: '',
    goType: GO_OBJECT,
    fields,
    atomic: schema.mapType === 'atomic',
    keepsUnknown: schema.preserveUnknownFields,
    required: schema.required,
    groupVersionKinds: [],
  }
}
