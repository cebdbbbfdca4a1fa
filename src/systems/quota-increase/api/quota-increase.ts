import { listOf, wantedResources } from '../../../api/definition/collection.ts'
import { customResource, type ObjectOf } from '../../../api/definition/custom-resource.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { integer, text } from '../../../api/definition/scalar-type.ts'
import { conditionSchema } from '../../../api/condition.ts'
import { optional } from '../../../api/definition/schema.ts'
import { EFFECT_ANNOTATION, MODE_LABEL, OPENMCP_GROUP, OPENMCP_VERSION } from './increase-names.ts'
import { INCREASE_CONDITIONS } from './increase-conditions.ts'

const escaped = (key: string): string => key.replaceAll('.', String.raw`\.`)

const spec = object('By how much the quota of the namespace is raised.', {
  hard: wantedResources('The amounts by resource name; the mode of the namespace says how they are combined.'),
  expiresAt: optional(text('After this time the increase counts as absent.', { format: 'date-time' })),
})

const status = object('Whether the increase was applied.', {
  observedGeneration: optional(
    integer('The generation of the increase that the conditions speak of.', { format: 'int64' }),
  ),
  conditions: optional(listOf('Why the increase raises nothing although it should.', conditionSchema)),
})

/** `openmcp.cloud/v1alpha1 QuotaIncrease` (as in the quota operator 0.18 and 1.0), with `spec.expiresAt` and a status of our own. */
export const quotaIncrease = customResource({
  group: OPENMCP_GROUP,
  version: OPENMCP_VERSION,
  kind: 'QuotaIncrease',
  plural: 'quotaincreases',
  shortNames: ['qi'],
  namespaced: true,
  description: 'Raises the base quota of its namespace.',
  columns: [
    {
      name: 'Mode',
      type: 'string',
      description: 'How the increases of the namespace are combined.',
      jsonPath: `.metadata.labels['${escaped(MODE_LABEL)}']`,
    },
    { name: 'Age', type: 'date', description: 'When it was created.', jsonPath: '.metadata.creationTimestamp' },
    {
      name: 'Effect',
      type: 'string',
      description: 'The amounts that it contributes to the quota.',
      jsonPath: `.metadata.annotations['${escaped(EFFECT_ANNOTATION)}']`,
      priority: 1,
    },
    { name: 'Hard', type: 'string', description: 'The amounts that it asks for.', jsonPath: '.spec.hard' },
    { name: 'Expires', type: 'string', description: 'When it ends, if it does.', jsonPath: '.spec.expiresAt' },
  ],
  conditions: INCREASE_CONDITIONS,
  spec,
  optionalSpec: true,
  status,
  // Where nobody decides about increases, as without definitions, nobody is to wait: no generation is behind.
  unseenStatus: {},
})

export type QuotaIncrease = ObjectOf<typeof quotaIncrease>
