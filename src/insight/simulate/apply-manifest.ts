import { jsonEqual } from '../../machinery/json-value.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { objectOf, textOf } from '../../machinery/read.ts'
import { ApiError } from '../../machinery/status.ts'

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'
/** The metadata that an API server keeps, whatever a manifest says of it. */
const SERVER_METADATA: ReadonlySet<string> = new Set([
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
])

/**
 * Applies a manifest as `kubectl apply` does. The fields of the manifest count. Fields that others have set stay. Fields of the last
 * manifest that this one lacks go. `keyed`: are lists of named items, such as containers, merged item by item? So it is for built-in kinds.
 */
export function appliedOver(
  manifest: KubeObject,
  live: KubeObject,
  last: KubeObject | undefined,
  keyed: boolean,
): KubeObject {
  // Nothing here converts fields between versions.
  if (manifest.apiVersion !== live.apiVersion && last && jsonEqual(applied(manifest), applied(last))) return live
  const { metadata, ...rest } = merged(applied(manifest), live, last && applied(last), keyed) as KubeObject
  // API servers store no empty labels and annotations.
  return { ...rest, metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value))) }
}

/** The fields of a manifest that `kubectl apply` applies. kubectl records annotations in each manifest, also in one that names none. */
function applied({ status: _status, metadata, ...rest }: KubeObject): JsonObject {
  const own = Object.entries(objectOf(metadata)).filter(([field]) => !SERVER_METADATA.has(field))
  return { ...rest, metadata: { annotations: {}, ...Object.fromEntries(own) } }
}

const isEmpty = (value: unknown): boolean =>
  Array.isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0

/** Returns the manifest that kubectl has recorded in an object, decoded as the next one is: kubectl records empty values as well. */
export function lastApplied(
  { apiVersion, kind, metadata: { annotations } }: KubeObject,
  decode: (object: KubeObject) => KubeObject,
): KubeObject | undefined {
  const text = annotations?.[LAST_APPLIED]
  if (text === undefined) return undefined
  try {
    const parsed = objectOf(JSON.parse(text) as unknown)
    const version = textOf(parsed['apiVersion'])
    return decode({
      ...parsed,
      apiVersion: version === '' ? apiVersion : version,
      kind,
      metadata: objectOf(parsed['metadata']),
    })
  } catch (error) {
    // Anybody can write the annotation.
    if (error instanceof SyntaxError || error instanceof ApiError) return undefined
    throw error
  }
}

function merged(next: unknown, live: unknown, last: unknown, keyed: boolean): unknown {
  if (isObject(next) && isObject(live)) return mergedMaps(next, live, isObject(last) ? last : {}, keyed)
  if (keyed && Array.isArray(next) && Array.isArray(live) && areNamed(next) && areNamed(live) && live.length > 0)
    return mergedLists(next, live, Array.isArray(last) && areNamed(last) ? last : [], keyed)
  // A list that stays keeps what the API server has filled in.
  if (Array.isArray(next) && jsonEqual(next, last)) return filled(next, live)
  return withoutNulls(next)
}

function mergedMaps(next: JsonObject, live: JsonObject, last: JsonObject, keyed: boolean): JsonObject {
  const kept = Object.entries(live).filter(([key]) => next[key] === undefined && last[key] === undefined)
  const set = Object.entries(next)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => [key, merged(value, live[key], last[key], keyed)] as const)
  return Object.fromEntries([...kept, ...set])
}

/** The value of a manifest with what a live value has beyond it. */
function filled(value: unknown, live: unknown): unknown {
  if (value === null) return live
  if (Array.isArray(value) && Array.isArray(live) && value.length === live.length)
    return value.map((item, index) => filled(item, live[index]))
  if (!isObject(value) || !isObject(live)) return withoutNulls(value)
  const own = Object.entries(value).map(([key, one]) => [key, filled(one, live[key])] as const)
  return { ...live, ...Object.fromEntries(own.filter(([, one]) => one !== undefined)) }
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
