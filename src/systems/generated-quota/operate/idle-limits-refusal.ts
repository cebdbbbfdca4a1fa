import { groupKindOf, type KubeObject } from '../../../machinery/object.ts'
import { invalid } from '../../../machinery/status.ts'
import { type AdmissionDecision, allowed, deniedAs } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import type { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { NamedLimits } from '../../../charges/limit-names/judge-limits.ts'

/** Rejects an allowed object that has idle limits. Only warns of limits that a later CRD may make effective. */
export async function withoutIdleLimits(
  decision: AdmissionDecision,
  { object, oldObject, operation }: AdmissionRequest,
  limits: (object: KubeObject, old: KubeObject | undefined) => readonly NamedLimits[],
  check: Pick<LimitCheck, 'judge'>,
  signal: AbortSignal,
): Promise<AdmissionDecision> {
  if (decision.verdict !== 'allowed' || object === undefined || operation === 'DELETE') return decision
  const { errors, warnings } = await check.judge(limits(object, oldObject), signal)
  if (errors.length === 0) return warnings.length === 0 ? decision : allowed([...decision.warnings, ...warnings])
  return deniedAs(invalid(groupKindOf(object), object.metadata.name ?? '', errors))
}
