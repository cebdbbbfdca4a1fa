import type { KubeObject } from '../machinery/object.ts'
import { customQuota } from './custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from './custom-quota/api/global-custom-quota.ts'
import type { CustomResource } from '../api/definition/custom-resource.ts'
import { karmadaQuota } from './karmada-quota/api/karmada-quota.ts'
import { quantityLedger } from './counted/api/quantity-ledger.ts'
import { quotaIncrease } from './quota-increase/api/quota-increase.ts'
import { quotaServiceConfig } from './quota-increase/api/quota-service-config.ts'
import { resourcePoolClaim } from './resource-pool/api/claim.ts'
import { resourcePool } from './resource-pool/api/resource-pool.ts'

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
