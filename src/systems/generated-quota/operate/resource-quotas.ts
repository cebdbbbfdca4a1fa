import type { ResourceQuota } from '../../../api/resource-quota/resource-quota.ts'
import { managersReset } from '../decide/foreign-metadata.ts'
import type { ResourceKind } from '../../../kube/client/kube-client.ts'
import type { StringPool } from '../../../kube/cache/string-pool.ts'
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
 * Returns the part of a generated ResourceQuota that caches keep: all but the fields that only its writers need, and a note where
 * these take too much room.
 */
export function keepQuota(object: KubeObject, share: StringPool, old: ResourceQuota | undefined): ResourceQuota {
  const slim = slimObject(object, share) as ResourceQuota
  return keepEqual({ ...slim, metadata: { ...slim.metadata, ...managersReset(object) } }, old)
}
