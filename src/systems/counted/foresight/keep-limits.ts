import type { ResourceQuota } from '../../../api/resource-quota/resource-quota.ts'
import { shareStrings, type StringPool } from '../../../kube/cache/string-pool.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { keepEqual } from '../../../operator/cluster/keep-equal.ts'

/** The part of a ResourceQuota by which API servers refuse: its limits in force, its usage and its scopes. */
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
