import { isTree, setOwn } from '../../machinery/json-value.ts'
import { type DefaultedField, described, type OptionalField, type Schema } from './schema.ts'

type Field = Schema<unknown> | OptionalField<unknown> | DefaultedField<unknown>

/** Fields by name; one that is neither optional nor defaulted is required. */
export interface Fields {
  readonly [name: string]: Field
}

type ValueOf<F> = F extends Schema<infer T> ? T : F extends { readonly schema: Schema<infer T> } ? T : never
type OptionalNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends OptionalField<unknown> ? Name : never
}[keyof F]

type Flat<T> = { readonly [Name in keyof T]: T[Name] }

/** The type of an object with these fields: what has a default is always there. */
export type ObjectWith<F extends Fields> = Flat<
  { readonly [Name in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[Name]> } & {
    readonly [Name in OptionalNames<F>]?: ValueOf<F[Name]>
  }
>

export interface ObjectRules {
  /** The manager that applies the object owns all of it. */
  readonly mapType?: 'atomic'
  /** Rules in CEL that API servers from 1.25 check. */
  readonly validations?: readonly { readonly rule: string; readonly message: string }[]
  /** API servers keep fields that are not listed. */
  readonly preserveUnknownFields?: true
}

interface Reader {
  readonly name: string
  readonly read: (value: unknown) => unknown
}

/** An object of known fields. */
export function object<const F extends Fields>(
  description: string | undefined,
  fields: F,
  { mapType, validations, preserveUnknownFields }: ObjectRules = {},
): Schema<ObjectWith<F>> {
  const entries = Object.entries<Field>(fields)
  const required = entries.flatMap(([name, field]) => ('presence' in field ? [] : [name]))
  const readers = entries.map(([name, field]): Reader => ({ name, read: readerOf(field) }))
  // The readers make each field what the type says of it.
  const read = (value: unknown) => (isTree(value) ? (readFields(readers, value) as ObjectWith<F>) : undefined)
  return {
    openapi: {
      ...described(description),
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, field]) => [name, openapiOf(field)])),
      ...(required.length === 0 ? {} : { required: required.toSorted() }),
      ...(mapType === undefined ? {} : { 'x-kubernetes-map-type': mapType }),
      ...(validations === undefined ? {} : { 'x-kubernetes-validations': validations }),
      ...(preserveUnknownFields === undefined ? {} : { 'x-kubernetes-preserve-unknown-fields': true }),
    },
    blank: Object.freeze(readFields(readers, {})) as ObjectWith<F>,
    read,
  }
}

function openapiOf(field: Field): unknown {
  if (!('presence' in field)) return field.openapi
  return field.presence === 'defaulted' ? { ...field.schema.openapi, default: field.value } : field.schema.openapi
}

function readerOf(field: Field): Reader['read'] {
  if (!('presence' in field)) return (value) => field.read(value) ?? field.blank
  const { schema } = field
  if (field.presence === 'optional') return schema.read
  const instead = schema.read(field.value) ?? schema.blank
  return (value) => schema.read(value) ?? instead
}

function readFields(
  readers: readonly Reader[],
  object: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  let result: Record<string, unknown> | undefined
  for (const { name, read } of readers) {
    const given = Object.hasOwn(object, name) ? object[name] : undefined
    const value = read(given)
    if (value === given) continue
    result ??= { ...object }
    if (value === undefined) delete result[name]
    else setOwn(result, name, value)
  }
  return result ?? object
}
