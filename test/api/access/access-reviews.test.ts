import { describe, expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer } from '../api-server.ts'
import { access, as, AUTHORIZATION, type Headers, nameOf, rule } from './role-objects.ts'

const api = apiServer()
const { allow } = access(api)

describe('access reviews', () => {
  const ask = (kind: string, spec: object, headers: Headers = {}): Promise<Answer> =>
    api.send('POST', `${AUTHORIZATION}/${kind}`, { spec }, headers)

  test('answer for the caller and for others alike, with the reason', async () => {
    const path = nameOf(await api.namespace())
    await allow(path, 'pia', rule('list', 'pods'))
    const resourceAttributes = { verb: 'list', resource: 'pods', namespace: path }
    const wanted = {
      allowed: true,
      reason: `RBAC: allowed by RoleBinding "of-pia/${path}" of Role "of-pia" to User "pia"`,
    }
    expect((await ask('selfsubjectaccessreviews', { resourceAttributes }, as('pia'))).body.status).toEqual(wanted)
    expect((await ask('subjectaccessreviews', { resourceAttributes, user: 'pia' })).body.status).toEqual(wanted)
    expect(
      (await ask(`namespaces/${path}/localsubjectaccessreviews`, { resourceAttributes, user: 'pia' })).body.status,
    ).toEqual(wanted)
    expect(
      (await ask('selfsubjectaccessreviews', { resourceAttributes: { ...resourceAttributes, verb: 'get' } }, as('pia')))
        .body.status,
    ).toEqual({ allowed: false })
    expect(
      (await ask('selfsubjectaccessreviews', { nonResourceAttributes: { verb: 'get', path: '/api' } }, as('pia'))).body
        .status.allowed,
    ).toBe(true)
  })

  test('list what the caller may do', async () => {
    const path = nameOf(await api.namespace())
    await allow(path, 'quy', rule('get', 'pods', '', { resourceNames: ['a'] }))
    const { body } = await ask('selfsubjectrulesreviews', { namespace: path }, as('quy'))
    expect(body.status.incomplete).toBe(false)
    expect(body.status.resourceRules).toContainEqual({
      verbs: ['get'],
      apiGroups: [''],
      resources: ['pods'],
      resourceNames: ['a'],
    })
    expect(body.status.nonResourceRules).toContainEqual({
      verbs: ['get'],
      nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'],
    })
  })

  test('of others are not for everyone', async () => {
    expect(
      (
        await ask(
          'subjectaccessreviews',
          { user: 'x', resourceAttributes: { verb: 'get', resource: 'pods' } },
          as('ray'),
        )
      ).status,
    ).toBe(403)
  })

  test.each<[string, object, string]>([
    [
      'selfsubjectaccessreviews',
      {},
      'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
    ],
    [
      'subjectaccessreviews',
      { resourceAttributes: { verb: 'get' } },
      'spec.user: Invalid value: "": at least one of user or group must be specified',
    ],
  ])('%s of %j are invalid', async (kind, spec, message) => {
    const { status, body } = await ask(kind, spec)
    expect([status, body.message]).toEqual([422, expect.stringContaining(message)])
  })
})
