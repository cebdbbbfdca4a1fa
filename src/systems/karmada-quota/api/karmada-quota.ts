import { listOf, resourceList } from '../../../api/definition/collection.ts'
import { conditionSchema } from '../../../api/condition.ts'
import { customResource, type ObjectOf } from '../../../api/definition/custom-resource.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { integer, text } from '../../../api/definition/scalar-type.ts'
import { optional } from '../../../api/definition/schema.ts'
import { resourceQuotaSpec } from '../../resource-quota/api/spec-schema.ts'
import { KARMADA_QUOTA_GROUP, KARMADA_QUOTA_VERSION } from './names.ts'
import { KARMADA_QUOTA_CONDITIONS } from './quota-conditions.ts'

const status = object('The limits in force and what is used of them.', {
  hard: optional(resourceList('The limits that requests are decided by.')),
  used: optional(
    resourceList('The usage of the bindings, with the reservations for allowed requests that are not stored yet.'),
  ),
  outstanding: optional(
    text('The counted usage and every reservation, in a compact form that only allot reads and writes.'),
  ),
  observedGeneration: optional(
    integer('The generation of the quota that the conditions speak of.', { format: 'int64' }),
  ),
  conditions: optional(listOf('Why the quota does not decide yet, or cannot.', conditionSchema)),
})

/** `quota.karmada.io/v1alpha1 KarmadaQuota` (as in Karmada's pull request 1056), with fields of the status of our own. */
export const karmadaQuota = customResource({
  group: KARMADA_QUOTA_GROUP,
  version: KARMADA_QUOTA_VERSION,
  kind: 'KarmadaQuota',
  plural: 'karmadaquotas',
  shortNames: ['kquota'],
  namespaced: true,
  description: 'Limits what the ResourceBindings of a namespace use together, over all member clusters.',
  conditions: KARMADA_QUOTA_CONDITIONS,
  columns: [
    { name: 'Hard', type: 'string', description: 'The limits', jsonPath: '.spec.hard' },
    { name: 'Used', type: 'string', description: 'How much of them is used', jsonPath: '.status.used' },
    { name: 'Age', type: 'date', description: 'How old the quota is', jsonPath: '.metadata.creationTimestamp' },
  ],
  spec: resourceQuotaSpec('The limits, and the bindings that they are for.'),
  optionalSpec: true,
  status,
  unseenStatus: { observedGeneration: -1 },
})

export type KarmadaQuota = ObjectOf<typeof karmadaQuota>
export type KarmadaQuotaSpec = KarmadaQuota['spec']
