import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { managersReset } from '../decide/foreign-metadata.ts'
import type { ResourceKind } from '../../../kube/client/kube-client.ts'
import { shareStrings, type StringPool } from '../../../kube/cache/string-pool.ts'
import { slimObject } from '../../../kube/cache/trim-object.ts'
import { keepEqual } from '../../../operator/cluster/keep-equal.ts'
import type { KubeObject } from '../../../machinery/object.ts'

export const RESOURCE_QUOTAS: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
}

/**
 * Returns the part of a generated ResourceQuota that caches keep. Fields that only its writers need are left out. A note is added where
 * these take too much room.
 */
export function keepQuota(object: KubeObject, share: StringPool, old: ResourceQuota | undefined): ResourceQuota {
  const slim = slimObject(object, share) as ResourceQuota
  return keepEqual({ ...slim, metadata: { ...slim.metadata, ...managersReset(object) } }, old)
}

/** The part of a ResourceQuota by which API servers refuse: its limits in force, its usage and its scopes. Views with it share what is kept. */
export function keepLimits(object: KubeObject, share: StringPool, old: ResourceQuota | undefined): ResourceQuota {
  const { metadata, spec = {}, status = {} } = object as ResourceQuota
  const { namespace = '', name = '', uid = '' } = metadata
  const { scopes, scopeSelector } = spec
  const kept = shareStrings(
    {
      spec: { ...(scopes === undefined ? {} : { scopes }), ...(scopeSelector === undefined ? {} : { scopeSelector }) },
      status,
    },
    share,
  )
  const identity = { namespace: share(namespace), name: share(name), uid }
  return keepEqual({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: identity, ...kept }, old)
}
