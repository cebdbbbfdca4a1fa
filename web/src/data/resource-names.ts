import { CAPSULE_GROUP } from '../../../src/api/capsule.ts'
import { OPENMCP_GROUP } from '../../../src/systems/quota-increase/api/increase-names.ts'
import { KARMADA_QUOTA_GROUP } from '../../../src/systems/karmada-quota/api/names.ts'

/** The resources as events of the stream name them. */
export const QUOTA_RESOURCES: readonly string[] = [
  'resourcequotas',
  `customquotas.${CAPSULE_GROUP}`,
  `globalcustomquotas.${CAPSULE_GROUP}`,
  `karmadaquotas.${KARMADA_QUOTA_GROUP}`,
]
export const POOLS: readonly string[] = [`resourcepools.${CAPSULE_GROUP}`]
export const CLAIMS: readonly string[] = [`resourcepoolclaims.${CAPSULE_GROUP}`]
/** Those of pools, which tell of claims, too. */
export const POOL_RESOURCES: readonly string[] = [...POOLS, ...CLAIMS]
/** They tell of refusals. */
export const EVENTS: readonly string[] = ['events']
const BESIDE_WORKLOADS: readonly string[] = [
  ...EVENTS,
  ...POOL_RESOURCES,
  `quotaincreases.${OPENMCP_GROUP}`,
  'horizontalpodautoscalers.autoscaling',
]

/** Of what an answer about a namespace reads: does it decide whether a workload is blocked? */
export const decidesOnWorkloads = (resource: string): boolean => !BESIDE_WORKLOADS.includes(resource)
