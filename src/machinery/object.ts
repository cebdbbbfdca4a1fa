import { groupOf } from './group-version.ts'
import type { Int64 } from './json-value.ts'
/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** A JSON object; values are `unknown` because they come from outside and are narrowed where they are read. */
export interface JsonObject {
  readonly [key: string]: unknown
}

export interface OwnerReference {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
  readonly controller?: boolean
  readonly blockOwnerDeletion?: boolean
}

/** `metav1.ObjectMeta`, as far as allot itself reads it. */
export interface ObjectMeta {
  readonly name?: string
  readonly generateName?: string
  readonly namespace?: string
  readonly uid?: string
  readonly resourceVersion?: string
  readonly generation?: Int64
  readonly creationTimestamp?: string
  readonly deletionTimestamp?: string
  readonly deletionGracePeriodSeconds?: Int64
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly finalizers?: readonly string[]
  readonly ownerReferences?: readonly OwnerReference[]
  readonly managedFields?: readonly JsonObject[]
}

/** An object of the Kubernetes API: kind, version and metadata are known, the rest is narrowed by its reader. */
export interface KubeObject extends JsonObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: ObjectMeta
}

/** Is it a JSON object, neither null nor a list? */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The group and kind of an object, without the version, as a Status names them. */
export function groupKindOf({ apiVersion, kind }: KubeObject): { readonly group: string; readonly kind: string } {
  return { group: groupOf(apiVersion), kind }
}

/** The owner that manages an object, as its references name it; undefined for one that nobody manages. */
export const controllerOf = ({ metadata }: { readonly metadata: ObjectMeta }): OwnerReference | undefined =>
  // A manifest may have null there.
  (metadata.ownerReferences ?? []).find(({ controller }) => controller === true)
