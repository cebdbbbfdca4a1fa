import { conditionSchema } from '../../../api/condition.ts'
import type { PrinterColumn } from '../../../api/definition/custom-resource.ts'
import { listOf } from '../../../api/definition/collection.ts'
import { labelSelector } from '../../../api/definition/label-selector-type.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { boolean, integer, quantity, text } from '../../../api/definition/scalar-type.ts'
import { defaulted, optional, type TypeOf } from '../../../api/definition/schema.ts'
import { measureFields, source } from './source.ts'

const options = object('Further options of the quota.', {
  emitMetricPerClaimUsage: defaulted(
    boolean('Adds a metric for each counted object. Many objects make many series.'),
    false,
  ),
})

/** The fields of the spec that both kinds of custom quotas have. */
export const quotaSpecFields = {
  limit: quantity('How much the counted objects may use together.'),
  sources: listOf('The kinds that are counted, and what their objects cost.', source),
  scopeSelectors: optional(
    listOf('Counts only objects that any of these selects by their labels. None: all objects.', labelSelector),
  ),
  options: defaulted(options, { emitMetricPerClaimUsage: false }),
}

const usage = object('The usage of the limit.', {
  used: optional(quantity('How much the counted objects use.')),
  available: optional(quantity('How much of the limit is left.')),
})

const claim = object('An object that is counted.', {
  group: text('The group of the object; empty for the core group.'),
  version: text('The version that the amount was read in.'),
  kind: text('The kind of the object.'),
  namespace: optional(text('The namespace of the object.')),
  name: text('The name of the object.'),
  uid: text('The uid of the object.'),
  usage: quantity('How much the object uses.'),
})

const target = object('A source, as it is counted.', {
  group: text('The group of the kind; empty for the core group.'),
  version: text('The version of the kind.'),
  kind: text('The kind.'),
  ...measureFields,
  scope: optional(text('Whether objects of the kind are in namespaces: namespace or root.')),
})

/** The fields of the status that both kinds of custom quotas have. */
export const quotaStatusFields = {
  observedGeneration: optional(integer('The generation of the quota that this status speaks of.', { format: 'int64' })),
  usage: optional(usage),
  claims: optional(
    listOf(
      'The objects that are counted, by namespace, kind and name. Where there are too many, those that use most.',
      claim,
    ),
  ),
  omittedClaims: optional(
    integer('How many counted objects the list of claims leaves out: none of them uses more than one in the list.'),
  ),
  targets: listOf('The sources, as they are counted.', target),
  conditions: listOf('Whether the quota is ready and, where it is not enforced, that it is not.', conditionSchema),
}

/** The status of a quota that no controller has seen. */
export const UNSEEN_STATUS = { observedGeneration: -1, targets: [], conditions: [] }

/** The columns of `kubectl get` for both kinds of custom quotas. */
export const quotaColumns: readonly PrinterColumn[] = [
  { name: 'Limit', type: 'string', description: 'How much may be used', jsonPath: '.spec.limit' },
  { name: 'Used', type: 'string', description: 'How much is used', jsonPath: '.status.usage.used' },
  { name: 'Available', type: 'string', description: 'How much is left', jsonPath: '.status.usage.available' },
  {
    name: 'Ready',
    type: 'string',
    description: 'Whether the quota works',
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
  },
  {
    name: 'Status',
    type: 'string',
    description: 'The message of the Ready condition',
    jsonPath: '.status.conditions[?(@.type=="Ready")].message',
  },
  { name: 'Age', type: 'date', description: 'How old the quota is', jsonPath: '.metadata.creationTimestamp' },
]

/** One entry of `status.claims`. */
export type QuotaClaim = TypeOf<typeof claim>
/** One entry of `status.targets`. */
export type QuotaTarget = TypeOf<typeof target>
/** `status.usage`. */
export type QuotaUsage = TypeOf<typeof usage>
