import { pathSegmentName } from '../../machinery/names.ts'
import { parseFieldQuery } from '../../machinery/selector/field-query.ts'
import type { Exchange } from '../../runtime/exchange.ts'
import { flag } from '../operation/list-options.ts'
import type { Target } from '../request-target.ts'
import type { Action } from './action.ts'

type Request = Pick<Exchange, 'method' | 'search' | 'query'>

const VERBS: ReadonlyMap<string, string> = new Map([
  ['POST', 'create'],
  ['PUT', 'update'],
  ['PATCH', 'patch'],
])

/**
 * What a request wants to do, as upstream's RequestInfo resolver tells it: a Namespace is in itself, and a collection that is
 * narrowed to one name by a field selector counts as that name.
 */
export function requestAction(request: Request, target: Target): Action {
  const { method, search, query } = request
  if (target.type === 'path') return { type: 'path', verb: method.toLowerCase(), path: target.path }
  const { group, resource, subresource, name, watch } = target
  const namespace = group === '' && resource === 'namespaces' ? name : target.namespace
  const about = { type: 'resource' as const, group, resource, subresource, namespace }
  const reads = method === 'GET' || method === 'HEAD'
  if (watch) return { ...about, verb: 'watch', name }
  if (name !== '' || !(reads || method === 'DELETE')) {
    const verb = reads ? 'get' : method === 'DELETE' ? 'delete' : (VERBS.get(method) ?? '')
    return { ...about, verb, name }
  }
  if (search === '') return { ...about, verb: reads ? 'list' : 'deletecollection', name }
  const verb = method === 'DELETE' ? 'deletecollection' : flag(query, 'watch') ? 'watch' : 'list'
  return { ...about, verb, name: selectedName(query.get('fieldSelector') ?? '') }
}

/** The one name that a field selector lets through; a selector that is not well formed is refused later. */
function selectedName(selector: string): string {
  if (!selector.includes('metadata.name')) return ''
  try {
    const name = parseFieldQuery(selector).exactValue('metadata.name') ?? ''
    return pathSegmentName(name, false).length === 0 ? name : ''
  } catch {
    return ''
  }
}
