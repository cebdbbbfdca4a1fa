import { describe, expect, test } from 'vitest'
import { apiServer, pod } from '../api-server.ts'
import { access, as, nameOf, outcome, RBAC, roleRef, rule, userSubject } from './role-objects.ts'

const api = apiServer()
const { allow } = access(api)

describe('roles', () => {
  test('allow what they name, from the answer to their binding on', async () => {
    const path = await api.namespace()
    expect((await api.send('GET', `${path}/pods`, undefined, as('ann'))).status).toBe(403)
    await allow(nameOf(path), 'ann', rule('get list watch', 'pods'))
    expect((await api.send('GET', `${path}/pods`, undefined, as('ann'))).status).toBe(200)
    expect(outcome(await api.send('POST', `${path}/pods`, pod('p'), as('ann')))).toEqual([
      403,
      `pods is forbidden: User "ann" cannot create resource "pods" in API group "" in the namespace "${nameOf(path)}"`,
    ])
    expect(outcome(await api.send('GET', '/api/v1/pods', undefined, as('ann')))).toEqual([
      403,
      'pods is forbidden: User "ann" cannot list resource "pods" in API group "" at the cluster scope',
    ])
    await api.send('DELETE', `${RBAC}/namespaces/${nameOf(path)}/rolebindings/of-ann`)
    expect((await api.send('GET', `${path}/pods`, undefined, as('ann'))).status).toBe(403)
  })

  test('name single objects, also for lists and watches of one', async () => {
    const path = await api.namespace()
    await allow(nameOf(path), 'bea', rule('get list', 'configmaps', '', { resourceNames: ['kube-root-ca.crt'] }))
    const status = async (rest: string): Promise<number> =>
      (await api.send('GET', `${path}/configmaps${rest}`, undefined, as('bea'))).status
    expect([
      await status('/kube-root-ca.crt'),
      await status('/other'),
      await status(''),
      await status('?fieldSelector=metadata.name%3Dkube-root-ca.crt'),
    ]).toEqual([200, 403, 403, 200])
  })

  test('distinguish a subresource from its resource', async () => {
    const path = await api.namespace()
    await api.create(`${path}/pods`, pod('p'))
    await allow(nameOf(path), 'cid', rule('get', 'pods/status'))
    expect((await api.send('GET', `${path}/pods/p/status`, undefined, as('cid'))).status).toBe(200)
    expect(outcome(await api.send('GET', `${path}/pods/p`, undefined, as('cid')))).toEqual([
      403,
      `pods "p" is forbidden: User "cid" cannot get resource "pods" in API group "" in the namespace "${nameOf(path)}"`,
    ])
  })

  test('of a namespace reach the Namespace itself', async () => {
    const path = await api.namespace()
    await allow(nameOf(path), 'dan', rule('get', 'namespaces'))
    expect((await api.send('GET', path, undefined, as('dan'))).status).toBe(200)
    expect((await api.send('GET', '/api/v1/namespaces/default', undefined, as('dan'))).status).toBe(403)
  })

  test('allow paths outside the resources', async () => {
    await allow('', 'eve', { verbs: ['get'], nonResourceURLs: ['/metrics'] })
    expect((await api.send('GET', '/metrics', undefined, as('eve'))).status).toBe(200)
    expect(outcome(await api.send('GET', '/metrics', undefined, as('eva')))).toEqual([
      403,
      'forbidden: User "eva" cannot get path "/metrics"',
    ])
  })

  test('that do not exist are named in the error', async () => {
    await api.create(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'dangling' },
      subjects: [userSubject('fay')],
      roleRef: roleRef('ClusterRole', 'nowhere'),
    })
    expect(outcome(await api.send('GET', '/api/v1/nodes', undefined, as('fay')))).toEqual([
      403,
      'nodes is forbidden: User "fay" cannot list resource "nodes" in API group "" at the cluster scope: RBAC: clusterrole.rbac.authorization.k8s.io "nowhere" not found',
    ])
  })

  test('let every authenticated user discover the served resources', async () => {
    for (const path of ['/api', '/apis', '/api/v1', '/openapi/v3', '/version'])
      expect((await api.send('GET', path, undefined, as('anyone'))).status, path).toBe(200)
  })

  test('a PUT that would create needs the right to create', async () => {
    const path = await api.namespace()
    await allow(nameOf(path), 'gus', rule('update', 'roles', 'rbac.authorization.k8s.io'))
    const role = { metadata: { name: 'new' }, rules: [] }
    expect(outcome(await api.send('PUT', `${RBAC}/namespaces/${nameOf(path)}/roles/new`, role, as('gus')))).toEqual([
      403,
      `roles.rbac.authorization.k8s.io "new" is forbidden: User "gus" cannot create resource "roles" in API group "rbac.authorization.k8s.io" in the namespace "${nameOf(path)}"`,
    ])
  })
})
