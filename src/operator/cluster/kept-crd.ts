import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import { textAt, objectsOf, textOf, statusOf, objectOf, specOf } from '../../machinery/read.ts'
import { keepEqual } from './keep-equal.ts'
import type { StringPool } from '../../kube/cache/string-pool.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'

export const CRD_KIND: ResourceKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}

/** The fields of a CustomResourceDefinition that counting uses. */
export interface KeptCrd {
  readonly group: string
  readonly kind: string
  readonly resource: string
  readonly namespaced: boolean
  /** Is it served? */
  readonly established: boolean
  /** By version: where the number of replicas stands in an object, for those with the subresource `scale`. */
  readonly scalePaths: Readonly<Record<string, string>>
  /** The served versions. */
  readonly served: readonly string[]
}

/** Returns the part of a CRD that the caches keep, because its schemas are large. */
export function keepServedKinds(crd: CustomResourceDefinition, share: StringPool, old: KeptCrd | undefined): KeptCrd {
  const { group, names, scope, versions } = specOf(crd)
  const { kind, plural } = objectOf(names)
  const served = objectsOf(versions).filter((version) => version.served === true)
  const scalePaths = served.flatMap((version) => {
    const path = textAt(version, 'subresources', 'scale', 'specReplicasPath')
    return path === '' ? [] : [[textOf(version.name), path] as const]
  })
  const conditions = objectsOf(statusOf(crd).conditions)
  return keepEqual(
    {
      group: share(textOf(group)),
      kind: textOf(kind),
      resource: textOf(plural),
      namespaced: scope === 'Namespaced',
      established: conditions.some(({ type, status }) => type === 'Established' && status === 'True'),
      scalePaths: Object.fromEntries(scalePaths),
      served: served.map((version) => share(textOf(version.name))),
    },
    old,
  )
}
