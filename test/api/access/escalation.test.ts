import { describe, expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer, MERGE } from '../api-server.ts'
import { access, as, nameOf, outcome, RBAC, roleRef, rule, userSubject } from './role-objects.ts'

const api = apiServer()
const { allow } = access(api)

describe('nobody grants what they do not hold', () => {
  const writer = rule(
    'create update patch',
    'roles rolebindings clusterroles clusterrolebindings',
    'rbac.authorization.k8s.io',
  )

  test('by a role', async () => {
    const path = nameOf(await api.namespace())
    await allow(path, 'hal', writer, rule('get', 'pods'))
    const make = (name: string, ...rules: readonly object[]): Promise<Answer> =>
      api.send('POST', `${RBAC}/namespaces/${path}/roles`, { metadata: { name }, rules }, as('hal'))
    expect((await make('mine', rule('get', 'pods'))).status).toBe(201)
    expect(outcome(await make('more', rule('get list delete', 'pods secrets')))).toEqual([
      403,
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "hal" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["pods"], Verbs:["list" "delete"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "delete"]}',
    ])
    const patched = await api.send(
      'PATCH',
      `${RBAC}/namespaces/${path}/roles/mine`,
      { rules: [rule('*', 'pods')] },
      { ...MERGE, ...as('hal') },
    )
    expect(outcome(patched)).toEqual([
      403,
      'roles.rbac.authorization.k8s.io "mine" is forbidden: user "hal" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["*"]}',
    ])
  })

  test('unless they may escalate', async () => {
    const path = nameOf(await api.namespace())
    await allow(path, 'ida', writer, rule('escalate', 'roles', 'rbac.authorization.k8s.io'))
    expect(
      (
        await api.send(
          'POST',
          `${RBAC}/namespaces/${path}/roles`,
          { metadata: { name: 'r' }, rules: [rule('*', '*')] },
          as('ida'),
        )
      ).status,
    ).toBe(201)
  })

  test('by a binding, unless they may bind that role', async () => {
    const path = nameOf(await api.namespace())
    await allow(
      path,
      'jim',
      writer,
      rule('bind', 'clusterroles', 'rbac.authorization.k8s.io', { resourceNames: ['view'] }),
    )
    const bind = (role: object, name: string): Promise<Answer> =>
      api.send(
        'POST',
        `${RBAC}/namespaces/${path}/rolebindings`,
        { metadata: { name }, subjects: [userSubject('jim')], roleRef: role },
        as('jim'),
      )
    expect((await bind(roleRef('ClusterRole', 'view'), 'a')).status).toBe(201)
    expect(outcome(await bind(roleRef('ClusterRole', 'cluster-admin'), 'b'))).toEqual([
      403,
      'rolebindings.rbac.authorization.k8s.io "b" is forbidden: user "jim" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}\n{NonResourceURLs:["*"], Verbs:["*"]}',
    ])
    expect(outcome(await bind(roleRef('Role', 'none'), 'c'))).toEqual([
      404,
      'roles.rbac.authorization.k8s.io "none" not found',
    ])
  })

  test('by aggregation', async () => {
    await allow('', 'kit', writer)
    const object = { metadata: { name: 'greedy' }, aggregationRule: { clusterRoleSelectors: [{}] }, rules: [] }
    expect(outcome(await api.send('POST', `${RBAC}/clusterroles`, object, as('kit')))).toEqual([
      403,
      'clusterroles.rbac.authorization.k8s.io "greedy" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    ])
  })

  test('but may change finalizers, which grant nothing', async () => {
    const path = nameOf(await api.namespace())
    await allow(path, 'lou', writer)
    await api.create(`${RBAC}/namespaces/${path}/roles`, {
      metadata: { name: 'big', finalizers: ['a.test/x'] },
      rules: [rule('*', '*')],
    })
    expect(
      (
        await api.send(
          'PATCH',
          `${RBAC}/namespaces/${path}/roles/big`,
          { metadata: { finalizers: null } },
          { ...MERGE, ...as('lou') },
        )
      ).status,
    ).toBe(200)
  })
})
