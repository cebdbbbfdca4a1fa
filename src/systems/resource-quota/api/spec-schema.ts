import { listOf, wantedResources } from '../../../api/definition/collection.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { text } from '../../../api/definition/scalar-type.ts'
import { optional } from '../../../api/definition/schema.ts'

const scopeRequirement = object('One requirement on a scope.', {
  scopeName: text('The scope.'),
  operator: text('How its value is compared: In, NotIn, Exists or DoesNotExist.'),
  values: optional(
    listOf('The values that In and NotIn compare with; empty for Exists and DoesNotExist.', text(), {
      listType: 'atomic',
    }),
  ),
})

const scopeSelector = object(
  'Counts only objects that meet all of these requirements, besides the scopes.',
  {
    matchExpressions: optional(
      listOf('Requirements on scopes, all of which must hold.', scopeRequirement, { listType: 'atomic' }),
    ),
  },
  { mapType: 'atomic' },
)

/** The spec of a `v1 ResourceQuota`, where it is a part of one of our kinds. */
export const resourceQuotaSpec = (description: string) =>
  object(description, {
    hard: optional(wantedResources('The most of each named resource that may be used.')),
    scopes: optional(
      listOf('Counts only objects that are in all of these scopes. None: every object.', text(), {
        listType: 'atomic',
      }),
    ),
    scopeSelector: optional(scopeSelector),
  })
