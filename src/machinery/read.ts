import { isRawNumber } from './json-value.ts'
import { isObject, type JsonObject, type ObjectMeta } from './object.ts'

declare const shape: unique symbol
/** A value from outside that should have the shape T, and that nobody has checked: only the readers below open it. */
export interface Unchecked<T> {
  /** For the type only; no value has it. */
  readonly [shape]: T
}

/** A map, as of labels by their keys. */
export type Named<T> = Readonly<Record<string, T>>

/** A kind inside of another: its metadata is text from outside, too. */
export type Embedded<T> = Partial<Omit<T, 'metadata'>> & { readonly metadata?: Unchecked<EmbeddedMeta> }
type EmbeddedMeta = { readonly [Field in keyof ObjectMeta]?: unknown }

/** A value without what a reader takes for nothing. */
type Sent<V> = Exclude<V, undefined | null | boolean>

/** The shape of a value: the one that its type tells, or any object. */
export type Opened<V> = [Sent<V>] extends [Unchecked<infer T>] ? T : JsonObject

type OpenedItem<V> = [Sent<V>] extends [Unchecked<readonly (infer T)[]>] ? T : JsonObject

/** What a value is read as by its keys: its shape, as far as its type tells one. */
type Shape<V> = [Sent<V>] extends [Unchecked<infer T>] ? T : [keyof Sent<V>] extends [never] ? JsonObject : Sent<V>
type Key<V> = keyof Shape<V> & string

/** A path whose every key is a field of what the path has come to. */
type PathIn<V, P extends readonly string[]> = P extends readonly [infer First, ...infer Rest extends readonly string[]]
  ? First extends Key<V>
    ? readonly [First, ...PathIn<Shape<V>[First], Rest>]
    : readonly [Key<V>]
  : P

type ValueAt<V, P extends readonly string[]> = P extends readonly [
  infer First extends Key<V>,
  ...infer Rest extends readonly string[],
]
  ? ValueAt<Shape<V>[First], Rest>
  : P extends readonly []
    ? V | undefined
    : unknown

const NOTHING: JsonObject = Object.freeze({})
const NONE: readonly never[] = Object.freeze([])

/** Neither there nor null: what Go decodes as nil. */
export const absent = (value: unknown): value is undefined | null => value === undefined || value === null

/** Absent, or the empty text, from which a Go string without pointer does not differ. */
export const blank = (value: unknown): boolean => value === undefined || value === null || value === ''

/** The object, or an empty one for anything else. */
export const objectOf = <V>(value: V): Opened<V> => (isObject(value) ? value : NOTHING) as Opened<V>

/** The object, undefined for anything else: for readers to which an empty object says more than none. */
export const givenObject = <V>(value: V): Opened<V> | undefined =>
  isObject(value) ? (value as unknown as Opened<V>) : undefined

/** The list, or an empty one for anything else. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : NONE)

/** The list's elements, read as objects: mostly the very list. */
export function objectsOf<V>(value: V): readonly OpenedItem<V>[] {
  if (!Array.isArray(value)) return NONE
  const list: readonly unknown[] = value
  return (areObjects(list) ? list : list.map(objectOf)) as readonly OpenedItem<V>[]
}

/** The list's elements that are objects, without the others: mostly the very list. */
export function givenObjects<V>(value: V): readonly OpenedItem<V>[] {
  if (!Array.isArray(value)) return NONE
  const list: readonly unknown[] = value
  return (areObjects(list) ? list : list.filter(isObject)) as readonly OpenedItem<V>[]
}

function areObjects(list: readonly unknown[]): list is readonly JsonObject[] {
  for (let index = 0; index < list.length; index++) if (!isObject(list[index])) return false
  return true
}

/** The text, or '' for anything else. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The list's elements, read as texts. */
export const textsOf = (value: unknown): readonly string[] => listOf(value).map(textOf)

/** The list's elements that are texts, without the others. */
export const givenTexts = (value: unknown): readonly string[] =>
  listOf(value).filter((item) => typeof item === 'string')

/**
 * The number, if it is one. One beyond 2^53 is rounded, which is good for comparing it with a bound; what is computed with,
 * shown or stored is the value itself, or its `wholeNumber`.
 */
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : isRawNumber(value) ? Number(value.rawJSON) : undefined

/** The number, or 0 for anything else; rounded as `numberOf` rounds it. */
export const countOf = (value: unknown): number => numberOf(value) ?? 0

/** A map's entries whose values are texts, such as labels. */
export const textEntries = (value: unknown): readonly (readonly [string, string])[] =>
  Object.entries(objectOf(value)).map(([key, text]) => [key, textOf(text)] as const)

/** Does the map hold anything? */
export const isEmptyMap = (value: unknown): boolean => {
  for (const _ in objectOf(value)) return false
  return true
}

/** The value at a path of keys, undefined where there is none. */
export function valueAt<V, const P extends readonly string[]>(
  value: V,
  ...path: P extends PathIn<V, P> ? P : PathIn<V, P>
): ValueAt<V, P> {
  let here: unknown = value
  for (const key of path) here = isObject(here) ? here[key] : undefined
  return here as ValueAt<V, P>
}

/** The text at a path of keys, '' where there is none. */
export const textAt = <V, const P extends readonly string[]>(
  value: V,
  ...path: P extends PathIn<V, P> ? P : PathIn<V, P>
): string => textOf(valueAt<unknown, readonly string[]>(value, ...path))

export const specOf = <O extends { readonly spec?: unknown }>(object: O): Opened<O['spec']> =>
  objectOf(object.spec) as Opened<O['spec']>
export const statusOf = <O extends { readonly status?: unknown }>(object: O): Opened<O['status']> =>
  objectOf(object.status) as Opened<O['status']>
