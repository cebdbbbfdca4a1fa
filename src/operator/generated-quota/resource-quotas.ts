import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { ResourceKind } from '../../kube/client/kube-client.ts'
import type { Share } from '../../kube/cache/string-pool.ts'
import { slimObject } from '../../kube/cache/trim-object.ts'
import { keepEqual } from '../keep-equal.ts'
import type { KubeObject } from '../../machinery/object.ts'

export const RESOURCE_QUOTAS: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'resourcequotas',
  kind: 'ResourceQuota',
  namespaced: true,
}

/** Returns the part of a generated ResourceQuota that caches keep: all but the fields that only its writers need. */
export const keepQuota = (object: KubeObject, share: Share, old: ResourceQuota | undefined): ResourceQuota =>
  keepEqual(slimObject(object, share) as ResourceQuota, old)
