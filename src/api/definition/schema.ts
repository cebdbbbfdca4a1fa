import type { JsonObject } from '../../machinery/object.ts'

/** One definition of what a value is: as a structural schema for API servers, and as a type with its reader for us. */
export interface Schema<T> {
  /** Structural OpenAPI v3, as it stands in a CustomResourceDefinition. */
  readonly openapi: JsonObject
  /** The value that replaces a required one that is missing all the same: the empty value of its type. */
  readonly blank: T
  /**
   * Takes what an API server keeps: defaults are filled in, fields unknown here stay, and whatever needs no change is the
   * object that was given. Undefined for what is missing, null or of another type.
   */
  readonly read: (value: unknown) => T | undefined
}

/** The TypeScript type of what a schema describes. */
export type TypeOf<S extends Schema<unknown>> = S extends Schema<infer T> ? T : never

/** A field that may be left out. */
export interface OptionalField<T> {
  readonly presence: 'optional'
  readonly schema: Schema<T>
}

/** A field that API servers fill in when it is left out. */
export interface DefaultedField<T> {
  readonly presence: 'defaulted'
  readonly schema: Schema<T>
  /** As it stands in the schema; the defaults of its own fields are filled in when it is read. */
  readonly value: unknown
}

/** Lets a field be left out. */
export function optional<T>(schema: Schema<T>): OptionalField<T> {
  return { presence: 'optional', schema }
}

/** Gives a field a default. */
export function defaulted<T>(schema: Schema<T>, value: unknown): DefaultedField<T> {
  return { presence: 'defaulted', schema, value }
}

/** The same schema with a description of its own, for a field of a type that several fields have. */
export function withDescription<T>(description: string, schema: Schema<T>): Schema<T> {
  return { ...schema, openapi: { ...schema.openapi, description } }
}

/** The description as a member of a schema; nothing where there is none, as in the items of most lists. */
export function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description }
}
