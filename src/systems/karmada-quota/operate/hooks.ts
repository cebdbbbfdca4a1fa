import { type KarmadaQuota, karmadaQuota } from '../api/karmada-quota.ts'
import { RESOURCE_BINDINGS } from '../api/names.ts'
import { KARMADA_QUOTA_WEBHOOK } from '../api/webhook-names.ts'
import { countedResource } from '../../../charges/evaluators/object-count.ts'
import { idleKarmadaLimits } from '../decide/idle-karmada-limits.ts'
import { validateKarmadaQuota } from '../decide/validate-quota.ts'
import { crowdingOf } from '../../generated-quota/decide/foreign-metadata.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { invalid } from '../../../machinery/status.ts'
import { type AdmissionDecision, allowed, denied, deniedAs } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { NO_BINDINGS } from './no-bindings.ts'
import type { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { NamedLimits } from '../../../charges/limit-names/judge-limits.ts'
import type { AnsweredHook } from '../../../operator/shell/registered-webhooks.ts'
import { notByOperator } from '../../../operator/webhook/configuration.ts'

/**
 * The webhooks of KarmadaQuotas. They refuse limits that can never be enforced. Only the operator may write the status, because it is the
 * ledger. `ownName`: as the API server knows the operator; undefined while it is not known.
 */
export function karmadaQuotaHooks(
  ownName: () => string | undefined,
  limits: Pick<LimitCheck, 'judge' | 'offers'>,
): readonly AnsweredHook[] {
  const { group, resource } = karmadaQuota
  const own = ownName()
  return [
    {
      phase: 'validating',
      name: KARMADA_QUOTA_WEBHOOK,
      path: '/karmadaquotas/validating',
      rules: [{ groups: [group], resources: [resource], operations: ['CREATE', 'UPDATE'] }],
      handle: (request, signal) => validate(request, limits, signal),
    },
    ...(own === undefined
      ? []
      : [
          {
            phase: 'validating' as const,
            name: 'karmadaquotas-status.validating.allot.dev',
            path: '/karmadaquotas/status/validating',
            rules: [{ groups: [group], resources: [`${resource}/status`], operations: ['UPDATE' as const] }],
            // The operator writes a status for each batch of requests. Without conditions the webhook would be asked each time.
            conditions: notByOperator(own),
            handle: async (request: AdmissionRequest) => guardStatus(request, ownName()),
          },
        ]),
  ]
}

/** Refuses a quota that could not be enforced; what stood there already may stay. */
async function validate(
  { object, oldObject }: AdmissionRequest,
  limits: Pick<LimitCheck, 'judge' | 'offers'>,
  signal: AbortSignal,
): Promise<AdmissionDecision> {
  if (object === undefined) return allowed()
  if (oldObject !== undefined && jsonEqual(object['spec'] ?? {}, oldObject['spec'] ?? {})) return allowed()
  const quota = karmadaQuota.read(object)
  const invalidFields = validateKarmadaQuota(quota)
  const own = invalidFields.length > 0 ? invalidFields : idleKarmadaLimits(quota.spec)
  const counts = own.length > 0 ? { errors: own, warnings: [] } : await limits.judge(countLimits(quota), signal)
  const { errors, warnings } = counts
  if (errors.length === 0)
    return allowed([...warnings, ...((await limits.offers(RESOURCE_BINDINGS, signal)) ? [] : [NO_BINDINGS])])
  return deniedAs(invalid(karmadaQuota, quota.metadata.name ?? '', errors))
}

/** The limits on numbers of objects, of which only the API server knows whether they limit something. */
export function countLimits({ spec }: KarmadaQuota): readonly NamedLimits[] {
  const names = Object.keys(spec.hard ?? {}).filter((name) => countedResource(name) !== undefined)
  return [{ path: 'spec.hard', names }]
}

function guardStatus(
  { userInfo, name, object, oldObject }: AdmissionRequest,
  own: string | undefined,
): AdmissionDecision {
  if (userInfo.username === own) return allowed()
  if (!jsonEqual(object?.['status'] ?? {}, oldObject?.['status'] ?? {}))
    return denied(`the status of the KarmadaQuota ${JSON.stringify(name)} is its ledger, which only allot may write`)
  // Managed fields could take the room that the ledger needs; a write to the status changes no other metadata.
  const crowding = object === undefined || oldObject === undefined ? undefined : crowdingOf(object, oldObject)
  if (crowding === undefined) return allowed()
  const { cannot, instead } = crowding
  return denied(`the KarmadaQuota ${JSON.stringify(name)}, whose status is its ledger, cannot ${cannot}; ${instead}`)
}
