import { create, type Step } from './scenario.ts'

export const RBAC = '/apis/rbac.authorization.k8s.io/v1'

export const AUTHORIZATION = '/apis/authorization.k8s.io/v1'

export const AUTHENTICATION = '/apis/authentication.k8s.io/v1'

export const as = (user: string, ...groups: readonly string[]): Readonly<Record<string, string>> => ({
  'impersonate-user': user,
  ...(groups.length === 0 ? {} : { 'impersonate-group': groups.join(', ') }),
})

export const by = (headers: Readonly<Record<string, string>>, step: Step): Step => ({ ...step, headers })

export const nobody = as('nobody-WORD')

export const post = (path: string, body: unknown): Step => ({ method: 'POST', path, body })

export const read = (path: string): Step => ({ method: 'GET', path })

export const rule = (verbs: string, resources: string, group = '', more: object = {}): object => ({
  verbs: verbs.split(' '),
  apiGroups: [group],
  resources: resources.split(' '),
  ...more,
})

export const user = (name: string): object => ({ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name })

export const ref = (kind: string, name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })

export const role = (name: string, ...rules: readonly object[]): Step =>
  create('rbac.authorization.k8s.io/v1/roles', { metadata: { name }, rules })

export const bind = (name: string, roleRef: object, ...subjects: readonly object[]): Step =>
  create('rbac.authorization.k8s.io/v1/rolebindings', { metadata: { name }, roleRef, subjects })

export const clusterRole = (name: string, ...rules: readonly object[]): Step =>
  post(`${RBAC}/clusterroles`, { metadata: { name: `${name}-WORD` }, rules })

export const clusterBind = (name: string, roleRef: object, ...subjects: readonly object[]): Step =>
  post(`${RBAC}/clusterrolebindings`, { metadata: { name: `${name}-WORD` }, roleRef, subjects })

export const map = { metadata: { name: 'm' }, data: { a: 'b' } }
