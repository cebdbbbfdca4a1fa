import { isTree } from '../../machinery/json-value.ts'
import { bare, PATCH, type Tree, unknownPatchType } from './directive.ts'
import { printed, unclassified, unprocessable } from './error.ts'

/** The facts about the elements that a merge needs: the struct's name for messages, and how two of them are merged. */
export interface Elements {
  readonly name: string
  merge(original: Tree, patch: Tree): Tree
}

/**
 * Merges a patch's list into the original one: scalars as a set, objects by their merge key. Items of the patch
 * come in the patch's order; items that only the original holds keep their places before those that followed them there.
 */
export function mergeLists(
  original: readonly unknown[],
  patch: readonly unknown[],
  mergeKey: string | undefined,
  elements: Elements,
): readonly unknown[] {
  if (patch.length === 0) return original
  if (!areObjects(original, patch)) {
    return arranged([...new Set([...original, ...patch])], patch, original, undefined)
  }
  if (mergeKey === undefined) throw unclassified(`cannot merge lists without merge key for ${elements.name}`)
  const { base, changes } = withDirectives(original.filter(isTree), patch.filter(isTree), mergeKey)
  if (base === undefined) return changes.map(bare)
  const merged = [...base]
  const places = new Map<unknown, number>()
  base.forEach((item, at) => {
    if (Object.hasOwn(item, mergeKey) && !places.has(item[mergeKey])) places.set(item[mergeKey], at)
  })
  for (const change of changes) {
    const key = keyIn(change, mergeKey)
    const at = places.get(key)
    const found = at === undefined ? undefined : merged[at]
    if (at !== undefined && found !== undefined) merged[at] = elements.merge(found, change)
    else {
      places.set(key, merged.length)
      merged.push(elements.merge({}, change))
    }
  }
  return arranged(merged, changes, original, mergeKey)
}

/**
 * Puts an already merged list into the order that `$setElementOrder` gives. Throws when the patch's own list
 * contradicts it.
 */
export function mergedOrder(
  merged: readonly unknown[],
  original: readonly unknown[],
  patch: readonly unknown[],
  order: readonly unknown[],
  mergeKey: string | undefined,
): readonly unknown[] {
  const wanted = order.map((item) => identity(item, mergeKey))
  let at = 0
  for (const item of patch) {
    if (isTree(item) && Object.hasOwn(item, PATCH)) continue
    const next = wanted.indexOf(identity(item, mergeKey), at)
    if (next < 0) {
      throw unclassified(
        `The order in patch list:\n${printed(patch)}\n doesn't match $setElementOrder list:\n${printed(order)}\n`,
      )
    }
    at = next + 1
  }
  return arranged(merged, order, original, mergeKey)
}

/** The list without the scalars that `$deleteFromPrimitiveList` names. */
export function withoutPrimitives(original: readonly unknown[], unwanted: readonly unknown[]): readonly unknown[] {
  const set = new Set(unwanted)
  return original.filter((item) => !set.has(item))
}

/** Carries out the patch's elements that hold `$patch`, and gives the rest; no base when they replace the list. */
function withDirectives(
  original: readonly Tree[],
  patch: readonly Tree[],
  mergeKey: string,
): { readonly base: readonly Tree[] | undefined; readonly changes: readonly Tree[] } {
  const changes: Tree[] = []
  const deleted = new Set<unknown>()
  let replace = false
  for (const item of patch) {
    const directive = item[PATCH]
    if (directive === undefined) changes.push(item)
    else if (directive === 'delete') deleted.add(keyIn(item, mergeKey))
    else if (directive === 'replace') replace = true
    else if (directive === 'merge') throw unclassified('merging lists cannot yet be specified in the patch')
    else throw unknownPatchType(directive, item)
  }
  return { base: replace ? undefined : original.filter((item) => !deleted.has(item[mergeKey])), changes }
}

function keyIn(item: Tree, mergeKey: string): unknown {
  if (!Object.hasOwn(item, mergeKey)) {
    throw unclassified(`map: ${printed(item)} does not contain declared merge key: ${mergeKey}`)
  }
  return item[mergeKey]
}

/** Are the elements objects, rather than scalars? Throws for a mixture and for lists of lists, as upstream. */
function areObjects(original: readonly unknown[], patch: readonly unknown[]): boolean {
  const all = [...original, ...patch]
  if (all.some((item) => Array.isArray(item))) throw unprocessable()
  const objects = all.filter(isTree).length
  if (objects !== 0 && objects !== all.length) {
    throw unclassified(`list element types are not identical: ${printed([original, patch])}`)
  }
  return objects > 0
}

/**
 * The elements that `order` names, as it orders them, and the others as the original does. The two rows are zipped:
 * one of the others goes first only where it stood before the next named element in the original.
 */
function arranged(
  merged: readonly unknown[],
  order: readonly unknown[],
  original: readonly unknown[],
  mergeKey: string | undefined,
): readonly unknown[] {
  const wanted = places(order, mergeKey)
  const before = places(original, mergeKey)
  const placeIn = (map: ReadonlyMap<unknown, number>, item: unknown): number =>
    map.get(identity(item, mergeKey)) ?? Number.MAX_SAFE_INTEGER
  const by = (map: ReadonlyMap<unknown, number>) => (a: unknown, b: unknown) => placeIn(map, a) - placeIn(map, b)
  const isNamed = (item: unknown): boolean => wanted.has(identity(item, mergeKey))
  const named = merged.filter(isNamed).toSorted(by(wanted))
  const others = merged.filter((item) => !isNamed(item)).toSorted(by(before))
  const result: unknown[] = []
  let at = 0
  for (const item of named) {
    const place = before.get(identity(item, mergeKey)) ?? -1
    for (; at < others.length && placeIn(before, others[at]) < place; at++) result.push(others[at])
    result.push(item)
  }
  return [...result, ...others.slice(at)]
}

function places(items: readonly unknown[], mergeKey: string | undefined): ReadonlyMap<unknown, number> {
  const result = new Map<unknown, number>()
  items.forEach((item, at) => {
    const key = identity(item, mergeKey)
    if (!result.has(key)) result.set(key, at)
  })
  return result
}

function identity(item: unknown, mergeKey: string | undefined): unknown {
  return mergeKey !== undefined && isTree(item) ? item[mergeKey] : item
}
