import { badRequest, failure, notFound } from '../../machinery/status.ts'
import type { Resource } from '../registry.ts'
import type { ResourceTarget } from '../request-target.ts'
import { PathNotFound } from './path-not-found.ts'

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}
/** What a verb is without a name. */
const ON_COLLECTION: Readonly<Record<string, string>> = { get: 'list', delete: 'deletecollection' }
const ON_SUBRESOURCE = ['get', 'update', 'patch']

/**
 * What a request asks of a custom resource. Requests for these are routed otherwise than those for built-in kinds, and
 * refused otherwise: throws `PathNotFound`, and Statuses 400, 404 and 405.
 */
export function customVerb(method: string, target: ResourceTarget, { served, id }: Resource): string {
  const { namespace, name, subresource } = target
  const ofMethod = (Object.hasOwn(VERBS, method) ? VERBS[method] : undefined) ?? ''
  const verb = name === '' ? (ON_COLLECTION[ofMethod] ?? ofMethod) : ofMethod
  const everywhere = namespace === '' && verb === 'list'
  if (served.namespaced ? namespace === '' && !everywhere : namespace !== '') throw new PathNotFound()
  if (subresource !== '' && !served.subresources.some((one) => one.name === subresource)) throw notFound(id, name)
  const refuse = (message: string): Error =>
    failure(405, 'MethodNotAllowed', message, { group: id.group, kind: id.resource })
  if (verb === '' || (subresource !== '' && !ON_SUBRESOURCE.includes(verb)))
    throw refuse(`${verb} is not supported on resources of kind "${id.resource}.${id.group}"`)
  if (verb === 'create' && served.terminating === true)
    throw refuse('create not allowed while custom resource definition is terminating')
  if (name === '' && (verb === 'update' || verb === 'patch')) throw badRequest('name must be provided')
  return verb
}
