import { isUtf8 } from 'node:buffer'
import { badRequest } from '../../../machinery/status.ts'
import {
  ANONYMOUS,
  AUTHENTICATED,
  type Caller,
  serviceAccountGroups,
  serviceAccountOf,
  UNAUTHENTICATED,
} from '../../../machinery/caller.ts'
import type { ResourceAction } from '../request/action.ts'

const PREFIX = 'impersonate-'
const EXTRA = 'impersonate-extra-'
const AUTHENTICATION = 'authentication.k8s.io'

/** The user that a request impersonates, and the permissions that its sender needs for that. */
export interface Impersonation {
  readonly caller: Caller
  readonly demands: readonly ResourceAction[]
}

/** Do headers (names in lower case) ask to act as somebody else? Those that are empty ask for nothing. */
export function wantsImpersonation(headers: Readonly<Record<string, unknown>>): boolean {
  for (const name in headers) if (name.startsWith(PREFIX) && headers[name] !== '') return true
  return false
}

/**
 * Reads the `Impersonate-*` headers of a request, given as name, value, name, value … as they were sent: a group's name may
 * hold a comma. Throws 400 for those that cannot be honoured.
 */
export function impersonation(rawHeaders: readonly string[]): Impersonation {
  let user = ''
  let uid = ''
  const groups: string[] = []
  const extra = new Map<string, string[]>()
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] ?? '').toLowerCase()
    if (!name.startsWith(PREFIX)) continue
    const value = utf8(rawHeaders[i + 1] ?? '')
    if (name === 'impersonate-group') groups.push(value)
    else if (name.startsWith(EXTRA)) {
      const key = unescaped(name.slice(EXTRA.length))
      const values = extra.get(key)
      if (values === undefined) extra.set(key, [value])
      else values.push(value)
    } else if (name === 'impersonate-user' && user === '') user = value
    else if (name === 'impersonate-uid' && uid === '') uid = value
    else throw badRequest(`the header ${name} cannot be honoured`)
  }
  if (user === '') throw badRequest('requested impersonation without impersonating a user')
  return {
    caller: {
      name: user,
      groups: groupsOf(user, groups),
      ...(uid === '' ? {} : { uid }),
      ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }),
    },
    demands: [
      userAction(user),
      ...groups.map((name) => action('', 'groups', name)),
      ...[...extra].flatMap(([key, values]) => values.map((value) => action(AUTHENTICATION, 'userextras', value, key))),
      ...(uid === '' ? [] : [action(AUTHENTICATION, 'uids', uid)]),
    ],
  }
}

/** The groups that were asked for, and the one that every user is in. A ServiceAccount without any has its own. */
function groupsOf(user: string, asked: readonly string[]): readonly string[] {
  const account = asked.length === 0 ? serviceAccountOf(user) : undefined
  const groups = account === undefined ? asked : serviceAccountGroups(account.namespace)
  if (groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED)) return groups
  return [...groups, user === ANONYMOUS.name ? UNAUTHENTICATED : AUTHENTICATED]
}

function userAction(user: string): ResourceAction {
  const account = serviceAccountOf(user)
  return account === undefined
    ? action('', 'users', user)
    : { ...action('', 'serviceaccounts', account.name), namespace: account.namespace }
}

const action = (group: string, resource: string, name: string, subresource = ''): ResourceAction => ({
  type: 'resource',
  verb: 'impersonate',
  group,
  resource,
  subresource,
  namespace: '',
  name,
})

/** Header values come as bytes in a text; clients mean UTF-8. */
function utf8(value: string): string {
  const bytes = Buffer.from(value, 'latin1')
  if (!isUtf8(bytes) || bytes.toString('latin1') !== value) return value
  return bytes.toString('utf8')
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    return key
  }
}
