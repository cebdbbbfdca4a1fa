import type { FieldError } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Caller } from '../../machinery/caller.ts'

/** The facts of a request that a strategy may use. */
export interface Context {
  /** The time of the request, as RFC 3339 in whole seconds. */
  readonly now: string
  /** The user that sent the request. */
  readonly caller?: Caller
}

/** How a kind answers its `scale` subresource. */
export interface ScaleRules {
  /** Where the object has them: `['spec', 'replicas']`. */
  readonly replicasPath: readonly string[]
  readonly specReplicas: (object: KubeObject) => number
  readonly statusReplicas: (object: KubeObject) => number
  /** The selector as text, such as `app=web,tier in (a,b)`; empty if there is none. */
  readonly selector: (object: KubeObject) => string
  readonly withReplicas: (object: KubeObject, replicas: number) => KubeObject
  /** Does the kind itself refuse replicas that may not be? */
  readonly isValidated?: boolean
  /** Why there is no scale to be read. */
  readonly unreadable?: (object: KubeObject) => string | undefined
}

/**
 * How one built-in kind behaves in the API server. Every function is pure: it gives a new object (or the very same one if
 * nothing changes) and never mutates what it is given. Errors are values; an empty list means valid.
 */
export interface Strategy {
  readonly shortNames?: readonly string[]
  /** Default: the kind in lower case. */
  readonly singular?: string
  readonly categories?: readonly string[]
  /** The group that refusals of this kind name, where that is not its own: it had another once. */
  readonly errorGroup?: string
  /** Which names the kind takes; default `subdomain`. */
  readonly nameRule?: 'subdomain' | 'label' | 'label1035' | 'pathSegment'
  /** May a PUT come without a resourceVersion? Default true. */
  readonly allowUnconditionalUpdate?: boolean
  /** Does a PUT of a missing object create it? Default false. */
  readonly allowCreateOnUpdate?: boolean
  /** API defaulting, applied to whatever is decoded: create, update, and the result of a patch. */
  readonly defaults?: (object: KubeObject, options?: { readonly keepsNulls?: boolean }) => KubeObject
  /** After defaulting and with `metadata.name` and `metadata.uid` set; before admission and validation. */
  readonly prepareForCreate?: (object: KubeObject, context: Context) => KubeObject
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, context: Context) => KubeObject
  /** The metadata that an update of the status cannot change: none, the labels or all of it. */
  readonly statusKeeps?: 'labels' | 'metadata'
  /** By subresource the paths that a write cannot change, where they are others than those of most kinds: nobody comes to own them. */
  readonly resets?: Readonly<Record<string, readonly (readonly string[])[]>>
  readonly prepareForStatusUpdate?: (object: KubeObject, old: KubeObject, context: Context) => KubeObject
  /** The rules for a new object; metadata is checked elsewhere. */
  readonly validate?: (object: KubeObject) => readonly FieldError[]
  /** All rules for an update: those of `validate` that an update obeys are in here already. Default: `validate`. */
  readonly validateUpdate?: (object: KubeObject, old: KubeObject) => readonly FieldError[]
  readonly validateStatusUpdate?: (object: KubeObject, old: KubeObject) => readonly FieldError[]
  /** The rules for updates through other subresources, such as `resize` by its name. */
  readonly validateSubresource?: Readonly<
    Record<string, (object: KubeObject, old: KubeObject) => readonly FieldError[]>
  >
  /** Texts for `Warning: 299` headers; `old` is given on update. */
  readonly warnings?: (object: KubeObject, old?: KubeObject) => readonly string[]
  readonly scale?: ScaleRules
}

/** Strategies by resource: `pods`, `deployments.apps`. */
export type Strategies = Readonly<Record<string, Strategy>>
