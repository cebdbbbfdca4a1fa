import type { FieldFacts } from './protobuf-data.ts'

export const META = 'io.k8s.apimachinery.pkg.apis.meta.v1'

/** Messages that only a server sends, which the data therefore lacks. */
export const ANSWERS: Readonly<Record<string, FieldFacts>> = {
  [`${META}.ListMeta`]: {
    selfLink: [1, 'string', 'omitempty'],
    resourceVersion: [2, 'string', 'omitempty'],
    continue: [3, 'string', 'omitempty'],
    remainingItemCount: [4, 'int64', ''],
  },
  [`${META}.Status`]: {
    metadata: [1, `${META}.ListMeta`, ''],
    status: [2, 'string', 'omitempty'],
    message: [3, 'string', 'omitempty'],
    reason: [4, 'string', 'omitempty'],
    details: [5, `${META}.StatusDetails`, ''],
    code: [6, 'int32', 'omitempty'],
  },
  [`${META}.StatusDetails`]: {
    name: [1, 'string', 'omitempty'],
    group: [2, 'string', 'omitempty'],
    kind: [3, 'string', 'omitempty'],
    causes: [4, `${META}.StatusCause`, 'repeated'],
    retryAfterSeconds: [5, 'int32', 'omitempty'],
    uid: [6, 'string', 'omitempty'],
  },
  [`${META}.StatusCause`]: {
    reason: [1, 'string', 'omitempty'],
    message: [2, 'string', 'omitempty'],
    field: [3, 'string', 'omitempty'],
  },
  [`${META}.PartialObjectMetadata`]: { metadata: [1, `${META}.ObjectMeta`, ''] },
}
