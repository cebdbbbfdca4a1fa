import type { CustomQuotaOptions } from './custom-quota/custom-quota-options.ts'
import { customQuotaSystem } from './custom-quota/custom-quota-system.ts'
import type { KarmadaQuotaOptions } from './karmada-quota/karmada-quota-options.ts'
import { ChargedTogether } from './foresight/charged-together.ts'
import { QuotaReservations } from './foresight/quota-reservations.ts'
import { AdmittedUsage } from './generated-quota/admitted-usage.ts'
import { karmadaQuotaSystem } from './karmada-quota/karmada-quota-system.ts'
import { poolSystem } from './pool/pool-system.ts'
import type { QuotaIncreaseOptions } from './quota-increase/quota-increase-options.ts'
import { quotaIncreaseSystem } from './quota-increase/quota-increase-system.ts'
import type { ResourceQuotaOptions } from './resource-quota/resource-quota-options.ts'
import { resourceQuotaSystem } from './resource-quota/resource-quota-system.ts'
import type { OperatorSystem } from './system.ts'

/** The settings of all systems. */
export interface SystemsOptions {
  /** How many pools, and how many claims, are reconciled at a time. */
  readonly workers: number
  readonly customQuotas: CustomQuotaOptions
  readonly quotaIncreases: QuotaIncreaseOptions
  readonly resourceQuotas: ResourceQuotaOptions
  readonly karmadaQuotas: KarmadaQuotaOptions
}

/** The systems that the operator runs. */
export function operatorSystems(options: SystemsOptions): readonly OperatorSystem[] {
  const admitted = new AdmittedUsage()
  const reservations = new QuotaReservations()
  const peers = { reservations, together: new ChargedTogether() }
  const { systemNamespace } = options.quotaIncreases
  return [
    poolSystem(options.workers, admitted),
    customQuotaSystem(options.customQuotas, peers),
    quotaIncreaseSystem(options.quotaIncreases),
    resourceQuotaSystem(options.resourceQuotas, { systemNamespace, admitted, reservations }),
    karmadaQuotaSystem(options.karmadaQuotas, peers),
  ]
}
