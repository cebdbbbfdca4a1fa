import { isObject, type JsonObject } from '../../../../machinery/object.ts'
import type { PathNode } from '../../../../machinery/jsonpath/json-path-syntax.ts'
import { parseTemplate } from '../../../../machinery/jsonpath/parse-json-path.ts'
import { nearestWord } from '../../../../charges/limit-names/edit-distance.ts'

/** The schema of a kind (OpenAPI v3), and how references in it are followed. */
export interface KindSchema {
  readonly root: JsonObject
  readonly resolve: (reference: string) => JsonObject | undefined
}

/** A field of a path that no object of the kind has. */
export interface MissingField {
  /** The fields before it, such as `spec.template`; empty for the object itself. */
  readonly parent: string
  readonly name: string
  /** The field of the parent that is spelled most like it. */
  readonly meant?: string
  /** Is the parent a list, of which the path reads no item? */
  readonly isInList: boolean
}

/** Fields that every object has, whether its schema says so or not. */
const OF_EVERY_OBJECT: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])
/** Whatever such a schema says of fields, there may be others. */
const OPEN = [
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
  'anyOf',
  'oneOf',
]
/** References within references; a schema that refers to itself ends nothing. */
const MOST_REFERENCES = 20

/**
 * The first field of a valid path that objects of the kind cannot have, by their schema; undefined where the path may find something. Only
 * fields, items of lists and filters are followed: of anything else, and of maps and fields without a schema, nothing is known.
 */
export function missingField(path: string, { root, resolve }: KindSchema): MissingField | undefined {
  const [action, ...others] = parseTemplate(`{${path.trim()}}`)
  if (action?.type !== 'list' || others.length > 0) return undefined
  let schemas = withReferences([root], resolve)
  const parents: string[] = []
  for (const node of action.nodes) {
    const next = step(node, schemas, parents.length === 0)
    if (next === undefined) return undefined
    if (!Array.isArray(next)) return { ...(next as Omit<MissingField, 'parent'>), parent: parents.join('.') }
    if (node.type === 'field') parents.push(node.name)
    schemas = withReferences(next, resolve)
  }
  return undefined
}

/** The schemas behind a step; undefined where there may be anything, and the field itself where there is nothing. */
function step(
  node: PathNode,
  schemas: readonly JsonObject[],
  isRoot: boolean,
): readonly JsonObject[] | Omit<MissingField, 'parent'> | undefined {
  if (schemas.length === 0 || schemas.some(isOpen)) return undefined
  if (node.type !== 'field') {
    const reads = node.type === 'array' || node.type === 'wildcard' || node.type === 'filter'
    const items = schemas.flatMap(({ items: one }) => (isObject(one) ? [one] : []))
    return reads && items.length > 0 ? items : undefined
  }
  const { name } = node
  const found = schemas.flatMap((schema) => fieldOf(schema, name))
  if (found.length > 0) return found
  if (isRoot && OF_EVERY_OBJECT.has(name)) return undefined
  const names = schemas.flatMap(({ properties }) => (isObject(properties) ? Object.keys(properties) : []))
  const meant = names.find((one) => one.toLowerCase() === name.toLowerCase()) ?? nearestWord(name, names)
  return { name, isInList: schemas.some(({ type }) => type === 'array'), ...(meant !== undefined && { meant }) }
}

function fieldOf({ properties, additionalProperties }: JsonObject, name: string): readonly JsonObject[] {
  const property = isObject(properties) ? properties[name] : undefined
  if (isObject(property)) return [property]
  return isObject(additionalProperties) ? [additionalProperties] : []
}

/** May there be fields that the schema does not name? */
function isOpen(schema: JsonObject): boolean {
  if (OPEN.some((word) => schema[word] !== undefined && schema[word] !== false)) return true
  const { type, properties, additionalProperties } = schema
  if (additionalProperties === true) return true
  const isNamed = isObject(properties) || isObject(additionalProperties)
  return !isNamed && (type === undefined || type === 'object')
}

/** The schemas themselves, those that they refer to and those that they are made of. */
function withReferences(schemas: readonly JsonObject[], resolve: KindSchema['resolve']): readonly JsonObject[] {
  let left = schemas
  const found: JsonObject[] = []
  for (let depth = 0; left.length > 0; depth++) {
    // Of what is deeper nothing is known.
    if (depth > MOST_REFERENCES) return []
    const next: JsonObject[] = []
    for (const schema of left) {
      const { $ref, allOf, ...own } = schema
      const all = Array.isArray(allOf) ? allOf.filter(isObject) : []
      if (typeof $ref === 'string') next.push(resolve($ref) ?? {})
      else if (all.length > 0) next.push(...all)
      else found.push(own)
      if (all.length > 0 && isObject(own['properties'])) found.push(own)
    }
    left = next
  }
  return found
}
