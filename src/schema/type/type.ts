import type { GroupVersionKind } from '../../machinery/group-version.ts'
/** The type of the value at one place of an object, with references resolved. Types may contain themselves. */
export type Type = ObjectType | MapType | ListType | LeafType

export type LeafKind =
  | 'string'
  | 'boolean'
  | 'int32'
  | 'int64'
  | 'double'
  | 'quantity'
  | 'intOrString'
  | 'time'
  | 'microTime'
  | 'bytes'
  /** Anything at all: raw extensions, `fieldsV1`, and what `x-kubernetes-preserve-unknown-fields` marks. */
  | 'any'

/** A struct: fields known by name. */
export interface ObjectType {
  readonly kind: 'object'
  /** The definition's full name such as `io.k8s.api.core.v1.PodSpec`; empty for a schema that stands inline. */
  readonly name: string
  /** The name of the Go struct, `PodSpec`; messages print it. */
  readonly struct: string
  readonly goType: string
  /** In the order of output: kind, apiVersion and metadata first, the rest as `Field.index` counts it. */
  readonly fields: ReadonlyMap<string, Field>
  /** `x-kubernetes-map-type: atomic`: server-side apply owns it as a whole. */
  readonly atomic: boolean
  /** `x-kubernetes-preserve-unknown-fields`: fields that the schema does not name stay. */
  readonly keepsUnknown: boolean
  readonly required: readonly string[]
  readonly groupVersionKinds: readonly GroupVersionKind[]
}

export interface MapType {
  readonly kind: 'map'
  readonly goType: string
  readonly values: Type
  readonly atomic: boolean
}

export interface ListType {
  readonly kind: 'list'
  readonly goType: string
  readonly items: Type
  /** `x-kubernetes-list-type`; a list without it is atomic to server-side apply. */
  readonly listType: 'atomic' | 'set' | 'map'
  /** `x-kubernetes-list-map-keys`; empty unless `listType` is `map`. */
  readonly keys: readonly string[]
}

export interface LeafType {
  readonly kind: LeafKind
  readonly goType: string
  /** Where anything may stand: what an object must be like if one does. */
  readonly object?: ObjectType | MapType
  /** The same for a list. */
  readonly list?: ListType
}

export interface Field {
  readonly name: string
  /** The place among the fields of its object, from 0. */
  readonly index: number
  readonly type: Type
  readonly required: boolean
  /** Left out where it is empty, `""`, 0 or false, as Go's `omitempty` has it: an object never holds it then. */
  readonly omitsEmpty: boolean
  /** The schema's own default. */
  readonly default: unknown
  /** How strategic merge patch treats a list or object here. */
  readonly patch: PatchStrategy
}

/** `x-kubernetes-patch-strategy` and `x-kubernetes-patch-merge-key`. */
export interface PatchStrategy {
  readonly merge: boolean
  readonly replace: boolean
  readonly retainKeys: boolean
  /** Set when `merge` holds for a list of objects. */
  readonly mergeKey: string | undefined
}
