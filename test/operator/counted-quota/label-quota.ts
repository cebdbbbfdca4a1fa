import { customResource, type ObjectOf } from '../../../src/api/definition/custom-resource.ts'
import { object } from '../../../src/api/definition/object-schema.ts'
import { integer, text } from '../../../src/api/definition/scalar-type.ts'
import { optional } from '../../../src/api/definition/schema.ts'

/** A limit on the number of objects of one core kind that have a label, in one namespace. */
export const labelQuota = customResource({
  group: 'counted.allot.dev',
  version: 'v1',
  kind: 'LabelQuota',
  plural: 'labelquotas',
  namespaced: true,
  description: 'Limits the number of objects of a kind that have a label.',
  columns: [],
  spec: object('The limit.', {
    kind: text('The kind of the objects, of the core group.'),
    label: text('The name of the label.'),
    most: integer('How many there may be.'),
  }),
  status: object('What was last counted.', { used: optional(text('How many there are.')) }),
})

export type LabelQuota = ObjectOf<typeof labelQuota>
