import type { ResourceKind } from '../../src/kube/client/kube-client.ts'

/** A kind of the core group. */
export const coreKind = (resource: string, kind: string, namespaced = true): ResourceKind => ({
  group: '',
  version: 'v1',
  resource,
  kind,
  namespaced,
})

export const CONFIG_MAPS = coreKind('configmaps', 'ConfigMap')
export const NAMESPACES = coreKind('namespaces', 'Namespace', false)
