import type { CustomQuotaOptions } from './custom-quota/custom-quota-options.ts'
import { customQuotaSystem } from './custom-quota/custom-quota-system.ts'
import type { KarmadaQuotaOptions } from './karmada-quota/karmada-quota-options.ts'
import { karmadaQuotaSystem } from './karmada-quota/karmada-quota-system.ts'
import { poolSystem } from './pool/pool-system.ts'
import type { QuotaIncreaseOptions } from './quota-increase/quota-increase-options.ts'
import { quotaIncreaseSystem } from './quota-increase/quota-increase-system.ts'
import type { ResourceQuotaOptions } from './resource-quota/resource-quota-options.ts'
import { resourceQuotaSystem } from './resource-quota/resource-quota-system.ts'
import type { OperatorSystem } from './system.ts'

/** The systems that the operator runs. `workers`: how many objects of a kind are reconciled at a time. */
export const operatorSystems = (
  workers: number,
  customQuotas: CustomQuotaOptions,
  increases: QuotaIncreaseOptions,
  resourceQuotas: ResourceQuotaOptions,
  karmadaQuotas: KarmadaQuotaOptions,
): readonly OperatorSystem[] => [
  poolSystem(workers),
  customQuotaSystem(customQuotas),
  quotaIncreaseSystem(increases),
  resourceQuotaSystem(resourceQuotas, increases.systemNamespace),
  karmadaQuotaSystem(karmadaQuotas),
]
