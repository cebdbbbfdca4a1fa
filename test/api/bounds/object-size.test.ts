import { expect, test } from 'vitest'
import { apiServer, JSON_PATCH } from '../api-server.ts'

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

test('the size of an object is counted in bytes, and with its managed fields', async () => {
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
