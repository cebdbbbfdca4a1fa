import { describe, expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer } from '../api-server.ts'
import { access, as, AUTHENTICATION, bearer, type Headers, outcome, RBAC, roleRef, rule } from './role-objects.ts'

const api = apiServer()
const { allow, tokenFor } = access(api)

describe('impersonation', () => {
  test('needs a permission for each user, group and extra', async () => {
    await allow(
      '',
      'max',
      rule('impersonate', 'users', '', { resourceNames: ['ned'] }),
      rule('impersonate', 'groups', '', { resourceNames: ['dev'] }),
      rule('impersonate', 'userextras/scopes', 'authentication.k8s.io'),
    )
    const token = await tokenFor('default', 'impersonator')
    await api.create(`${RBAC}/clusterrolebindings`, {
      metadata: { name: 'impersonator' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'impersonator' }],
      roleRef: roleRef('ClusterRole', 'of-max'),
    })
    const whoami = (headers: Headers): Promise<Answer> =>
      api.send('POST', `${AUTHENTICATION}/selfsubjectreviews`, {}, { ...bearer(token), ...headers })
    const { status, body } = await whoami({ ...as('ned', ['dev']), 'impersonate-extra-scopes': 'a' })
    expect([status, body.status?.userInfo]).toEqual([
      201,
      { username: 'ned', groups: ['dev', 'system:authenticated'], extra: { scopes: ['a'] } },
    ])
    const me = 'User "system:serviceaccount:default:impersonator" cannot impersonate resource'
    expect(outcome(await whoami(as('ann')))).toEqual([
      403,
      `users "ann" is forbidden: ${me} "users" in API group "" at the cluster scope`,
    ])
    expect(outcome(await whoami(as('ned', ['ops'])))).toEqual([
      403,
      `groups "ops" is forbidden: ${me} "groups" in API group "" at the cluster scope`,
    ])
    expect(outcome(await whoami(as('system:serviceaccount:n:s')))).toEqual([
      403,
      `serviceaccounts "s" is forbidden: ${me} "serviceaccounts" in API group "" in the namespace "n"`,
    ])
    expect(outcome(await whoami({ ...as('ned'), 'impersonate-uid': '7' }))).toEqual([
      403,
      `uids.authentication.k8s.io "7" is forbidden: ${me} "uids" in API group "authentication.k8s.io" at the cluster scope`,
    ])
    expect(outcome(await whoami({ ...as('ned'), 'impersonate-extra-other': 'z' }))).toEqual([
      403,
      `userextras.authentication.k8s.io "z" is forbidden: ${me} "userextras/other" in API group "authentication.k8s.io" at the cluster scope`,
    ])
  })

  test('leaves nothing of the impersonating user', async () => {
    expect((await api.send('GET', '/api/v1/nodes', undefined, as('nobody'))).status).toBe(403)
    expect((await api.send('GET', '/api/v1/nodes', undefined, as('nobody', ['system:masters']))).status).toBe(200)
  })
})
