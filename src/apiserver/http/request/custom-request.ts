import { badRequest, failure, notFound } from '../../../machinery/status.ts'
import type { Resource } from '../../resource/registry.ts'
import type { ResourceTarget } from '../../auth/request/target.ts'
import { PathNotFound } from '../answer/path-not-found.ts'

const EVERYWHERE = ['list', 'watch']
const ON_SUBRESOURCE = ['get', 'update', 'patch']

/**
 * Refuses an action on a custom resource that has no meaning. Requests for these are refused otherwise than those for
 * built-in kinds: throws `PathNotFound`, and Statuses 400, 404 and 405.
 */
export function checkCustomAction(verb: string, target: ResourceTarget, { served, id }: Resource): void {
  const { namespace, name, subresource } = target
  const everywhere = namespace === '' && name === '' && EVERYWHERE.includes(verb)
  if (served.namespaced ? namespace === '' && !everywhere : namespace !== '') throw new PathNotFound()
  if (subresource !== '' && !served.subresources.some((one) => one.name === subresource)) throw notFound(id, name)
  const refuse = (message: string): Error =>
    failure(405, 'MethodNotAllowed', message, { group: id.group, kind: id.resource })
  if (verb === '' || (subresource !== '' && !ON_SUBRESOURCE.includes(verb)))
    throw refuse(`${verb} is not supported on resources of kind "${id.resource}.${id.group}"`)
  if (verb === 'create' && served.terminating === true)
    throw refuse('create not allowed while custom resource definition is terminating')
  if (name === '' && (verb === 'update' || verb === 'patch')) throw badRequest('name must be provided')
}
