import { isTree, setOwn } from '../../machinery/json-value.ts'
import { malformed, printed, unclassified } from './error.ts'

export type Tree = Readonly<Record<string, unknown>>

export const PATCH = '$patch'
const RETAIN_KEYS = '$retainKeys'
export const ELEMENT_ORDER = '$setElementOrder'
const DELETE_PRIMITIVES = '$deleteFromPrimitiveList'

/** The meaning of a key of a patch: a field, a directive for the whole map, or one for the list `field`. */
export type PatchKey =
  | { readonly means: 'field' | 'directive' }
  | { readonly means: 'order' | 'deletion'; readonly field: string }

const FIELD: PatchKey = { means: 'field' }

/** Throws 400 when a directive for a list names none. */
export function meaningOf(key: string): PatchKey {
  if (!key.startsWith('$')) return FIELD
  if (key === PATCH || key === RETAIN_KEYS) return { means: 'directive' }
  if (key.startsWith(ELEMENT_ORDER))
    return { means: 'order', field: listOf(key, ELEMENT_ORDER, 'setElementOrder list') }
  if (key.startsWith(DELETE_PRIMITIVES)) {
    return { means: 'deletion', field: listOf(key, DELETE_PRIMITIVES, 'primitive list') }
  }
  return FIELD
}

function listOf(key: string, directive: string, what: string): string {
  if (key[directive.length] !== '/') throw malformed(`invalid patch format of ${what}`)
  return key.slice(directive.length + 1)
}

/** The list that a directive must hold; throws as upstream does, without a status. */
export function directiveList(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw unclassified(`expected a []interface {}, but received a ${goTypeOf(value)}`)
  return value
}

/** Returns the text that Go's `%T` prints of a decoded value. */
function goTypeOf(value: unknown): string {
  if (isTree(value)) return 'map[string]interface {}'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64'
  return value === null ? '<nil>' : typeof value === 'boolean' ? 'bool' : typeof value
}

export const unknownPatchType = (directive: unknown, patch: Tree): Error =>
  unclassified(`unknown patch type: ${printed(directive)} in map: ${printed(patch)}`)

/**
 * The original without the fields that `$retainKeys` does not list; a patch that sets a field beside the list is
 * refused with 400.
 */
export function retained(original: Tree, patch: Tree): Record<string, unknown> {
  if (!Object.hasOwn(patch, RETAIN_KEYS)) return { ...original }
  const list = patch[RETAIN_KEYS]
  if (!Array.isArray(list)) throw malformed('invalid patch format of retainKeys')
  const keep = new Set<unknown>(list)
  for (const [key, value] of Object.entries(patch)) {
    if (value !== null && meaningOf(key).means === 'field' && !keep.has(key)) {
      throw malformed('invalid patch format of retainKeys')
    }
  }
  const result: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(original)) if (keep.has(key)) setOwn(result, key, value)
  return result
}

/** A patch's value where there is nothing to merge it with: without directives, nulls, and elements to delete. */
export function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !(isTree(item) && Object.hasOwn(item, PATCH))).map(bare)
  if (!isTree(value)) return value
  const result: Record<string, unknown> = {}
  if (value[PATCH] === 'delete') return result
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item !== null && meaningOf(key).means === 'field') setOwn(result, key, bare(item))
  }
  return result
}
