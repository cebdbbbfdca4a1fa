import { listOf, wantedResources } from '../../../api/definition/collection.ts'
import { object } from '../../../api/definition/object-schema.ts'
import { text } from '../../../api/definition/scalar-type.ts'
import { optional, type TypeOf } from '../../../api/definition/schema.ts'

const item = object('The bounds and the defaults of one type of objects.', {
  type: text('The objects that are bounded: Container, Pod or PersistentVolumeClaim.'),
  max: optional(wantedResources('The most of each named resource.')),
  min: optional(wantedResources('The least of each named resource.')),
  default: optional(wantedResources('The limits of containers that name none.')),
  defaultRequest: optional(wantedResources('The requests of containers that name none.')),
  maxLimitRequestRatio: optional(wantedResources('The largest ratio of a limit to its request.')),
})

const limits = listOf('The bounds, one entry for each type.', item, { listType: 'atomic' })

/** The spec of a `v1 LimitRange`, where it is a part of one of our kinds. */
export const limitRangeSpec = (description: string) => object(description, { limits })

export type LimitRangeSpec = TypeOf<ReturnType<typeof limitRangeSpec>>
