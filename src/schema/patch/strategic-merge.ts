import { isTree, setOwn } from '../../machinery/json-value.ts'
import { kindOf } from '../type/decode-error.ts'
import type { PatchStrategy, Type } from '../type/type.ts'
import {
  bare,
  directiveList,
  ELEMENT_ORDER,
  meaningOf,
  PATCH,
  retained,
  type Tree,
  unknownPatchType,
} from './directive.ts'
import { mergedOrder, mergeLists, withoutPrimitives } from './merge-lists.ts'
import { malformed, unclassified } from './error.ts'

/** How a field is merged; `type` is undefined where the schema says nothing. */
interface Place {
  readonly type: Type | undefined
  readonly strategy: PatchStrategy
}

const PLAIN: PatchStrategy = { merge: false, replace: false, retainKeys: false, mergeKey: undefined }

/**
 * Kubernetes' strategic merge patch of an object of the given type. Maps are merged, null deletes, lists are merged by
 * key where the schema says so and replaced elsewhere; honours `$patch`, `$retainKeys`, `$setElementOrder/<list>` and
 * `$deleteFromPrimitiveList/<list>`. Shares what does not change; mutates nothing. Throws an `ApiError`.
 */
export function strategicMerge(type: Type, original: Tree, patch: unknown): Tree {
  if (patch === null) return original
  if (!isTree(patch))
    throw malformed(`json: cannot unmarshal ${kindOf(patch)} into Go value of type map[string]interface {}`)
  return mergeMaps(type, original, patch)
}

function mergeMaps(type: Type | undefined, original: Tree, patch: Tree): Tree {
  const whole = wholeMap(patch)
  if (whole !== undefined) return whole
  const result = retained(original, patch)
  const ordered = new Set<string>()
  // A list of pairs would cost as much as the merge of a large map.
  const keys = Object.keys(patch)
  for (const key of keys) {
    if (!key.startsWith(ELEMENT_ORDER)) continue
    const order = directiveList(patch[key])
    const meaning = meaningOf(key)
    if (meaning.means !== 'order') continue
    if (patch[meaning.field] === null || !mergeInOrder(type, result, patch, meaning.field, order)) continue
    ordered.add(meaning.field)
  }
  for (const key of keys) {
    const meaning = meaningOf(key)
    if (meaning.means === 'deletion') deletePrimitives(result, meaning.field, patch[key])
    else if (meaning.means === 'field' && !ordered.has(key)) mergeField(type, result, key, patch[key])
  }
  return result
}

/** Returns the map that `$patch` gives without merging, or `undefined` when the map is to be merged. */
function wholeMap(patch: Tree): Tree | undefined {
  const directive = patch[PATCH]
  if (directive === undefined || directive === 'merge') return undefined
  if (directive === 'delete') return {}
  if (directive !== 'replace') throw unknownPatchType(directive, patch)
  const { [PATCH]: _, ...rest } = patch
  return rest
}

function mergeField(type: Type | undefined, result: Record<string, unknown>, key: string, value: unknown): void {
  if (value === null) {
    delete result[key]
    return
  }
  if (typeof value !== 'object') return setOwn(result, key, value)
  const current = Object.hasOwn(result, key) ? result[key] : undefined
  if (isTree(current) && isTree(value)) {
    const place = placeOf(type, key)
    setOwn(result, key, place.strategy.replace ? value : mergeMaps(place.type, current, value))
  } else if (Array.isArray(current) && Array.isArray(value)) {
    const place = placeOf(type, key)
    setOwn(result, key, merged(place, current, value))
  } else setOwn(result, key, bare(value))
}

/** Merges a list for which the patch gives the order of its elements. Says whether there was a list. */
function mergeInOrder(
  type: Type | undefined,
  result: Record<string, unknown>,
  patch: Tree,
  field: string,
  order: readonly unknown[],
): boolean {
  const current = Object.hasOwn(result, field) ? result[field] : undefined
  const change = Object.hasOwn(patch, field) ? patch[field] : undefined
  if (current === undefined && change === undefined) return false
  const before = current === undefined ? [] : list(current, field)
  const changes = change === undefined ? [] : list(change, field)
  const place = placeOf(type, field)
  const after = change === undefined ? before : merged(place, before, changes)
  setOwn(result, field, mergedOrder(after, before, changes, order, place.strategy.mergeKey))
  return true
}

function merged(place: Place, current: readonly unknown[], change: readonly unknown[]): readonly unknown[] {
  if (!place.strategy.merge) return change
  const items = place.type?.kind === 'list' ? place.type.items : undefined
  return mergeLists(current, change, place.strategy.mergeKey, {
    name: items?.kind === 'object' ? items.struct : (items?.goType ?? 'interface {}'),
    merge: (one, other) => mergeMaps(items, one, other),
  })
}

function deletePrimitives(result: Record<string, unknown>, field: string, value: unknown): void {
  const current = Object.hasOwn(result, field) ? result[field] : undefined
  if (current === undefined) return
  // A value that is not a list replaces the list, and is refused when the object is read.
  setOwn(result, field, Array.isArray(current) && Array.isArray(value) ? withoutPrimitives(current, value) : value)
}

function list(value: unknown, field: string): readonly unknown[] {
  if (!Array.isArray(value)) throw unclassified(`expected a list for field ${field}, but got ${kindOf(value)}`)
  return value
}

/** How the schema wants a field merged. Throws as upstream does for a field that the struct does not have. */
function placeOf(type: Type | undefined, key: string): Place {
  if (type?.kind === 'map') return { type: type.values, strategy: PLAIN }
  if (type?.kind !== 'object') return { type: undefined, strategy: PLAIN }
  const field = type.fields.get(key)
  if (field !== undefined) return { type: field.type, strategy: field.patch }
  if (type.keepsUnknown) return { type: undefined, strategy: PLAIN }
  throw unclassified(`unable to find api field in struct ${type.struct} for the json field ${JSON.stringify(key)}`)
}
