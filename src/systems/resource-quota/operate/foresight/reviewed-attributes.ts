import type { Attributes } from '../../../../charges/evaluator.ts'
import type { AdmissionRequest } from '../../../../runtime/admission/request.ts'

export type WriteAttributes = Attributes & { readonly operation: 'CREATE' | 'UPDATE' }

/** A request as ResourceQuotas judge it. Undefined for those that they leave alone: that write nothing, and outside namespaces. */
export function reviewedAttributes(request: AdmissionRequest): WriteAttributes | undefined {
  const { operation, resource, subResource, kind, name, namespace, object, oldObject, dryRun } = request
  if (object === undefined || namespace === '' || (operation !== 'CREATE' && operation !== 'UPDATE')) return undefined
  return {
    group: resource.group,
    resource: resource.resource,
    subresource: subResource,
    kind: kind.kind,
    operation,
    name,
    namespace,
    object,
    dryRun,
    ...(oldObject === undefined ? {} : { oldObject }),
  }
}
