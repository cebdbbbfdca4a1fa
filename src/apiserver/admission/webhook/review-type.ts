import type { Field, LeafKind, ListType, MapType, ObjectType, Type } from '../../../schema/type/type.ts'

/**
 * The Go types of what a webhook answers, field by field: `AdmissionReview` of `admission.k8s.io`, which no schema publishes.
 * Upstream decodes all of an answer, what it does not use included, and takes an answer with a wrong type for a failure.
 */
const leaf = (kind: LeafKind, goType: string): Type => ({ kind, goType })
const text = (goType = 'string'): Type => leaf('string', goType)
const ANY = leaf('any', 'runtime.RawExtension')

const list = (items: Type, goType = `[]${items.goType}`): ListType => ({
  kind: 'list',
  goType,
  items,
  listType: 'atomic',
  keys: [],
})

const map = (values: Type): MapType => ({
  kind: 'map',
  goType: `map[string]${values.goType}`,
  values,
  atomic: false,
})

function struct(goType: string, types: Readonly<Record<string, Type>>): ObjectType {
  const fields = Object.entries(types).map(([name, type], index): Field => ({
    name,
    index,
    type,
    required: false,
    omitsEmpty: false,
    default: undefined,
    patch: { merge: false, replace: false, retainKeys: false, mergeKey: undefined },
  }))
  return {
    kind: 'object',
    name: goType,
    struct: goType.slice(goType.indexOf('.') + 1),
    goType,
    fields: new Map(fields.map((field) => [field.name, field])),
    atomic: false,
    keepsUnknown: false,
    required: [],
    groupVersionKinds: [],
  }
}

const UID = text('types.UID')
const KIND = struct('v1.GroupVersionKind', { group: text(), version: text(), kind: text() })
const RESOURCE = struct('v1.GroupVersionResource', { group: text(), version: text(), resource: text() })

const USER = struct('v1.UserInfo', {
  username: text(),
  uid: text(),
  groups: list(text()),
  extra: map(list(text(), 'v1.ExtraValue')),
})

const STATUS = struct('v1.Status', {
  kind: text(),
  apiVersion: text(),
  metadata: struct('v1.ListMeta', {
    selfLink: text(),
    resourceVersion: text(),
    continue: text(),
    remainingItemCount: leaf('int64', 'int64'),
  }),
  status: text(),
  message: text(),
  reason: text('v1.StatusReason'),
  details: struct('v1.StatusDetails', {
    name: text(),
    group: text(),
    kind: text(),
    uid: UID,
    causes: list(struct('v1.StatusCause', { reason: text('v1.CauseType'), message: text(), field: text() })),
    retryAfterSeconds: leaf('int32', 'int32'),
  }),
  code: leaf('int32', 'int32'),
})

function reviewType(version: string): ObjectType {
  const own = (name: string): string => `${version}.${name}`
  return struct(own('AdmissionReview'), {
    kind: text(),
    apiVersion: text(),
    request: struct(own('AdmissionRequest'), {
      uid: UID,
      kind: KIND,
      resource: RESOURCE,
      subResource: text(),
      requestKind: KIND,
      requestResource: RESOURCE,
      requestSubResource: text(),
      name: text(),
      namespace: text(),
      operation: text(own('Operation')),
      userInfo: USER,
      object: ANY,
      oldObject: ANY,
      dryRun: leaf('boolean', 'bool'),
      options: ANY,
    }),
    response: struct(own('AdmissionResponse'), {
      uid: UID,
      allowed: leaf('boolean', 'bool'),
      status: STATUS,
      patch: leaf('bytes', '[]uint8'),
      patchType: text(own('PatchType')),
      auditAnnotations: map(text()),
      warnings: list(text()),
    }),
  })
}

/** By `apiVersion`. */
export const REVIEW_TYPES: ReadonlyMap<string, ObjectType> = new Map(
  ['v1', 'v1beta1'].map((version) => [`admission.k8s.io/${version}`, reviewType(version)]),
)
