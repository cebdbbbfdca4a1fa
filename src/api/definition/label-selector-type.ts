import { listOf, mapOf } from './collection.ts'
import { object } from './object-schema.ts'
import { text } from './scalar-type.ts'
import { optional } from './schema.ts'

const requirement = object('One requirement on a label.', {
  key: text('The key of the label.'),
  operator: text('How the label is compared: In, NotIn, Exists or DoesNotExist.'),
  values: optional(
    listOf('The values that In and NotIn compare with; empty for Exists and DoesNotExist.', text(), {
      listType: 'atomic',
    }),
  ),
})

/** The fields of `metav1.LabelSelector`, for a selector that has others besides. */
export const labelSelectorFields = {
  matchLabels: optional(mapOf('Labels with the values that they must have.', text())),
  matchExpressions: optional(
    listOf('Requirements on labels, all of which must hold.', requirement, { listType: 'atomic' }),
  ),
}

/** `metav1.LabelSelector`, inline: with both parts empty it says what its kind says of an empty one. */
export const labelSelector = object('Selects objects by their labels: all parts must hold.', labelSelectorFields, {
  mapType: 'atomic',
})
