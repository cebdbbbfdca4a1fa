import { type ApiError, failure, forbidden } from '../../../machinery/status.ts'
import type { Caller } from '../../../machinery/caller.ts'

/** Something done to a resource. Empty texts stand for what is not named: no subresource, all names, the cluster scope. */
export interface ResourceAction {
  readonly type: 'resource'
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly namespace: string
  readonly name: string
}

/** An action on a path that is not a resource. */
export interface PathAction {
  readonly type: 'path'
  readonly verb: string
  readonly path: string
}

/** The action of a caller, as far as rules distinguish requests. */
export type Action = ResourceAction | PathAction

/** 403 for an action, worded as upstream does (`responsewriters.ForbiddenStatusError`). `reason` follows where there is one. */
export function forbiddenAction(caller: Caller, action: Action, reason = ''): ApiError {
  const detail =
    escaped(`User ${JSON.stringify(caller.name)} cannot ${objection(action)}`) + (reason === '' ? '' : `: ${reason}`)
  if (action.type === 'path') return failure(403, 'Forbidden', `forbidden: ${detail}`, {})
  return forbidden({ group: action.group, resource: action.resource }, action.name, detail)
}

function objection(action: Action): string {
  if (action.type === 'path') return `${action.verb} path ${JSON.stringify(action.path)}`
  const { verb, group, resource, subresource, namespace } = action
  const what = subresource === '' ? resource : `${resource}/${subresource}`
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`
  return `${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)} ${where}`
}

/** Upstream escapes what a browser could take for markup. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
