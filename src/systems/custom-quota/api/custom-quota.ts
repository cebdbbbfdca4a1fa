import { CAPSULE_GROUP, CAPSULE_VERSION } from '../../../api/capsule.ts'
import { customResource, type ObjectOf } from '../../../api/definition/custom-resource.ts'
import { object } from '../../../api/definition/object-schema.ts'
import type { TypeOf } from '../../../api/definition/schema.ts'
import { quotaColumns, quotaSpecFields, quotaStatusFields, UNSEEN_STATUS } from './quota-fields.ts'
import { QUOTA_CONDITIONS } from './quota-conditions.ts'

const spec = object(
  'The objects that are counted in the namespace of the quota, and how much they may use.',
  quotaSpecFields,
)
const status = object('The last observed usage of the quota.', quotaStatusFields)

/** `capsule.clastix.io/v1beta2 CustomQuota` (as in Capsule 0.14), with group and version in sources and `status.omittedClaims` of our own. */
export const customQuota = customResource({
  group: CAPSULE_GROUP,
  version: CAPSULE_VERSION,
  kind: 'CustomQuota',
  plural: 'customquotas',
  shortNames: ['cq'],
  namespaced: true,
  description: 'A limit on what objects of any kinds use together in one namespace.',
  columns: quotaColumns,
  conditions: QUOTA_CONDITIONS,
  spec,
  status,
  unseenStatus: UNSEEN_STATUS,
})

export type CustomQuota = ObjectOf<typeof customQuota>
export type CustomQuotaSpec = TypeOf<typeof spec>
export type CustomQuotaStatus = TypeOf<typeof status>
