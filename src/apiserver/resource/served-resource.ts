import type { JsonObject } from '../../machinery/object.ts'
import type { GroupVersion } from '../../machinery/group-version.ts'

/** A part of an object with an address of its own, such as `pods/status`. `kind` may belong to another group (Scale). */
export interface ServedSubresource {
  readonly name: string
  readonly kind: string
  readonly group: string
  readonly version: string
  readonly verbs: readonly string[]
}

/** `subresources.scale` of the version of a CustomResourceDefinition. */
export interface ScalePaths {
  readonly specReplicasPath: string
  readonly statusReplicasPath: string
  readonly labelSelectorPath?: string
}

/** A version of a CustomResourceDefinition, as far as its objects are stored by it. */
export interface DefinedVersion {
  readonly name: string
  readonly storage: boolean
  readonly schema: JsonObject
}

/** One resource in one version, as the API server serves it, with its facts for discovery and OpenAPI. */
export interface ServedResource {
  /** `''` for the core group. */
  readonly group: string
  readonly version: string
  /** The plural, as in URLs: `pods`. */
  readonly resource: string
  readonly kind: string
  readonly listKind: string
  readonly singular: string
  readonly namespaced: boolean
  readonly verbs: readonly string[]
  readonly shortNames?: readonly string[]
  readonly categories?: readonly string[]
  readonly subresources: readonly ServedSubresource[]
  /** The name of its definition in the data, such as `io.k8s.api.core.v1.Pod`; absent for custom resources. */
  readonly typeName?: string
  /** Does it come from a CustomResourceDefinition? */
  readonly custom?: boolean
  /** Is its CustomResourceDefinition being deleted? Then no more objects are created. */
  readonly terminating?: boolean
  /** The hash in discovery of the version in which its objects are stored. */
  readonly storageVersionHash?: string
  /** The paths of the `selectableFields` of the version of a CustomResourceDefinition, such as `.spec.color`. */
  readonly selectableFields?: readonly string[]
  /** The `openAPIV3Schema` of the version of a CustomResourceDefinition. */
  readonly schema?: JsonObject
  /** Every version of the CustomResourceDefinition, whether it is served or not. */
  readonly definedVersions?: readonly DefinedVersion[]
  /** Only what was written after this revision is known to be as these versions' schemas want it. */
  readonly schemasSince?: number
  /** The warning for each request for it; absent where it is not deprecated. */
  readonly deprecation?: string
  /** Where a custom resource keeps what its `scale` subresource shows, as paths like `.spec.replicas`. */
  readonly scalePaths?: ScalePaths
  /** The `additionalPrinterColumns` of that version. */
  readonly printerColumns?: readonly JsonObject[]
}

/** Where a group version is served, without the leading slash: `api/v1`, `apis/apps/v1`. */
export const servedAt = ({ group, version }: GroupVersion): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`
