import type { KubeObject } from '../machinery/object.ts'
import { customQuota } from './custom-quota/custom-quota.ts'
import { globalCustomQuota } from './custom-quota/global-custom-quota.ts'
import type { CustomResource } from './definition/custom-resource.ts'
import { karmadaQuota } from './karmada-quota/karmada-quota.ts'
import { quantityLedger } from './quantity-ledger/quantity-ledger.ts'
import { quotaIncrease } from './quota-increase/quota-increase.ts'
import { quotaServiceConfig } from './quota-increase/quota-service-config.ts'
import { resourcePoolClaim } from './resource-pool-claim/resource-pool-claim.ts'
import { resourcePool } from './resource-pool/resource-pool.ts'

/** Every kind of our own: what the operator installs and `config/crd` shows. */
export const customResources: readonly CustomResource<KubeObject>[] = [
  resourcePool,
  resourcePoolClaim,
  customQuota,
  globalCustomQuota,
  quantityLedger,
  quotaIncrease,
  quotaServiceConfig,
  karmadaQuota,
]
