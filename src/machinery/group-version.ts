/** `schema.GroupVersion`; the core group is ''. */
export interface GroupVersion {
  readonly group: string
  readonly version: string
}

/** `metav1.GroupVersionKind`. */
export interface GroupVersionKind extends GroupVersion {
  readonly kind: string
}

/** `metav1.GroupVersionResource`. */
export interface GroupVersionResource extends GroupVersion {
  /** The plural. */
  readonly resource: string
}

/** `v1` for the core group, `apps/v1` for the others: what objects carry as apiVersion. */
export const apiVersionOf = ({ group, version }: GroupVersion): string =>
  group === '' ? version : `${group}/${version}`

/** The group of an apiVersion. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash === -1 ? '' : apiVersion.slice(0, slash)
}
