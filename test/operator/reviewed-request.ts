import type { AdmissionRequest } from '../../src/runtime/admission/request.ts'

interface ReviewedKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  readonly resource: string
}

/** The request of a review of this kind's resource, as an API server sends it that converted nothing: a CREATE of nobody, but for `more`. */
export function reviewedRequest(
  { group, version, kind: name, resource: plural }: ReviewedKind,
  more: Partial<AdmissionRequest> = {},
): AdmissionRequest {
  const kind = { group, version, kind: name }
  const resource = { group, version, resource: plural }
  return {
    uid: 'u',
    kind,
    resource,
    subResource: '',
    requestKind: kind,
    requestResource: resource,
    requestSubResource: '',
    name: '',
    namespace: '',
    operation: 'CREATE',
    userInfo: { username: '', uid: '', groups: [], extra: {} },
    object: undefined,
    oldObject: undefined,
    dryRun: false,
    options: undefined,
    ...more,
  }
}
