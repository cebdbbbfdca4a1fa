import { DEFINITION_LABEL, INCREASES_MANAGED_BY_LABEL } from '../../quota-increase/api/increase-names.ts'
import { MANAGED_BY_CONTROLLER, MANAGED_BY_LABEL } from '../../resource-pool/api/pool-names.ts'
import { resourcePool } from '../../resource-pool/api/resource-pool.ts'
import { isResourceQuota, type ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { QUOTA_COUNT_LIMITS } from '../decide/room-for-quota.ts'

/** The resources of the core group by which allot limits a namespace. */
const LIMITING: ReadonlySet<string> = new Set(['resourcequotas', 'limitranges'])

/**
 * Reports whether allot itself writes a ResourceQuota or LimitRange that it keeps, or makes room for one. No custom quota may refuse that: a
 * tenant could keep the limits of the platform out of a namespace. `own`: the user that allot is; undefined while it is not known. An
 * administrator may be the same user, so the object must show it as well.
 */
export function isGeneratedWrite(
  { userInfo, resource, object, oldObject }: Pick<AdmissionRequest, 'userInfo' | 'resource' | 'object' | 'oldObject'>,
  own: string | undefined,
): boolean {
  if (userInfo.username !== own || resource.group !== '' || !LIMITING.has(resource.resource)) return false
  return [object, oldObject].some((one) => one !== undefined && isKept(one)) || makesRoom(object, oldObject)
}

/** Does a pool or a definition own it, as allot writes it? */
function isKept({ metadata: { labels = {}, ownerReferences = [] } }: KubeObject): boolean {
  const isOfDefinition = Object.hasOwn(labels, INCREASES_MANAGED_BY_LABEL) && Object.hasOwn(labels, DEFINITION_LABEL)
  const isOfPool = ownerReferences.some(
    ({ apiVersion, kind, controller }) =>
      controller === true && kind === resourcePool.kind && apiVersion.split('/')[0] === resourcePool.group,
  )
  return isOfDefinition || (isOfPool && labels[MANAGED_BY_LABEL] === MANAGED_BY_CONTROLLER)
}

/** Does only the number of ResourceQuotas change that a quota allows? */
function makesRoom(object: KubeObject | undefined, old: KubeObject | undefined): boolean {
  if (object === undefined || old === undefined || !isResourceQuota(object) || !isResourceQuota(old)) return false
  return jsonEqual(withoutCounts(object), withoutCounts(old))
}

function withoutCounts({ spec, metadata: { labels, annotations } }: ResourceQuota): object {
  const limits = Object.entries(spec?.hard ?? {}).filter(([name]) => !QUOTA_COUNT_LIMITS.some((one) => one === name))
  return { labels: labels ?? {}, annotations: annotations ?? {}, spec: { ...spec, hard: Object.fromEntries(limits) } }
}
