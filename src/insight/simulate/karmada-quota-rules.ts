import { oncePerObject } from '../../machinery/once-per-object.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import { qualified } from '../../machinery/status.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { KARMADA_QUOTA_WEBHOOK } from '../../systems/karmada-quota/api/webhook-names.ts'
import { idleKarmadaLimits } from '../../systems/karmada-quota/decide/idle-karmada-limits.ts'
import { validateKarmadaQuota } from '../../systems/karmada-quota/decide/validate-quota.ts'
import type { SystemRules } from './admission.ts'
import { schemaRules } from './custom-kind.ts'
import { refuseFields } from './pool-rules.ts'

export const readKarmadaQuota = oncePerObject(karmadaQuota.read)

/** What the webhook of KarmadaQuotas does. What the API server serves is not asked. */
export function karmadaQuotaRules(): readonly (readonly [string, SystemRules])[] {
  const schema = schemaRules(karmadaQuota)
  const check: SystemRules['check'] = (object, old) => {
    schema.check(object, old)
    if (old !== undefined && jsonEqual(object['spec'] ?? {}, old['spec'] ?? {})) return
    const quota = readKarmadaQuota(object)
    const invalid = validateKarmadaQuota(quota)
    const errors = invalid.length > 0 ? invalid : idleKarmadaLimits(quota.spec)
    refuseFields(KARMADA_QUOTA_WEBHOOK, karmadaQuota, object, errors)
  }
  return [[qualified(karmadaQuota), { complete: schema.withDefaults, check }]]
}
