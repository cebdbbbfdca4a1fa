import type { ResourceKind } from './kube-client.ts'

/** A resource as a server offers it. */
export interface ServerResource extends ResourceKind {
  readonly verbs: readonly string[]
  readonly shortNames: readonly string[]
  /** `status`, `scale`, … */
  readonly subresources: readonly string[]
}

/** Versions of one group, the preferred one first. */
export interface GroupVersions {
  readonly group: string
  readonly versions: readonly string[]
}
