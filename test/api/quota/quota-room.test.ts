import { describe, expect, test, vi } from 'vitest'
import { apiServer, MERGE, pod } from '../api-server.ts'
import { quotaChecks, service } from './quota-checks.ts'

const api = apiServer()
const { limit, used, refused, usage } = quotaChecks(api)
const check = { usage }

describe('room comes back', () => {
  test('when objects are deleted, one by one and all at once', async () => {
    const path = await api.namespace()
    await limit(path, { secrets: '3' })
    for (const name of ['a', 'b', 'c']) await api.create(`${path}/secrets`, { metadata: { name } })
    await refused(`${path}/secrets`, { metadata: { name: 'd' } })
    await api.send('DELETE', `${path}/secrets/a`)
    await check.usage(path, { secrets: '2' })
    await api.send('DELETE', `${path}/secrets`)
    await check.usage(path, { secrets: '0' })
  })

  test('when a finalizer goes at last, not when the deletion begins', async () => {
    const path = await api.namespace()
    await limit(path, { secrets: '1' })
    await api.create(`${path}/secrets`, { metadata: { name: 'a', finalizers: ['a.test/x'] } })
    await api.send('DELETE', `${path}/secrets/a`)
    await refused(`${path}/secrets`, { metadata: { name: 'b' } })
    await api.patch(`${path}/secrets/a`, { metadata: { finalizers: null } })
    await check.usage(path, { secrets: '0' })
  })

  test.each(['Succeeded', 'Failed'])('when a pod has %s, but for its count as an object', async (phase) => {
    const path = await api.namespace()
    await limit(path, { pods: '1', 'count/pods': '2', 'requests.cpu': '1', 'limits.memory': '1Gi' })
    const spec = {
      containers: [
        { name: 'c', image: 'i', resources: { requests: { cpu: '1' }, limits: { cpu: '1', memory: '1Gi' } } },
      ],
    }
    await api.create(`${path}/pods`, { metadata: { name: 'a' }, spec })
    await refused(`${path}/pods`, { metadata: { name: 'b' }, spec })
    await api.patch(`${path}/pods/a/status`, { status: { phase } })
    await check.usage(path, { pods: '0', 'count/pods': '1', 'requests.cpu': '0', 'limits.memory': '0' })
    expect((await api.send('POST', `${path}/pods`, { metadata: { name: 'b' }, spec })).status).toBe(201)
  })

  test('when a service gives up its node ports or balancer', async () => {
    const path = await api.namespace()
    await limit(path, { services: '5', 'services.nodeports': '4', 'services.loadbalancers': '1' })
    await api.create(`${path}/services`, service('ports', { type: 'NodePort' }))
    await api.create(`${path}/services`, service('balanced', { type: 'LoadBalancer' }))
    await check.usage(path, { services: '2', 'services.nodeports': '4', 'services.loadbalancers': '1' })
    await refused(`${path}/services`, service('more', { type: 'NodePort' }))
    await api.patch(`${path}/services/ports`, { spec: { type: 'ClusterIP' } })
    await check.usage(path, { 'services.nodeports': '2' })
    await api.patch(`${path}/services/balanced`, { spec: { type: 'NodePort' } })
    await check.usage(path, { 'services.nodeports': '2', 'services.loadbalancers': '0' })
    await api.patch(`${path}/services/balanced`, { spec: { ports: [{ name: 'a', port: 80 }] } })
    await check.usage(path, { 'services.nodeports': '1' })
  })

  test('when a change of a service that costs more is refused, for nothing was taken', async () => {
    const path = await api.namespace()
    await limit(path, { 'services.nodeports': '1' })
    await api.create(`${path}/services`, service('s', {}))
    const { status, body } = await api.send('PATCH', `${path}/services/s`, { spec: { type: 'NodePort' } }, MERGE)
    expect([status, body.message]).toEqual([
      403,
      'services "s" is forbidden: exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1',
    ])
    expect([await used(path), (await api.get(`${path}/services/s`)).spec.type]).toEqual([
      { 'services.nodeports': '0' },
      'ClusterIP',
    ])
  })
})

test('a pod of a namespace with many goes, and ends, without the others being counted again', async () => {
  const path = await api.namespace()
  await limit(path, { pods: '300', 'requests.cpu': '300' })
  await check.usage(path, { pods: '0', 'requests.cpu': '0' })
  const resources = { requests: { cpu: '1' } }
  for (let index = 0; index < 100; index++)
    await api.create(`${path}/pods`, pod(`p${index}`, { containers: [{ name: 'c', image: 'i', resources }] }))
  const lists = vi.spyOn(api.running.store, 'latestIn')
  await api.send('DELETE', `${path}/pods/p0`)
  await api.patch(`${path}/pods/p1/status`, { status: { phase: 'Succeeded' } })
  await check.usage(path, { pods: '98', 'requests.cpu': '98' })
  expect(lists.mock.calls.filter(([bucket]) => bucket === 'pods')).toEqual([])
  lists.mockRestore()
})
