import type { QuotaPeers } from './counted/peers/quota-peers.ts'
import type { CustomQuotaOptions } from './custom-quota/operate/options.ts'
import { customQuotaSystem } from './custom-quota/operate/system.ts'
import type { KarmadaQuotaOptions } from './karmada-quota/operate/options.ts'
import { ChargedTogether } from './counted/peers/charged-together.ts'
import { AdmittedUsage } from './generated-quota/operate/admitted-usage.ts'
import { karmadaQuotaSystem } from './karmada-quota/operate/system.ts'
import { refusedWorkloadSystem } from './refused-workload/operate/system.ts'
import { poolSystem } from './resource-pool/operate/system.ts'
import type { QuotaIncreaseOptions } from './quota-increase/operate/options.ts'
import { quotaIncreaseSystem } from './quota-increase/operate/system.ts'
import { NativeRefusals } from './resource-quota/operate/foresight/native-refusals.ts'
import { QuotaReservations } from './resource-quota/operate/foresight/quota-reservations.ts'
import type { ResourceQuotaOptions } from './resource-quota/operate/options.ts'
import { resourceQuotaSystem } from './resource-quota/operate/system.ts'
import type { OperatorSystem } from '../operator/system.ts'

/** The settings of all systems. */
export interface SystemsOptions {
  /** How many pools, and how many claims, are reconciled at a time. */
  readonly workers: number
  readonly customQuotas: CustomQuotaOptions
  readonly quotaIncreases: QuotaIncreaseOptions
  readonly resourceQuotas: ResourceQuotaOptions
  readonly karmadaQuotas: KarmadaQuotaOptions
  /** Are Events recorded on the owners of workloads that quotas refuse? */
  readonly refusalEvents: boolean
}

/** The systems that the operator runs. */
export function operatorSystems(options: SystemsOptions): readonly OperatorSystem[] {
  const admitted = new AdmittedUsage()
  const reservations = new QuotaReservations()
  const peers: QuotaPeers = {
    together: new ChargedTogether(),
    foresight: (context) => new NativeRefusals(context, reservations),
  }
  const { systemNamespace } = options.quotaIncreases
  return [
    poolSystem(options.workers, admitted),
    customQuotaSystem(options.customQuotas, peers),
    quotaIncreaseSystem(options.quotaIncreases),
    resourceQuotaSystem(options.resourceQuotas, { systemNamespace, admitted, reservations }),
    karmadaQuotaSystem(options.karmadaQuotas, peers),
    ...(options.refusalEvents ? [refusedWorkloadSystem] : []),
  ]
}
