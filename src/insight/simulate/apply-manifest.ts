import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { textOf } from '../../machinery/read.ts'

/**
 * What `kubectl apply` makes of an object: the manifest counts, what others have set stays, and what the last manifest had and this one lacks goes. `keyed`:
 * are lists of named items, such as containers, merged item by item? So it is for built-in kinds.
 */
export function appliedOver(
  manifest: KubeObject,
  live: KubeObject,
  last: KubeObject | undefined,
  keyed: boolean,
): KubeObject {
  const { status: _, metadata, ...rest } = manifest
  const { name, namespace, labels, annotations, finalizers, ownerReferences } = metadata
  const own = Object.fromEntries(
    Object.entries({ name, namespace, labels, annotations, finalizers, ownerReferences }).filter(
      ([, value]) => value !== undefined,
    ),
  )
  return merged({ ...rest, metadata: own }, live, last, keyed) as KubeObject
}

function merged(next: unknown, live: unknown, last: unknown, keyed: boolean): unknown {
  if (isObject(next) && isObject(live)) return mergedMaps(next, live, isObject(last) ? last : {}, keyed)
  if (keyed && Array.isArray(next) && Array.isArray(live) && areNamed(next) && areNamed(live) && live.length > 0)
    return mergedLists(next, live, Array.isArray(last) && areNamed(last) ? last : [], keyed)
  return withoutNulls(next)
}

function mergedMaps(next: JsonObject, live: JsonObject, last: JsonObject, keyed: boolean): JsonObject {
  const kept = Object.entries(live).filter(([key]) => next[key] === undefined && last[key] === undefined)
  const set = Object.entries(next)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => [key, merged(value, live[key], last[key], keyed)] as const)
  return Object.fromEntries([...kept, ...set])
}

type NamedItems = readonly JsonObject[]
const nameOf = (item: JsonObject | undefined): string => textOf(item?.['name'])
const areNamed = (list: readonly unknown[]): list is NamedItems =>
  list.every((item) => isObject(item) && nameOf(item) !== '')

function mergedLists(next: NamedItems, live: NamedItems, last: NamedItems, keyed: boolean): NamedItems {
  const find = (list: NamedItems, name: string): JsonObject | undefined => list.find((item) => nameOf(item) === name)
  const set = next.map((item) => merged(item, find(live, nameOf(item)), find(last, nameOf(item)), keyed) as JsonObject)
  const others = live.filter((item) => find(next, nameOf(item)) === undefined && find(last, nameOf(item)) === undefined)
  return [...set, ...others]
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      one === null || one === undefined ? [] : [[key, withoutNulls(one)]],
    ),
  )
}
