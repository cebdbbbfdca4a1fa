import { describe, expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer, configMap } from '../api-server.ts'
import { as, nameOf, outcome, RBAC, roleRef, rule, userSubject } from './role-objects.ts'

const api = apiServer()

describe('the roles that every cluster has', () => {
  test('let viewers see, editors write and administrators of a namespace share', async () => {
    const path = await api.namespace()
    const home = `${RBAC}/namespaces/${nameOf(path)}/rolebindings`
    for (const name of ['view', 'edit', 'admin'])
      await api.create(home, {
        metadata: { name },
        subjects: [userSubject(`the-${name}`)],
        roleRef: roleRef('ClusterRole', name),
      })
    const statuses = async (user: string): Promise<readonly number[]> => {
      const answers = [
        await api.send('GET', `${path}/pods`, undefined, as(user)),
        await api.send('GET', `${path}/secrets`, undefined, as(user)),
        await api.send('POST', `${path}/configmaps`, configMap(`by-${user}`), as(user)),
        await api.send(
          'POST',
          home,
          { metadata: { name: `by-${user}` }, subjects: [userSubject('x')], roleRef: roleRef('ClusterRole', 'view') },
          as(user),
        ),
      ]
      return answers.map(({ status }) => status)
    }
    expect([await statuses('the-view'), await statuses('the-edit'), await statuses('the-admin')]).toEqual([
      [200, 403, 403, 403],
      [200, 200, 201, 403],
      [200, 200, 201, 201],
    ])
  })

  test('gather the rules of roles that are labelled for them, as those come and go', async () => {
    const edit = `${RBAC}/clusterroles/edit`
    const label = 'rbac.authorization.k8s.io/aggregate-to-edit'
    const has = ({ rules }: Answer['body']): boolean =>
      rules.some(({ apiGroups = [] }: Answer['body']) => apiGroups.includes('harbour.test'))
    await api.create(`${RBAC}/clusterroles`, {
      metadata: { name: 'boats', labels: { [label]: 'true' } },
      rules: [rule('*', 'boats', 'harbour.test')],
    })
    await api.until(edit, has)
    await api.until(`${RBAC}/clusterroles/admin`, has)
    await api.send('DELETE', `${RBAC}/clusterroles/boats`)
    expect(has(await api.until(edit, (role) => !has(role)))).toBe(false)
  })

  test('are restored when somebody writes over what is gathered', async () => {
    const { rules } = await api.get(`${RBAC}/clusterroles/view`)
    await api.patch(`${RBAC}/clusterroles/view`, { rules: [] })
    expect((await api.until(`${RBAC}/clusterroles/view`, (role) => role.rules.length === rules.length)).rules).toEqual(
      rules,
    )
  })

  test('an aggregation without selectors is invalid', async () => {
    const answer = await api.send('POST', `${RBAC}/clusterroles`, {
      metadata: { name: 'none' },
      aggregationRule: {},
      rules: [],
    })
    expect(outcome(answer)).toEqual([
      422,
      'ClusterRole.rbac.authorization.k8s.io "none" is invalid: aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil',
    ])
  })
})
