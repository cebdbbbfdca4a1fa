import { BASE_LABEL } from '../api/increase-names.ts'
import { isResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { isKeptBy } from '../decide/generated-quota.ts'
import type { OwnerReference } from '../../../machinery/object.ts'
import { type AdmissionDecision, allowed, denied } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { harmOf, type KeptMarks, refusalOf } from '../../generated-quota/operate/harmless-change.ts'
import type { IncreaseCaches } from './increase-caches.ts'

export interface BaseQuotaGuardOptions {
  readonly caches: Pick<IncreaseCaches, 'namespaces'>
  /** The manager of the quotas, as their label names it. */
  readonly provider: string
  /** The name that the API server knows the operator by; undefined while it is not known. */
  readonly ownName: () => string | undefined
}

/** A group that may do everything; a quota that its members delete comes back at once. */
const ADMINISTRATORS = 'system:masters'

const isNamespace = ({ apiVersion, kind }: OwnerReference): boolean => apiVersion === 'v1' && kind === 'Namespace'

const MARKS: KeptMarks = { isKeeper: isNamespace, ownDomain: /^(?:[^/]+\.)?(?:allot\.dev|openmcp\.cloud)\// }

/**
 * Decides who may change or delete the ResourceQuota of a definition, as for those of pools. The cluster's administrators may
 * delete it, as they may with the quota operator; then it is made again.
 */
export function guardBaseQuota(
  request: AdmissionRequest,
  { caches, provider, ownName }: BaseQuotaGuardOptions,
): AdmissionDecision {
  const { operation, oldObject, userInfo } = request
  const own = ownName()
  // Without a way to recognize its own writes the operator allows all of them, and reverts wrong ones at once.
  if (own === undefined || userInfo.username === own) return allowed()
  if (oldObject === undefined || !isResourceQuota(oldObject) || !isKeptBy(oldObject, provider)) return allowed()
  const harm = harmOf(request, oldObject, MARKS)
  if (harm === undefined) return allowed()
  const { name = '', namespace = '' } = oldObject.metadata
  const state = caches.namespaces.get('', namespace)
  // Nobody keeps one in a namespace that follows no definition. While it moves to another definition, the former quota is kept until that of
  // the new one is in force.
  if (state === undefined || state.deleting || state.labels?.[BASE_LABEL] === undefined) return allowed()
  if (operation === 'DELETE' && userInfo.groups.includes(ADMINISTRATORS)) return allowed()
  return denied(refusalOf(harm, request, `quota definition ${name}`, INSTEAD))
}

const INSTEAD = 'change the definition or the increases of the namespace instead'
