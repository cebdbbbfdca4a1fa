import type { ListKind } from './value.ts'
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, STRING, TIMESTAMP, listOf, mapOf } from './cel-type.ts'
import type { CelType } from './cel-type.ts'
import { escapeField } from './field-name.ts'
import { isObject } from '../../machinery/object.ts'
import type { JsonObject } from '../../machinery/object.ts'

/**
 * The facts of a schema about the values at one place that CEL uses: their type, how large they may
 * become, and how their JSON reads.
 */
export interface SchemaShape {
  readonly type: CelType
  /** The most members or characters; what the cost of a rule is estimated with. 0 for what has no size. */
  readonly maxElements: number
  /** The fewest bytes of JSON that a value takes. */
  readonly minSize: number
  readonly nullable: boolean
  /** As the schema names it; `intOrString` for `x-kubernetes-int-or-string`. */
  readonly json: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean' | 'intOrString' | 'any'
  readonly format: string
  /** By the name that an expression uses. Set for objects with properties. */
  readonly fields: ReadonlyMap<string, SchemaShape> | undefined
  /** The members of a list, or the values of a map. */
  readonly element: SchemaShape | undefined
  readonly listKind: ListKind
}

/** The most bytes that a request may have: what bounds every size that a schema leaves open. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024

const ATOMIC: ListKind = { type: 'atomic' }

const PLAIN = { nullable: false, format: '', fields: undefined, element: undefined, listKind: ATOMIC }

/** Of the keys of a map. */
export const KEY_SHAPE: SchemaShape = { ...PLAIN, type: STRING, json: 'string', maxElements: 0, minSize: 2 }

/** JSON without a schema. */
export const DYN_SHAPE: SchemaShape = {
  ...PLAIN,
  type: DYN,
  json: 'any',
  maxElements: MAX_REQUEST_BYTES - 2,
  minSize: 1,
}

const text = (): JsonObject => ({ type: 'string' })
const ROOT_PROPERTIES: JsonObject = {
  apiVersion: text(),
  kind: text(),
  metadata: { type: 'object', properties: { name: text(), generateName: text() } },
}

/**
 * The shape of a structural schema's values (upstream `SchemaDeclType`), or `undefined` where CEL cannot see them.
 * `root` is for the schema of a whole resource, where `apiVersion`, `kind` and `metadata.name` are always known;
 * `name` names the types of its objects.
 */
export function shapeOfSchema(schema: JsonObject, root: boolean, name: string): SchemaShape | undefined {
  const nullable = schema['nullable'] === true
  if (schema['x-kubernetes-int-or-string'] === true) {
    const limit = count(schema['maxLength'])
    const maxElements = limit === undefined ? MAX_REQUEST_BYTES - 2 : limit * 4
    return { ...PLAIN, type: DYN, json: 'intOrString', nullable, maxElements, minSize: 1 }
  }
  switch (schema['type']) {
    case 'array':
      return listShape(schema, nullable, name)
    case 'object':
      return objectShape(schema, nullable, root, name)
    case 'string':
      return { ...stringShape(schema), nullable }
    case 'boolean':
      return { ...PLAIN, type: BOOL, json: 'boolean', nullable, maxElements: 0, minSize: 4 }
    case 'number':
      return { ...PLAIN, type: DOUBLE, json: 'number', nullable, maxElements: 0, minSize: 1 }
    case 'integer':
      return { ...PLAIN, type: INT, json: 'integer', nullable, maxElements: 0, minSize: 1 }
    default:
      return undefined
  }
}

const embedded = (schema: JsonObject): boolean => schema['x-kubernetes-embedded-resource'] === true

function listShape(schema: JsonObject, nullable: boolean, name: string): SchemaShape | undefined {
  const items = schema['items']
  if (!isObject(items)) return undefined
  const element = shapeOfSchema(items, embedded(items), `${name}.@idx`)
  if (element === undefined) return undefined
  const maxElements = count(schema['maxItems']) ?? Math.floor((MAX_REQUEST_BYTES - 2) / (element.minSize + 1))
  const type = listOf(element.type)
  return { ...PLAIN, type, json: 'array', nullable, maxElements, minSize: 2, element, listKind: listKindOf(schema) }
}

