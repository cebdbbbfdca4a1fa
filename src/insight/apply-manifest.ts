import { canonicalJson, jsonEqual } from '../machinery/json-value.ts'
import { isObject, type JsonObject, type KubeObject } from '../machinery/object.ts'
import { objectOf, textOf } from '../machinery/read.ts'
import { ApiError } from '../machinery/status.ts'
import type { Schemas } from './schemas.ts'
import type { ListType, ObjectType, PatchStrategy, Type } from '../schema/type/type.ts'

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
 * manifest that this one lacks go. `type`: the type of a built-in kind, whose lists are merged item by item where it says so, such as containers.
 */
export function appliedOver(
  manifest: KubeObject,
  live: KubeObject,
  last: KubeObject | undefined,
  type: ObjectType | undefined,
): KubeObject {
  // Nothing here converts fields between versions.
  if (manifest.apiVersion !== live.apiVersion && last && jsonEqual(applied(manifest), applied(last))) return live
  const { metadata, ...rest } = merged(applied(manifest), live, last && applied(last), { type }) as KubeObject
  // API servers store no empty labels and annotations.
  return { ...rest, metadata: Object.fromEntries(Object.entries(metadata).filter(([, value]) => !isEmpty(value))) }
}

/** Applies a manifest to a stored object: kubectl has recorded the last manifest in it. */
export const appliedTo = (live: KubeObject, manifest: KubeObject, { decode, typeOf }: Schemas): KubeObject =>
  appliedOver(
    manifest,
    live,
    lastApplied(live, (one) => decode(one, false)),
    typeOf(manifest),
  )

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

/** The type of the value at one place, and how an item of a list there is recognized; of what has no schema neither is known. */
interface Place {
  readonly type: Type | undefined
  readonly patch?: PatchStrategy
}

function merged(next: unknown, live: unknown, last: unknown, place: Place): unknown {
  if (isObject(next) && isObject(live)) return mergedMaps(next, live, isObject(last) ? last : {}, place)
  if (Array.isArray(next) && Array.isArray(live) && live.length > 0) {
    const before: readonly unknown[] = Array.isArray(last) ? last : []
    const key = keyOf(place, [...next, ...live, ...before])
    if (key !== undefined) return mergedLists(next, live, before, place, key)
  }
  // A list that stays keeps what the API server has filled in.
  if (Array.isArray(next) && jsonEqual(next, last)) return filled(next, live)
  return withoutNulls(next)
}

function mergedMaps(next: JsonObject, live: JsonObject, last: JsonObject, { type }: Place): JsonObject {
  const kept = Object.entries(live).filter(([key]) => next[key] === undefined && last[key] === undefined)
  const set = Object.entries(next)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([key, value]) => [key, merged(value, live[key], last[key], placeIn(type, key))] as const)
  return Object.fromEntries([...kept, ...set])
}

function placeIn(type: Type | undefined, name: string): Place {
  if (type?.kind === 'map') return { type: type.values }
  const field = type?.kind === 'object' ? type.fields.get(name) : undefined
  return { type: field?.type, ...(field && { patch: field.patch }) }
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

/** The one merge key that a manifest may leave out. The schema does not tell its default. */
const KEY_DEFAULTS: JsonObject = { protocol: 'TCP' }

type KeyOf = (item: unknown) => string

/** How items of a list are told apart; undefined where the list is one value, or an item has no key. */
function keyOf({ type, patch }: Place, items: readonly unknown[]): KeyOf | undefined {
  if (type?.kind !== 'list' || patch?.merge !== true) return undefined
  const { mergeKey } = patch
  if (mergeKey === undefined) return items.every((item) => !isObject(item)) ? String : undefined
  const names = keysOf(type, mergeKey)
  const isKeyed = (item: unknown): boolean => isObject(item) && item[mergeKey] !== undefined
  const key: KeyOf = (item) => canonicalJson(names.map((name) => objectOf(item)[name] ?? KEY_DEFAULTS[name] ?? null))
  return items.every(isKeyed) ? key : undefined
}

/** kubectl merges by one key, which may name several items, such as two protocols of a port: the keys of server-side apply tell these apart. */
const keysOf = ({ keys }: ListType, mergeKey: string): readonly string[] =>
  keys.includes(mergeKey) ? keys : [mergeKey]

function mergedLists(
  next: readonly unknown[],
  live: readonly unknown[],
  last: readonly unknown[],
  { type }: Place,
  key: KeyOf,
): readonly unknown[] {
  const items: Place = { type: type?.kind === 'list' ? type.items : undefined }
  const byKey = (list: readonly unknown[]): ReadonlyMap<string, unknown> => new Map(list.map((one) => [key(one), one]))
  const [wanted, there, before] = [byKey(next), byKey(live), byKey(last)]
  const set = [...wanted].map(([of, item]) => merged(item, there.get(of), before.get(of), items))
  return [...set, ...live.filter((item) => !wanted.has(key(item)) && !before.has(key(item)))]
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
