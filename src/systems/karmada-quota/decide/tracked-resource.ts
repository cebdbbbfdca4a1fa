import { isHugePagesName } from '../../../kinds/resource-quota/resource-names.ts'
import type { GroupResource } from '../../../machinery/status.ts'

/** The part of a binding that a limit of a KarmadaQuota counts. */
export type TrackedResource =
  /** The requests of its pods, by the name that pods request it by. */
  | { readonly type: 'requests'; readonly name: string }
  | { readonly type: 'pods' }
  /** The object that it propagates, where it is of this resource. */
  | { readonly type: 'objects'; readonly resource: GroupResource }

const COMPUTE: ReadonlySet<string> = new Set(['cpu', 'memory', 'ephemeral-storage'])
const OBJECTS: ReadonlySet<string> = new Set(['services', 'secrets'])
const REQUESTS = 'requests.'
const COUNT = 'count/'
const PODS = 'pods'

/**
 * Returns the part of bindings that the limit of a name counts (docs/decisions/015-karmada-quotas.md); undefined for a name that a
 * KarmadaQuota cannot enforce, such as `limits.cpu`: bindings say nothing of limits.
 */
export function trackedResource(name: string): TrackedResource | undefined {
  if (name === PODS) return { type: 'pods' }
  if (OBJECTS.has(name)) return { type: 'objects', resource: { group: '', resource: name } }
  if (name.startsWith(COUNT)) return counted(name.slice(COUNT.length))
  if (name.startsWith('limits.')) return undefined
  const request = name.startsWith(REQUESTS) ? name.slice(REQUESTS.length) : name
  const isRequest = COMPUTE.has(request) || request.includes('/') || isHugePagesName(request)
  return isRequest && !request.startsWith(REQUESTS) ? { type: 'requests', name: request } : undefined
}

function counted(name: string): TrackedResource | undefined {
  const dot = name.indexOf('.')
  const resource =
    dot === -1 ? { group: '', resource: name } : { group: name.slice(dot + 1), resource: name.slice(0, dot) }
  if (resource.resource === '') return undefined
  return resource.group === '' && resource.resource === PODS ? { type: 'pods' } : { type: 'objects', resource }
}
