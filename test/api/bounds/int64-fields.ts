import { readFileSync } from 'node:fs'
import { isObject, type JsonObject } from '../../../src/machinery/object.ts'
import { VALID } from '../../fuzz/valid-objects.ts'

interface Schema {
  readonly format?: string
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
  readonly items?: Schema
}

interface Served {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly resource: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
}

type Path = readonly (string | number)[]

/** A number of 64 bits in an object of a kind that is served. */
export interface Int64Field {
  readonly served: Served
  readonly path: Path
  /** The definition that holds it, and its name there. */
  readonly origin: string
}

const read = (name: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../../../schemas/${name}`, import.meta.url), 'utf8')) as JsonObject
const { definitions } = read('kubernetes-1.36-definitions.json') as {
  readonly definitions: Readonly<
    Record<string, Schema & { readonly 'x-kubernetes-group-version-kind'?: readonly JsonObject[] }>
  >
}
const { resources } = read('kubernetes-1.36-resources.json') as { readonly resources: Readonly<Record<string, Served>> }

type Place = Pick<Int64Field, 'path' | 'origin'>

function* pathsIn(schema: Schema, path: Path, seen: readonly string[]): Iterable<Place> {
  const { $ref, format, properties, items, additionalProperties } = schema
  if (format === 'int64') yield { path, origin: `${seen.at(-1)} ${path.findLast((key) => key !== 0)}` }
  if ($ref !== undefined) {
    const name = $ref.replace('#/definitions/', '')
    const target = definitions[name]
    if (target !== undefined && !seen.includes(name)) yield* pathsIn(target, path, [...seen, name])
  }
  for (const [key, inner] of Object.entries(properties ?? {})) yield* pathsIn(inner, [...path, key], seen)
  if (items !== undefined) yield* pathsIn(items, [...path, 0], seen)
  if (additionalProperties !== undefined) yield* pathsIn(additionalProperties, [...path, 'a'], seen)
}

const definitionOf = ({ group, version, kind }: Served): Schema | undefined =>
  Object.values(definitions).find((one) =>
    one['x-kubernetes-group-version-kind']?.some(
      (id) => id['group'] === group && id['version'] === version && id['kind'] === kind,
    ),
  )

/** Every field of 64 bits of every kind that can be created, as the schema data has them. */
export const INT64_FIELDS: readonly Int64Field[] = Object.values(resources)
  .filter(({ verbs, resource }) => verbs.includes('create') && !resource.includes('/'))
  .flatMap((served) => {
    const schema = definitionOf(served)
    return schema === undefined ? [] : [...pathsIn(schema, [], [])].map((place) => ({ served, ...place }))
  })

/** Of each field of a definition the first place where a kind has it: a pod's are in every kind that makes pods. */
export const DIFFERENT_FIELDS: readonly Int64Field[] = [
  ...new Map(INT64_FIELDS.toReversed().map((field) => [field.origin, field])).values(),
]

/** The path of the resource's collection. */
export function collectionOf({ group, version, resource, namespaced }: Served, namespace: string): string {
  const start = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return `${start}${namespaced ? `/namespaces/${namespace}` : ''}/${resource}`
}

/** An object of the kind that is valid where one is known, with a value at a path; what is on the way there is made. */
export function objectWith({ served, path }: Pick<Int64Field, 'served' | 'path'>, value: unknown): JsonObject {
  const { group, version, kind, resource } = served
  const name = group === 'apiextensions.k8s.io' ? 'things.fuzz.test' : 'whole-number'
  const base = {
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind,
    metadata: { name },
    ...VALID[group === '' ? resource : `${resource}.${group}`],
  }
  return withAt(base, path, value) as JsonObject
}

/** Only what is on the path, as a merge patch has it. */
export const patchWith = ({ path }: Int64Field, value: unknown): unknown => withAt(undefined, path, value)

function withAt(target: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value
  if (typeof key === 'number') {
    const [first, ...others] = Array.isArray(target) ? (target as readonly unknown[]) : []
    return [withAt(first, rest, value), ...others]
  }
  const object = isObject(target) ? target : {}
  return { ...object, [key]: withAt(object[key], rest, value) }
}
