import { describe, expect, test } from 'vitest'
import { apiServer } from '../api-server.ts'

const api = apiServer()

const as = async (
  headers: Readonly<Record<string, string>>,
  path = '/api/v1/namespaces/default/pods',
  method = 'GET',
): Promise<{ status: number; body: { message: string; reason: string } }> => {
  const response = await fetch(api.running.url + path, { method, headers })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

test.each(['Bearer wrong', 'Bearer ', 'Basic YWRtaW46YWRtaW4=', 'nonsense'])(
  'credentials of %j are refused',
  async (authorization) => {
    expect(await as({ authorization })).toMatchObject({
      status: 401,
      body: { reason: 'Unauthorized', message: 'Unauthorized', code: 401 },
    })
  },
)

test('a wrong token opens not even what is public', async () => {
  expect((await as({ authorization: 'Bearer wrong' }, '/version')).status).toBe(401)
})

test('the scheme may be spelled as one likes', async () => {
  expect((await as({ authorization: `bearer ${api.running.token}` })).status).toBe(200)
})

test.each(['Impersonate-Group', 'impersonate-uid', 'Impersonate-Extra-Scopes', 'Impersonate-Nobody'])(
  'the header %s without a user is refused rather than ignored',
  async (name) => {
    expect((await as({ authorization: `Bearer ${api.running.token}`, [name]: 'someone' })).status).toBe(400)
  },
)

describe('a stranger', () => {
  test.each([
    [
      'GET',
      '/api/v1/namespaces/default/pods',
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'GET',
      '/api/v1/namespaces/default/pods?watch=1',
      'pods is forbidden: User "system:anonymous" cannot watch resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'GET',
      '/api/v1/namespaces/default/pods?watch=false',
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" in the namespace "default"',
    ],
    [
      'GET',
      '/api/v1/pods',
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
    ],
    [
      'GET',
      '/api/v1/nodes/n',
      'nodes "n" is forbidden: User "system:anonymous" cannot get resource "nodes" in API group "" at the cluster scope',
    ],
    [
      'GET',
      '/apis/apps/v1/namespaces/n/deployments/d',
      'deployments.apps "d" is forbidden: User "system:anonymous" cannot get resource "deployments" in API group "apps" in the namespace "n"',
    ],
    [
      'POST',
      '/api/v1/namespaces/n/pods',
      'pods is forbidden: User "system:anonymous" cannot create resource "pods" in API group "" in the namespace "n"',
    ],
    [
      'PUT',
      '/api/v1/namespaces/n/pods/p/status',
      'pods "p" is forbidden: User "system:anonymous" cannot update resource "pods/status" in API group "" in the namespace "n"',
    ],
    [
      'PATCH',
      '/api/v1/namespaces/n/pods/p',
      'pods "p" is forbidden: User "system:anonymous" cannot patch resource "pods" in API group "" in the namespace "n"',
    ],
    [
      'DELETE',
      '/api/v1/namespaces/n/pods/p',
      'pods "p" is forbidden: User "system:anonymous" cannot delete resource "pods" in API group "" in the namespace "n"',
    ],
    [
      'DELETE',
      '/api/v1/namespaces/n/pods',
      'pods is forbidden: User "system:anonymous" cannot deletecollection resource "pods" in API group "" in the namespace "n"',
    ],
    ['GET', '/metrics', 'forbidden: User "system:anonymous" cannot get path "/metrics"'],
    ['GET', '/api', 'forbidden: User "system:anonymous" cannot get path "/api"'],
    ['GET', '/nonsense', 'forbidden: User "system:anonymous" cannot get path "/nonsense"'],
  ])('%s %s is rejected with: %s', async (method, path, message) => {
    expect(await as({}, path, method)).toMatchObject({ status: 403, body: { reason: 'Forbidden', message } })
  })

  test('learns nothing of what exists [security/no-credential]', async () => {
    const [there, absent] = [
      await as({}, '/api/v1/namespaces/default/configmaps/kube-root-ca.crt'),
      await as({}, '/api/v1/namespaces/default/configmaps/none'),
    ]
    expect([there.status, absent.status]).toEqual([403, 403])
  })

  test('changes nothing [security/no-credential]', async () => {
    const before = api.running.store.revision
    await as({}, '/api/v1/namespaces/kube-node-lease', 'DELETE')
    expect(api.running.store.revision).toBe(before)
  })
})

describe('reviews', () => {
  const post = (path: string, body: unknown): ReturnType<typeof api.send> => api.send('POST', path, body)

  test('report the user that asks', async () => {
    const { status, body } = await post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {})
    expect([status, body.kind, body.status.userInfo]).toEqual([
      201,
      'SelfSubjectReview',
      { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
    ])
  })

  test('report the permissions of the user that asks', async () => {
    const spec = { resourceAttributes: { verb: 'delete', resource: 'pods', namespace: 'default' } }
    expect((await post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { spec })).body.status.allowed).toBe(
      true,
    )
    const rules = await post('/apis/authorization.k8s.io/v1/selfsubjectrulesreviews', {
      spec: { namespace: 'default' },
    })
    expect(rules.body.status.resourceRules).toContainEqual({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] })
  })

  test('report the permissions of other users', async () => {
    const review = (groups: readonly string[]): ReturnType<typeof api.send> =>
      post('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        spec: { user: 'u', groups, resourceAttributes: { verb: 'get', resource: 'pods' } },
      })
    expect([
      (await review(['system:masters'])).body.status.allowed,
      (await review(['others'])).body.status.allowed,
    ]).toEqual([true, false])
  })

  test('of a namespace are about that namespace', async () => {
    const path = '/apis/authorization.k8s.io/v1/namespaces/default/localsubjectaccessreviews'
    const review = (namespace: string): ReturnType<typeof api.send> =>
      post(path, { spec: { user: 'u', groups: [], resourceAttributes: { namespace, verb: 'get', resource: 'pods' } } })
    expect([(await review('default')).status, (await review('other')).status]).toEqual([201, 422])
  })

  test('report the user of a token', async () => {
    const review = async (token: string): Promise<unknown> =>
      (await post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } })).body.status
    expect(await review(api.running.token)).toMatchObject({ authenticated: true, user: { username: 'admin' } })
    expect(await review('wrong')).not.toMatchObject({ authenticated: true })
  })

  test('store nothing', async () => {
    const before = api.running.store.revision
    await post('/apis/authentication.k8s.io/v1/tokenreviews', { metadata: { name: 'x' }, spec: { token: 't' } })
    await post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { metadata: { name: 'x' }, spec: {} })
    expect(api.running.store.revision).toBe(before)
  })

  test('of another kind are refused', async () => {
    expect(
      (await post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', { kind: 'Pod', apiVersion: 'v1' })).status,
    ).toBe(400)
  })
})
