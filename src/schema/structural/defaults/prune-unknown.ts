import { isTree } from '../../../machinery/json-value.ts'
import { type PathSegment, pathText } from '../../type/decode-error.ts'
import { DROP, mapItems, mapMembers } from './share-unchanged.ts'
import type { StructuralSchema } from '../value/structural-schema.ts'

export interface Pruned {
  /** The object that was given when nothing had to go. */
  readonly object: unknown
  /** `unknown field "spec.x"`, sorted, at most 100. */
  readonly unknown: readonly string[]
}

const MAX_UNKNOWN = 100
const META_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata'])

interface State {
  readonly path: PathSegment[]
  readonly unknown: string[]
}

/**
 * Removes the fields that a schema does not know. `apiVersion`, `kind` and `metadata` stay as they are at the root (unless
 * `root` is false) and in embedded resources: they are decoded elsewhere. Below `x-kubernetes-preserve-unknown-fields`
 * only what the schema describes again is pruned.
 */
export function prune(
  schema: StructuralSchema,
  object: unknown,
  { root = true }: { readonly root?: boolean } = {},
): Pruned {
  const state: State = { path: [], unknown: [] }
  const pruned = pruneValue(schema, object, state, root)
  return { object: pruned, unknown: state.unknown.toSorted() }
}

function pruneValue(schema: StructuralSchema | undefined, value: unknown, state: State, isMeta: boolean): unknown {
  if (Array.isArray(value)) {
    // The items of a preserving list are preserved too, whatever the schema says of them.
    const items = schema?.preserveUnknownFields === true ? preserving(schema.items) : schema?.items
    if (schema?.preserveUnknownFields === true && items === undefined) return value
    return mapItems(value, (item, at) => {
      state.path.push(at)
      const kept = pruneValue(items, item, state, items?.embeddedResource ?? false)
      state.path.pop()
      return kept
    })
  }
  if (!isTree(value)) return value
  return mapMembers(value, (key, member) => {
    if (isMeta && META_FIELDS.has(key)) return member
    const known = schema?.properties.get(key) ?? schema?.additionalProperties
    if (known === undefined) {
      if (schema?.preserveUnknownFields === true) return member
      report(key, state)
      return DROP
    }
    const child = typeof known === 'boolean' ? undefined : known
    state.path.push(key)
    const kept = pruneValue(child, member, state, child?.embeddedResource ?? false)
    state.path.pop()
    return kept
  })
}

function report(key: string, { path, unknown }: State): void {
  if (unknown.length < MAX_UNKNOWN) unknown.push(`unknown field ${JSON.stringify(pathText([...path, key]))}`)
}

function preserving(schema: StructuralSchema | undefined): StructuralSchema | undefined {
  return schema === undefined || schema.preserveUnknownFields ? schema : { ...schema, preserveUnknownFields: true }
}
