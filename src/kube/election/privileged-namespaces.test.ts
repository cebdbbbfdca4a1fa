import { describe, expect, test } from 'vitest'
import { forbidden } from '../../machinery/status.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { CLUSTER_ROLE_BINDINGS, grantedNamespaces, privilegedNamespaces } from './privileged-namespaces.ts'

const RIGHT = { group: 'capsule.clastix.io', resource: 'resourcepools/status', verbs: ['update', 'patch'] }
const SIGNAL = new AbortController().signal

const role = (rule: object): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'r' },
  rules: [{ apiGroups: [RIGHT.group], resources: ['*'], verbs: ['*'], ...rule }],
})
const bound = (subject: object, name = 'r'): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'b' },
  roleRef: { kind: 'ClusterRole', name },
  subjects: [subject],
})
const ACCOUNT = { kind: 'ServiceAccount', namespace: 'system', name: 'peer' }

describe('a namespace is privileged', () => {
  test.each([
    ['everything', { apiGroups: ['*'] }, true],
    ['the resource', { resources: ['resourcepools/status'], verbs: ['patch'] }, true],
    ['that subresource of all', { resources: ['*/status'], verbs: ['update'] }, true],
    ['another subresource', { resources: ['resourcepools'] }, false],
    ['another verb', { verbs: ['get', 'list'] }, false],
    ['another group', { apiGroups: ['apps'] }, false],
    ['some objects only', { resourceNames: ['one'] }, false],
  ])('where an account has a role for %s: %#', (_, rule, expected) => {
    const isPrivileged = grantedNamespaces([role(rule)], [bound(ACCOUNT)], RIGHT)
    expect([isPrivileged('system'), isPrivileged('tenant')]).toEqual([expected, false])
  })

  test.each([
    ['an account by its user name', { kind: 'User', name: 'system:serviceaccount:system:peer' }, true, false],
    ['all accounts of the namespace', { kind: 'Group', name: 'system:serviceaccounts:system' }, true, false],
    ['all accounts', { kind: 'Group', name: 'system:serviceaccounts' }, true, true],
    ['everybody', { kind: 'Group', name: 'system:authenticated' }, true, true],
    ['a person', { kind: 'User', name: 'system' }, false, false],
    ['a group of people', { kind: 'Group', name: 'system' }, false, false],
  ])('where the role is bound to %s', (_, subject, here, there) => {
    const isPrivileged = grantedNamespaces([role({})], [bound(subject)], RIGHT)
    expect([isPrivileged('system'), isPrivileged('tenant'), isPrivileged('')]).toEqual([here, there, there])
  })

  test('by no role that is not bound, and by no binding of another role', () => {
    expect(grantedNamespaces([role({})], [bound(ACCOUNT, 'other')], RIGHT)('system')).toBe(false)
  })

  test('wherever that cannot be read', async () => {
    const client = { list: () => Promise.reject(forbidden(CLUSTER_ROLE_BINDINGS, '', 'no')) }
    expect((await privilegedNamespaces(client, RIGHT, SIGNAL))('tenant')).toBe(true)
  })
})
