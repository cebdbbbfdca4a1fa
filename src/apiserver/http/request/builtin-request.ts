import { failure, methodNotAllowed, type ApiError } from '../../../machinery/status.ts'
import type { Resource } from '../../resource/registry.ts'
import type { ResourceTarget } from '../../auth/request/target.ts'
import type { ServedResource } from '../../resource/served-resource.ts'

const EVERYWHERE = ['list', 'watch']

/** Refuses an action on a built-in resource that has no meaning: throws Statuses 404 and 405, as upstream's router does. */
export function checkBuiltinAction(verb: string, target: ResourceTarget, { served }: Resource): void {
  const { namespace, name, subresource, rest, watch } = target
  if ((!served.namespaced && namespace !== '') || rest !== '') throw unknownResource()
  if (served.namespaced && namespace === '' && name !== '') throw unknownResource()
  if (subresource !== '') {
    const verbs = served.subresources.find((one) => one.name === subresource)?.verbs ?? streamVerbs(served, subresource)
    if (watch || verbs === undefined) throw unknownResource()
    if (!verbs.includes(verb)) throw methodNotAllowed()
    return
  }
  if (isPosted(served.verbs) && (name !== '' || (served.namespaced && namespace === ''))) throw unknownResource()
  // A collection is created in, an object is not: `create` is the only verb that a name does not change.
  if (!served.verbs.includes(verb) || (verb === 'create' && name !== '')) throw methodNotAllowed()
  // Over all namespaces at once one can only read.
  if (served.namespaced && namespace === '' && !EVERYWHERE.includes(verb)) throw methodNotAllowed()
  // A resource has `update`, `patch` and the like on its objects only.
  if (name === '' && ON_OBJECT.includes(verb)) throw methodNotAllowed()
}

/** Streams to pods are answered, to say that nothing runs here; discovery does not announce them. */
const STREAMS: ReadonlySet<string> = new Set(['exec', 'attach', 'portforward'])

function streamVerbs({ group, resource }: ServedResource, subresource: string): readonly string[] | undefined {
  return group === '' && resource === 'pods' && STREAMS.has(subresource) ? ['get', 'create'] : undefined
}

const ON_OBJECT = ['get', 'update', 'patch', 'delete']

/** Can clients only create the resource, so that it is not stored? */
const isPosted = (verbs: readonly string[]): boolean => verbs.length === 1 && verbs[0] === 'create'

export const unknownResource = (): ApiError =>
  failure(404, 'NotFound', 'the server could not find the requested resource', {})
