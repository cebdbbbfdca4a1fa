import type { ObjectRequest } from '../storing/object-request.ts'
import type { Access } from './access.ts'

/** Throws 403 unless the caller may create the object that an update or a patch of a missing one would make. */
export function authorizeCreate(
  access: Pick<Access, 'authorizer'>,
  { caller, resource, namespace, name }: ObjectRequest,
): void {
  access.authorizer.demand(caller, {
    type: 'resource',
    verb: 'create',
    ...resource.id,
    subresource: '',
    namespace,
    name,
  })
}