function listKindOf(schema: JsonObject): ListKind {
  const kind = schema['x-kubernetes-list-type']
  const keys = schema['x-kubernetes-list-map-keys']
  if (kind === 'set') return { type: 'set' }
  if (kind === 'map' && Array.isArray(keys)) return { type: 'map', keys: keys.map(String) }
  return ATOMIC
}

function objectShape(schema: JsonObject, nullable: boolean, root: boolean, name: string): SchemaShape | undefined {
  const additional = schema['additionalProperties']
  const given = isObject(schema['properties']) ? schema['properties'] : {}
  if (isObject(additional) && !root) {
    const element = shapeOfSchema(additional, embedded(additional), `${name}.@elem`)
    if (element === undefined) return undefined
    const maxElements = count(schema['maxProperties']) ?? Math.floor((MAX_REQUEST_BYTES - 2) / (element.minSize + 6))
    return { ...PLAIN, type: mapOf(STRING, element.type), json: 'object', nullable, maxElements, minSize: 2, element }
  }
  const fields = new Map<string, SchemaShape>()
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  let minSize = 2
  for (const [property, one] of Object.entries(root ? { ...given, ...rootProperties(given) } : given)) {
    if (!isObject(one)) continue
    const field = escapeField(property)
    const shape = shapeOfSchema(one, embedded(one), `${name}.${field ?? property}`)
    if (shape === undefined) continue
    if (field !== undefined) fields.set(field, shape)
    // A property with a default need not be sent.
    if (required.includes(property) && one['default'] === undefined) minSize += property.length + shape.minSize + 4
  }
  const types = new Map([...fields].map(([field, shape]) => [field, shape.type]))
  const type: CelType = { kind: 'struct', name, fields: types }
  return { ...PLAIN, type, json: 'object', nullable, maxElements: 0, minSize, fields }
}

/** Returns the properties that the root of a resource always has; a `metadata` of its own schema keeps what else it declares. */
function rootProperties(given: JsonObject): JsonObject {
  const metadata = given['metadata']
  if (!isObject(metadata) || !isObject(metadata['properties'])) return ROOT_PROPERTIES
  const properties = { ...metadata['properties'], name: text(), generateName: text() }
  return { ...ROOT_PROPERTIES, metadata: { ...metadata, type: 'object', properties } }
}

function stringShape(schema: JsonObject): SchemaShape {
  const base: SchemaShape = { ...PLAIN, type: STRING, json: 'string', maxElements: MAX_REQUEST_BYTES - 2, minSize: 2 }
  const limit = count(schema['maxLength'])
  switch (schema['format']) {
    case 'byte':
      return { ...base, type: BYTES, format: 'byte', maxElements: limit ?? base.maxElements }
    case 'duration':
      return { ...base, type: DURATION, format: 'duration', maxElements: 32, minSize: 3 }
    case 'date':
      return { ...base, type: TIMESTAMP, format: 'date', maxElements: 12, minSize: 12 }
    case 'date-time':
      return { ...base, type: TIMESTAMP, format: 'date-time', maxElements: 32, minSize: 21 }
    default: {
      // A character may take four bytes, and sizes are reckoned in bytes.
      if (limit !== undefined) return { ...base, maxElements: limit * 4 }
      const allowed = Array.isArray(schema['enum']) ? schema['enum'] : []
      const encoded = allowed.map((one) => (typeof one === 'string' ? new TextEncoder().encode(one).length : 0))
      return encoded.length === 0 ? base : { ...base, maxElements: Math.max(...encoded) }
    }
  }
}

const count = (value: unknown): number | undefined => (typeof value === 'number' ? Math.max(0, value) : undefined)
