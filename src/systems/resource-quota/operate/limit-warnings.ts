import { isResourceQuota, scopeRequirements } from '../../../kinds/resource-quota/resource-quota.ts'
import { idleWarning } from '../../../charges/limit-names/idle-limits.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { type AdmissionDecision, allowed } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import type { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { AnsweredHook } from '../../../operator/shell/registered-webhooks.ts'
import { type HookCondition, notByOperator } from '../../../operator/webhook/configuration.ts'

const CHANGES_SPEC: HookCondition = {
  name: 'changes-spec',
  expression: "request.operation == 'CREATE' || object.spec != oldObject.spec",
}

/**
 * The webhook that warns of limits of ResourceQuotas that limit nothing. Kubernetes accepts them, and so the webhook refuses nothing; while it
 * does not answer, nobody is warned.
 */
export function limitWarningsHook(check: Pick<LimitCheck, 'idle'>, own: string | undefined): AnsweredHook {
  return {
    phase: 'validating',
    name: 'limits.resourcequotas.validating.allot.dev',
    path: '/resourcequotas/limits/validating',
    rules: [
      { groups: [RESOURCE_QUOTAS.group], resources: [RESOURCE_QUOTAS.resource], operations: ['CREATE', 'UPDATE'] },
    ],
    conditions: [CHANGES_SPEC, ...notByOperator(own)],
    withoutConditions: [{}],
    failurePolicy: 'Ignore',
    handle: async (request, signal) => warn(request, check, signal),
  }
}

async function warn(
  { object, oldObject }: AdmissionRequest,
  check: Pick<LimitCheck, 'idle'>,
  signal: AbortSignal,
): Promise<AdmissionDecision> {
  if (object === undefined || !isResourceQuota(object) || jsonEqual(object.spec, oldObject?.['spec'])) return allowed()
  const path = 'spec.hard'
  const names = Object.keys(object.spec?.hard ?? {})
  const idle = await check.idle({ path, names, requirements: scopeRequirements(object.spec) }, signal)
  return allowed(idle.map((limit) => idleWarning(path, limit)))
}
