import { describe, expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer, pod } from '../api-server.ts'
import { access, as, AUTHENTICATION, nameOf, outcome } from './role-objects.ts'

let clock = Date.parse('2030-01-01T00:00:00Z')
const api = apiServer({ now: () => clock })

const MINUTE = 60_000
const { tokenFor, whoami } = access(api)

describe('the token of a service account', () => {
  const request = (spec: object, name = 'default'): Promise<Answer> =>
    api.send('POST', `/api/v1/namespaces/default/serviceaccounts/${name}/token`, {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      spec,
    })

  test('is answered with what was asked and when it ends', async () => {
    const { status, body } = await request({ expirationSeconds: 1200 })
    expect([status, body.kind, body.apiVersion, body.metadata.name]).toEqual([
      201,
      'TokenRequest',
      'authentication.k8s.io/v1',
      'default',
    ])
    expect(body.spec).toEqual({
      audiences: ['https://kubernetes.default.svc.cluster.local'],
      expirationSeconds: 1200,
      boundObjectRef: null,
    })
    expect(Date.parse(body.status.expirationTimestamp)).toBe(Math.floor(clock / 1000) * 1000 + 1_200_000)
  })

  test('makes its bearer that account', async () => {
    const { body } = await whoami(await tokenFor('default', 'robot'))
    expect(body.status.userInfo).toEqual({
      username: 'system:serviceaccount:default:robot',
      uid: expect.any(String),
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^JTI=/)] },
    })
  })

  test('ends with its time', async () => {
    const token = await tokenFor('default', 'robot', { expirationSeconds: 600 })
    const before = clock
    clock = before + 10.9 * MINUTE
    expect((await whoami(token)).status).toBe(201)
    clock = before + 11.1 * MINUTE
    expect((await whoami(token)).status).toBe(401)
    clock = before
  })

  test('is good although the clock was put back by less than a minute since', async () => {
    const before = clock
    const token = await tokenFor('default', 'robot')
    clock = before - 0.9 * MINUTE
    expect((await whoami(token)).status).toBe(201)
    clock = before - 1.1 * MINUTE
    expect((await whoami(token)).status).toBe(401)
    clock = before
  })

  test('ends with its account, also when there is another of the name', async () => {
    const path = await api.namespace()
    const token = await tokenFor(nameOf(path), 'brief')
    expect((await whoami(token)).status).toBe(201)
    await api.send('DELETE', `${path}/serviceaccounts/brief`)
    expect((await whoami(token)).status).toBe(401)
    await api.create(`${path}/serviceaccounts`, { metadata: { name: 'brief' } })
    expect((await whoami(token)).status).toBe(401)
  })

  test('ends with the pod that it is bound to', async () => {
    const path = await api.namespace()
    await api.create(`${path}/pods`, pod('p'))
    const token = (
      await api.create(`${path}/serviceaccounts/default/token`, {
        spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' } },
      })
    ).status.token
    expect((await whoami(token)).body.status.userInfo.extra).toMatchObject({
      'authentication.kubernetes.io/pod-name': ['p'],
    })
    await api.send('DELETE', `${path}/pods/p?gracePeriodSeconds=0`)
    expect((await whoami(token)).status).toBe(401)
  })

  test('for somebody else is not accepted here', async () => {
    const token = await tokenFor('default', 'robot', { audiences: ['vault'] })
    expect((await whoami(token)).status).toBe(401)
    const review = async (audiences: readonly string[]): Promise<Answer['body']> =>
      (await api.create(`${AUTHENTICATION}/tokenreviews`, { spec: { token, audiences } })).status
    expect(await review(['other', 'vault'])).toMatchObject({
      authenticated: true,
      audiences: ['vault'],
      user: { username: 'system:serviceaccount:default:robot' },
    })
    expect(await review(['other'])).toEqual({ user: {}, error: expect.any(String) })
    expect((await review([])).authenticated).toBeUndefined()
  })

  test.each<[string, object, number, string]>([
    [
      'too short',
      { expirationSeconds: 599 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
    ],
    [
      'too long',
      { expirationSeconds: 2 ** 32 + 1 },
      422,
      'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
    ],
    [
      'bound to no pod',
      { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'none' } },
      404,
      'pods "none" not found',
    ],
    [
      'bound to what cannot be bound to',
      { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'x' } },
      400,
      'cannot bind token to object of type /v1, Kind=ConfigMap',
    ],
  ])('cannot be %s', async (_, spec, status, message) => {
    expect(outcome(await request(spec))).toEqual([status, message])
  })

  test('of an account that does not exist is not found', async () => {
    expect(outcome(await request({}, 'none'))).toEqual([404, 'serviceaccounts "none" not found'])
  })

  test('needs the right to make it', async () => {
    expect(
      outcome(
        await api.send('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} }, as('ole')),
      ),
    ).toEqual([
      403,
      'serviceaccounts "default" is forbidden: User "ole" cannot create resource "serviceaccounts/token" in API group "" in the namespace "default"',
    ])
  })
})
