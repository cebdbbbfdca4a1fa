import { keepEqual } from './keep-equal.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
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
export function keepServedKinds(object: KubeObject, share: StringPool, old: KeptCrd | undefined): KeptCrd {
  const spec = treeAt(object, 'spec')
  const served = listAt(spec, 'versions').filter((version) => version['served'] === true)
  const scalePaths = served.flatMap((version) => {
    const path = textAt(treeAt(treeAt(version, 'subresources'), 'scale'), 'specReplicasPath')
    return path === '' ? [] : [[textAt(version, 'name'), path] as const]
  })
  const conditions = listAt(treeAt(object, 'status'), 'conditions')
  return keepEqual(
    {
      group: share(textAt(spec, 'group')),
      kind: textAt(treeAt(spec, 'names'), 'kind'),
      resource: textAt(treeAt(spec, 'names'), 'plural'),
      namespaced: textAt(spec, 'scope') === 'Namespaced',
      established: conditions.some(({ type, status }) => type === 'Established' && status === 'True'),
      scalePaths: Object.fromEntries(scalePaths),
      served: served.map((version) => share(textAt(version, 'name'))),
    },
    old,
  )
}

const treeAt = (from: JsonObject, field: string): JsonObject => (isObject(from[field]) ? from[field] : {})
const textAt = (from: JsonObject, field: string): string => (typeof from[field] === 'string' ? from[field] : '')
const listAt = (from: JsonObject, field: string): readonly JsonObject[] =>
  Array.isArray(from[field]) ? from[field].filter(isObject) : []
