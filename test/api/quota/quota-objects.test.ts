import { describe, expect, test } from 'vitest'
import { customVersion } from '../../custom-version.ts'
import { apiServer, MERGE, pod, STRATEGIC } from '../api-server.ts'
import { claim, inGroup, quotaChecks } from './quota-checks.ts'

const api = apiServer()
const { limit, used, refused, usage } = quotaChecks(api)
const check = { usage }

describe('claims', () => {
  test('are charged for what they ask, also of their class, and for what they grow', async () => {
    const path = await api.namespace()
    await api.send('POST', '/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 'gold' },
      provisioner: 'p',
      allowVolumeExpansion: true,
    })
    const [storage, count] = [
      'gold.storageclass.storage.k8s.io/requests.storage',
      'gold.storageclass.storage.k8s.io/persistentvolumeclaims',
    ]
    await limit(path, { 'requests.storage': '10Gi', [storage]: '3Gi', [count]: '2', persistentvolumeclaims: '5' })
    await api.create(`${path}/persistentvolumeclaims`, claim('plain', '4Gi'))
    await api.create(`${path}/persistentvolumeclaims`, claim('gold', '2Gi', 'gold'))
    await check.usage(path, { 'requests.storage': '6Gi', [storage]: '2Gi', [count]: '1', persistentvolumeclaims: '2' })
    await api.patch(`${path}/persistentvolumeclaims/gold/status`, {
      status: { phase: 'Bound', capacity: { storage: '2Gi' } },
    })
    const grow = (size: string): ReturnType<typeof api.send> =>
      api.send(
        'PATCH',
        `${path}/persistentvolumeclaims/gold`,
        { spec: { resources: { requests: { storage: size } } } },
        MERGE,
      )
    const { status, body } = await grow('4Gi')
    expect([status, body.message]).toEqual([
      403,
      `persistentvolumeclaims "gold" is forbidden: exceeded quota: q, requested: ${storage}=2Gi, used: ${storage}=2Gi, limited: ${storage}=3Gi`,
    ])
    expect((await grow('3Gi')).status).toBe(200)
    expect(await used(path)).toMatchObject({ 'requests.storage': '7Gi', [storage]: '3Gi' })
  })
})

describe('pods', () => {
  test('must say what the quota limits', async () => {
    const path = await api.namespace()
    await limit(path, { 'requests.cpu': '1', 'limits.memory': '1Gi' })
    expect(await refused(`${path}/pods`, pod('p'))).toBe(
      'pods "p" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c',
    )
  })

  test('are charged the more of init containers and the sum of the others', async () => {
    const path = await api.namespace()
    await limit(path, { 'requests.cpu': '10' })
    const container = (name: string, cpu: string, more: object = {}): object => ({
      name,
      image: 'i',
      resources: { requests: { cpu } },
      ...more,
    })
    await api.create(`${path}/pods`, {
      metadata: { name: 'p' },
      spec: {
        containers: [container('a', '1'), container('b', '1')],
        initContainers: [container('i', '3'), container('s', '500m', { restartPolicy: 'Always' })],
      },
    })
    expect(await used(path)).toEqual({ 'requests.cpu': '3' })
  })

  test('are charged for a resize, and give back what a smaller one frees', async () => {
    const path = await api.namespace()
    await limit(path, { 'requests.cpu': '1' })
    await api.create(`${path}/pods`, pod('p', {}, { cpu: '500m' }))
    const resize = (cpu: string): ReturnType<typeof api.send> =>
      api.send(
        'PATCH',
        `${path}/pods/p/resize`,
        { spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }] } },
        STRATEGIC,
      )
    const { status, body } = await resize('2')
    expect([status, body.message]).toEqual([
      403,
      'pods "p" is forbidden: exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=500m, limited: requests.cpu=1',
    ])
    expect((await resize('1')).status).toBe(200)
    expect(await used(path)).toEqual({ 'requests.cpu': '1' })
    expect((await resize('100m')).status).toBe(200)
    await check.usage(path, { 'requests.cpu': '100m' })
  })

  test('that are refused report what was asked, used and allowed', async () => {
    const path = await api.namespace()
    await limit(path, { pods: '1', 'requests.cpu': '1', 'requests.memory': '1Gi' })
    await api.create(`${path}/pods`, pod('a', {}, { cpu: '600m', memory: '1Mi' }))
    expect(await refused(`${path}/pods`, pod('b', {}, { cpu: '500m', memory: '1Mi' }))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: pods=1,requests.cpu=500m, used: pods=1,requests.cpu=600m, limited: pods=1,requests.cpu=1',
    )
  })

  test('in a dry run are decided and not charged', async () => {
    const path = await api.namespace()
    await limit(path, { pods: '1' })
    await check.usage(path, { pods: '0' })
    expect((await api.send('POST', `${path}/pods?dryRun=All`, pod('a'))).status).toBe(201)
    expect(await used(path)).toEqual({ pods: '0' })
  })
})

describe('custom resources', () => {
  const widgets = (path: string): string => inGroup(path, 'harbour.test/v1').concat('/widgets')
  const widget = (name: string): unknown => ({ apiVersion: 'harbour.test/v1', kind: 'Widget', metadata: { name } })

  test('count under their group, in all versions together, and no more when their definition is gone', async () => {
    const path = await api.namespace()
    await limit(path, { 'count/widgets.harbour.test': '2' })
    await api.define('widgets', { versions: [customVersion('v1'), customVersion('v2', { storage: false })] })
    await check.usage(path, { 'count/widgets.harbour.test': '0' })
    await api.create(widgets(path), widget('a'))
    await api.create(widgets(path).replace('/v1/', '/v2/'), {
      apiVersion: 'harbour.test/v2',
      kind: 'Widget',
      metadata: { name: 'b' },
    })
    expect(await used(path)).toEqual({ 'count/widgets.harbour.test': '2' })
    expect(await refused(widgets(path), widget('c'))).toContain(
      'widgets.harbour.test "c" is forbidden: exceeded quota: q, requested: count/widgets.harbour.test=1',
    )
    await api.send('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.harbour.test')
    await check.usage(path, { 'count/widgets.harbour.test': '0' })
    await api.until(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.harbour.test',
      ({ code }) => code === 404,
    )
    await api.define('widgets')
    await api.create(widgets(path), widget('again'))
    expect(await used(path)).toEqual({ 'count/widgets.harbour.test': '1' })
  })
})

test('deployments and jobs count by group', async () => {
  const path = await api.namespace()
  await limit(path, { 'count/deployments.apps': '1', 'count/deployments': '0' })
  const deployment = (name: string): unknown => ({
    metadata: { name },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
    },
  })
  await api.create(`${inGroup(path, 'apps/v1')}/deployments`, deployment('a'))
  expect(await refused(`${inGroup(path, 'apps/v1')}/deployments`, deployment('b'))).toContain(
    'deployments.apps "b" is forbidden: exceeded quota: q, requested: count/deployments.apps=1',
  )
})
