import type { Answer } from '../../in-process.ts'
import type { ApiServer } from '../api-server.ts'

export const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export const AUTHORIZATION = '/apis/authorization.k8s.io/v1'

export const AUTHENTICATION = '/apis/authentication.k8s.io/v1'

/** Of a request. */
export type Headers = Readonly<Record<string, string>>

export const as = (user: string, groups: readonly string[] = []): Headers => ({
  'impersonate-user': user,
  ...(groups.length === 0 ? {} : { 'impersonate-group': groups.join(', ') }),
})

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

export const rule = (verbs: string, resources: string, apiGroups = '', more: object = {}): object => ({
  verbs: verbs.split(' '),
  apiGroups: [apiGroups],
  resources: resources.split(' '),
  ...more,
})

export const userSubject = (name: string): object => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name })

export const roleRef = (kind: string, name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const outcome = ({ status, body }: Answer): readonly [number, string] => [status, body.message]

/** Requests about who may do what, which a server of the tests is asked again and again. */
export function access(api: ApiServer) {
  async function allow(path: string, user: string, ...rules: readonly object[]): Promise<void> {
    const home = path === '' ? RBAC : `${RBAC}/namespaces/${path}`
    const kind = path === '' ? 'ClusterRole' : 'Role'
    await api.create(`${home}/${kind.toLowerCase()}s`, { metadata: { name: `of-${user}` }, rules })
    await api.create(`${home}/${kind.toLowerCase()}bindings`, {
      metadata: { name: `of-${user}` },
      subjects: [userSubject(user)],
      roleRef: roleRef(kind, `of-${user}`),
    })
  }

  async function tokenFor(namespace: string, name: string, spec: object = {}): Promise<string> {
    await api.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name } })
    return (await api.create(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, { spec })).status.token
  }

  const whoami = (token: string): Promise<Answer> =>
    api.send('POST', `${AUTHENTICATION}/selfsubjectreviews`, {}, bearer(token))

  return { allow, tokenFor, whoami }
}
