import { pathSegmentName } from '../../../machinery/names.ts'
import { parseFieldQuery } from '../../../machinery/selector/field-query.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import { flag } from '../../storing/list-options.ts'
import type { RequestTarget, ResourceTarget } from './target.ts'
import type { Action } from './action.ts'

type Request = Pick<Exchange, 'method' | 'search' | 'query'>

/** The verbs of the methods on one object, … */
const ON_OBJECT: ReadonlyMap<string, string> = new Map([
  ['GET', 'get'],
  ['HEAD', 'get'],
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
  ['DELETE', 'delete'],
])
/** … and what these verbs are on a collection. */
const ON_COLLECTION: ReadonlyMap<string, string> = new Map([
  ['get', 'list'],
  ['delete', 'deletecollection'],
])
/** Verbs on a collection that a field selector can narrow to one name. */
const NARROWED: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection'])

/**
 * The action of a request. It is resolved once: the authorizer decides about it, and the dispatcher executes it and nothing else.
 * As in upstream's RequestInfo resolver a Namespace is in itself, and a collection that a field selector narrows to one
 * name is that name. A create is of no name, whatever the URL says: the body names the object. A request that has no
 * meaning, such as a PATCH of a path that asks for a watch, has no verb; only a rule for all verbs allows it, and nothing
 * executes it.
 */
export function requestAction(request: Request, target: RequestTarget): Action {
  if (target.type === 'path') return { type: 'path', verb: request.method.toLowerCase(), path: target.path }
  const { group, resource, subresource } = target
  const namespace = group === '' && resource === 'namespaces' ? target.name : target.namespace
  const verb = resourceVerb(request, target)
  const name =
    target.name === '' && NARROWED.has(verb)
      ? selectedName(request)
      : verb === 'create' && subresource === ''
        ? ''
        : target.name
  return { type: 'resource', verb, group, resource, subresource, namespace, name }
}

function resourceVerb({ method, search, query }: Request, { name, watch }: ResourceTarget): string {
  if (watch) return method === 'GET' ? 'watch' : ''
  const verb = ON_OBJECT.get(method) ?? ''
  if (name !== '') return verb
  if (verb === 'get' && search !== '' && flag(query, 'watch')) return 'watch'
  return ON_COLLECTION.get(verb) ?? verb
}

/** The one name that a field selector selects; a selector that is not well formed is refused later. */
function selectedName({ search, query }: Request): string {
  const selector = search === '' ? '' : (query.get('fieldSelector') ?? '')
  if (!selector.includes('metadata.name')) return ''
  try {
    const name = parseFieldQuery(selector).exactValue('metadata.name') ?? ''
    return pathSegmentName(name, false).length === 0 ? name : ''
  } catch {
    return ''
  }
}
