import { describe, expect, test } from 'vitest'
import { apiServer, JSON_PATCH, MERGE } from './api-server.ts'

const api = apiServer()
const LIMIT = 1_572_864
const REFUSED = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'etcdserver: request is too large',
  code: 500,
}

const template = (name: string, arg: string) => ({
  metadata: { name },
  template: { spec: { containers: [{ name: 'c', image: 'i', args: [arg] }] } },
})
const deployment = (name: string, arg: string) => ({
  metadata: { name },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: 'c', image: 'i', args: [arg] }] },
    },
  },
})

test('an object is stored up to 1.5 MiB of JSON and refused beyond, as etcd does', async () => {
  const path = `${await api.namespace()}/podtemplates`
  const { status } = await api.send('POST', path, template('fits', 'x'.repeat(LIMIT - 3000)))
  expect(status).toBe(201)
  const { status: code, body } = await api.send('POST', path, template('large', 'x'.repeat(LIMIT - 300)))
  expect([code, body]).toEqual([500, REFUSED])
  expect((await api.send('GET', `${path}/large`)).status).toBe(404)
})

test('what an object takes is counted in bytes, and with its managed fields', async () => {
  const path = `${await api.namespace()}/podtemplates`
  const { body } = await api.send('POST', path, template('bytes', 'ü'.repeat(LIMIT / 2)))
  expect(body).toEqual(REFUSED)
  const data = Object.fromEntries(Array.from({ length: 45_000 }, (_, at) => [`k${at}`, 'v']))
  const maps = path.replace('podtemplates', 'configmaps')
  expect((await api.send('POST', maps, { metadata: { name: 'managed' }, data })).status).toBe(201)
  const wider = Object.fromEntries(Array.from({ length: 45_000 }, (_, at) => [`an-even-longer-key-${at}`, 'v']))
  expect((await api.send('POST', maps, { metadata: { name: 'wider' }, data: wider })).body).toEqual(REFUSED)
})

test('an update that would make an object too large leaves it as it was', async () => {
  const path = `${await api.namespace()}/podtemplates`
  await api.create(path, template('grows', 'x'))
  const patch = [{ op: 'add', path: '/template/spec/containers/0/args/1', value: 'x'.repeat(LIMIT) }]
  const { body } = await api.send('PATCH', `${path}/grows`, patch, JSON_PATCH)
  expect(body).toEqual(REFUSED)
  expect((await api.get(`${path}/grows`)).template.spec.containers[0].args).toEqual(['x'])
})

test('an object that is too large does not take along what quotas decide in the same moment', async () => {
  const ns = await api.namespace()
  await api.create(`${ns}/resourcequotas`, {
    metadata: { name: 'q' },
    spec: { hard: { 'count/deployments.apps': '5' } },
  })
  const path = ns.replace('/api/v1', '/apis/apps/v1') + '/deployments'
  const sent = ['a', 'b', 'c', 'd'].map((name) =>
    api.send('POST', path, deployment(name, name === 'b' ? 'x'.repeat(LIMIT) : 'x')),
  )
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([201, 500, 201, 201])
  expect((await api.get(`${ns}/resourcequotas/q`)).status.used).toEqual({ 'count/deployments.apps': '3' })
})

describe('an object that can never be stored is refused before it is looked at', () => {
  const wrong = (name: string, length: number) => ({
    metadata: { name },
    spec: { limits: [{ type: 'x'.repeat(length) }], rest: 'dropped' },
  })
  const APPLY = { 'content-type': 'application/apply-patch+yaml' }
  const YAML = { 'content-type': 'application/yaml' }

  test('when it is made, in JSON and in YAML, and in a dry run too', async () => {
    const path = `${await api.namespace()}/limitranges`
    expect((await api.send('POST', path, wrong('short', 100))).status).toBe(422)
    expect((await api.send('POST', path, wrong('long', LIMIT + 2000))).body).toEqual(REFUSED)
    expect((await api.send('POST', `${path}?dryRun=All`, wrong('long', LIMIT + 2000))).body).toEqual(REFUSED)
    const yaml = `metadata: {name: long}\nspec:\n  limits:\n  - type: ${'x'.repeat(LIMIT + 2000)}\n`
    expect((await api.send('POST', path, yaml, YAML)).body).toEqual(REFUSED)
  })

  test('when a patch, an apply or a replacement makes it so', async () => {
    const path = `${await api.namespace()}/limitranges`
    const { metadata } = await api.create(path, { metadata: { name: 'l' }, spec: { limits: [{ type: 'Pod' }] } })
    const { spec } = wrong('l', LIMIT + 2000)
    const ways: readonly (readonly [string, unknown, Record<string, string>])[] = [
      ['PATCH', { spec: { limits: spec.limits } }, MERGE],
      ['PATCH', [{ op: 'replace', path: '/spec/limits', value: spec.limits }], JSON_PATCH],
      ['PUT', { metadata, spec: { limits: spec.limits } }, {}],
      [
        'PATCH',
        { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'l' }, spec: { limits: spec.limits } },
        APPLY,
      ],
    ]
    for (const [method, body, headers] of ways)
      expect(
        (await api.send(method, `${path}/l${headers === APPLY ? '?fieldManager=m&force=true' : ''}`, body, headers))
          .body,
      ).toEqual(REFUSED)
    const copies = Array.from({ length: 4 }, (_, at) => ({ op: 'copy', from: '/metadata', path: `/x${at}` }))
    expect((await api.send('PATCH', `${path}/l`, copies, JSON_PATCH)).status).toBe(200)
  })

  test('unless all that is too much is dropped', async () => {
    const maps = `${await api.namespace()}/configmaps`
    const body = { metadata: { name: 'dropped' }, unknown: 'x'.repeat(LIMIT + 2000) }
    expect((await api.send('POST', `${maps}?fieldValidation=Ignore`, body)).status).toBe(201)
  })
})
