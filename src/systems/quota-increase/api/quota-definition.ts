import { mapOf } from '../../../api/definition/collection.ts'
import { labelSelector } from '../../../api/definition/label-selector-type.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { boolean, choice, text } from '../../../api/definition/scalar-type.ts'
import { defaulted, optional, type TypeOf } from '../../../api/definition/schema.ts'
import { resourceQuotaSpec } from '../../resource-quota/api/spec-schema.ts'
import { MODES } from './increase-names.ts'

/** The declaration of a generated quota. */
const template = object('The ResourceQuota that each of its namespaces gets.', {
  labels: optional(mapOf('Labels of the quota.', text())),
  annotations: optional(mapOf('Annotations of the quota.', text())),
  spec: resourceQuotaSpec('The quota without increases.'),
})

/** The names that definitions may have, as the quota operator checks them. */
export const DEFINITION_NAME_PATTERN = '^[a-z0-9]([-.]*[a-z0-9])*$'
/** The longest name that a definition may have there; a label holds less. */
export const MOST_DEFINITION_NAME = 253

/** A definition of base quotas (quota operator 0.18 and 1.0): which namespaces get which quota, and how increases raise it. */
export const quotaDefinition = object('A base quota, the namespaces that get it, and how increases raise it.', {
  name: text('The name of the definition and of the quotas that are made of it.', {
    minLength: 1,
    maxLength: MOST_DEFINITION_NAME,
    pattern: DEFINITION_NAME_PATTERN,
  }),
  selector: optional(labelSelector),
  mode: choice('How the increases of a namespace are combined.', MODES, 'cumulative'),
  deleteIneffectiveQuotas: defaulted(boolean('Deletes increases that contribute nothing.'), false),
  template,
})

export type QuotaDefinition = TypeOf<typeof quotaDefinition>
export type QuotaTemplate = TypeOf<typeof template>
