import type { KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import type { KnownKind } from './admission.ts'
import { NAMESPACES } from './world.ts'

export const NAMESPACE_KIND: KnownKind = { ...NAMESPACES, kind: 'Namespace', namespaced: false }
export const namespaceNamed = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
})

/** What controllers put into every namespace. */
export const ofEachNamespace = (namespace: string): readonly (readonly [GroupResource, KubeObject])[] => [
  [
    { group: '', resource: 'configmaps' },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'kube-root-ca.crt', namespace } },
  ],
  [
    { group: '', resource: 'serviceaccounts' },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } },
  ],
]
