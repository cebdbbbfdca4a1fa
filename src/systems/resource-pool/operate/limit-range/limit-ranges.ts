import type { LimitRange } from '../../decide/limit-range/pool-limit-range.ts'
import { managersReset } from '../../../generated-quota/decide/foreign-metadata.ts'
import type { StringPool } from '../../../../kube/cache/string-pool.ts'
import { slimObject } from '../../../../kube/cache/trim-object.ts'
import type { ResourceKind } from '../../../../kube/client/kube-client.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { keepEqual } from '../../../../operator/cluster/keep-equal.ts'

export const LIMIT_RANGES: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'limitranges',
  kind: 'LimitRange',
  namespaced: true,
}

/** The part of a LimitRange that caches keep, as `keepQuota`. */
export function keepLimitRange(object: KubeObject, share: StringPool, old: LimitRange | undefined): LimitRange {
  const slim = slimObject(object, share) as LimitRange
  return keepEqual({ ...slim, metadata: { ...slim.metadata, ...managersReset(object) } }, old)
}
