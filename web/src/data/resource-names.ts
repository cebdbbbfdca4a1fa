import { CAPSULE_GROUP } from '../../../src/api/capsule.ts'
import { KARMADA_QUOTA_GROUP } from '../../../src/systems/karmada-quota/api/names.ts'

/** The resources as events of the stream name them. */
export const QUOTA_RESOURCES: readonly string[] = [
  'resourcequotas',
  `customquotas.${CAPSULE_GROUP}`,
  `globalcustomquotas.${CAPSULE_GROUP}`,
  `karmadaquotas.${KARMADA_QUOTA_GROUP}`,
]
/** Those of pools, which tell of claims, too. */
export const POOL_RESOURCES: readonly string[] = [
  `resourcepools.${CAPSULE_GROUP}`,
  `resourcepoolclaims.${CAPSULE_GROUP}`,
]
