import { CAPSULE_GROUP, CAPSULE_VERSION } from '../../../api/capsule.ts'
import { listOf } from '../../../api/definition/collection.ts'
import { customResource, type ObjectOf } from '../../../api/definition/custom-resource.ts'
import { labelSelector } from '../../../api/definition/label-selector-type.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { text } from '../../../api/definition/scalar-type.ts'
import { optional, type TypeOf } from '../../../api/definition/schema.ts'
import { quotaColumns, quotaSpecFields, quotaStatusFields, UNSEEN_STATUS } from './quota-fields.ts'
import { QUOTA_CONDITIONS } from './quota-conditions.ts'

const spec = object('The objects that are counted, their namespaces, and how much they may use.', {
  ...quotaSpecFields,
  namespaceSelectors: optional(
    listOf('Counts only in namespaces that any of these selects. None: everywhere.', labelSelector),
  ),
})

const status = object('The last observed usage of the quota.', {
  ...quotaStatusFields,
  namespaces: optional(
    listOf('The namespaces that are counted in, sorted; * alone where the quota has no namespaceSelectors.', text()),
  ),
})

/** `capsule.clastix.io/v1beta2 GlobalCustomQuota` (as in Capsule 0.14), with group and version in sources and `status.omittedClaims` of our own. */
export const globalCustomQuota = customResource({
  group: CAPSULE_GROUP,
  version: CAPSULE_VERSION,
  kind: 'GlobalCustomQuota',
  plural: 'globalcustomquotas',
  shortNames: ['gcq'],
  namespaced: false,
  description: 'A limit on what objects of any kinds use together in many namespaces.',
  columns: quotaColumns,
  conditions: QUOTA_CONDITIONS,
  spec,
  status,
  unseenStatus: UNSEEN_STATUS,
})

export type GlobalCustomQuota = ObjectOf<typeof globalCustomQuota>
export type GlobalCustomQuotaSpec = TypeOf<typeof spec>
export type GlobalCustomQuotaStatus = TypeOf<typeof status>
