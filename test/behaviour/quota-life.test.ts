import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Allot, startAllot } from '../start-allot.ts'
import { type Amounts, check, LimitedNamespace } from './limited-namespace.ts'
import { claim, pod, replicaSet, replicationController, service } from './behaviour-objects.ts'

let allot: Allot
let made = 0
beforeAll(async () => {
  allot = await startAllot({ inMemory: true })
})
afterAll(() => allot.stop())

const namespace = (): Promise<LimitedNamespace> => LimitedNamespace.make(allot, `life-${++made}`)

describe('a quota captures the life of', () => {
  test('a service, its node ports and its load balancer', async () => {
    const ns = await namespace()
    await ns.limit('q', { services: '3', 'services.nodeports': '1', 'services.loadbalancers': '1' })
    await check.usage(ns, 'q', { services: '0', 'services.nodeports': '0', 'services.loadbalancers': '0' })
    await ns.create('services', service('plain', 'ClusterIP'))
    await ns.create('services', service('ported', 'NodePort'))
    await check.usage(ns, 'q', { services: '2', 'services.nodeports': '1', 'services.loadbalancers': '0' })
    expect(await ns.refused('services', service('balanced', 'LoadBalancer'))).toContain(
      'exceeded quota: q, requested: services.nodeports=1, used: services.nodeports=1, limited: services.nodeports=1',
    )
    await ns.remove('services/ported')
    await ns.create('services', service('balanced', 'LoadBalancer'))
    await check.usage(ns, 'q', { services: '2', 'services.nodeports': '1', 'services.loadbalancers': '1' })
    await ns.remove('services/plain')
    await ns.remove('services/balanced')
    await check.usage(ns, 'q', { services: '0', 'services.nodeports': '0', 'services.loadbalancers': '0' })
  })

  test('a pod, which may take no more than what is left and changes its usage only by ending', async () => {
    const ns = await namespace()
    const hard = { pods: '5', cpu: '1', memory: '500Mi', 'ephemeral-storage': '50Gi', 'requests.example.test/gpu': '3' }
    await ns.limit('q', hard)
    const requests = { cpu: '500m', memory: '252Mi', 'ephemeral-storage': '30Gi', 'example.test/gpu': '2' }
    await ns.create('pods', pod('p', { requests, limits: { 'example.test/gpu': '2' } }))
    const used = {
      pods: '1',
      cpu: '500m',
      memory: '252Mi',
      'ephemeral-storage': '30Gi',
      'requests.example.test/gpu': '2',
    }
    await check.usage(ns, 'q', used)
    expect(
      await ns.refused(
        'pods',
        pod('greedy', { requests: { cpu: '500m', memory: '252Mi', 'ephemeral-storage': '30Gi' } }),
      ),
    ).toContain('requested: ephemeral-storage=30Gi,memory=252Mi')
    expect(
      await ns.refused(
        'pods',
        pod('many', {
          requests: { cpu: '500m', memory: '100Mi', 'ephemeral-storage': '1Gi', 'example.test/gpu': '2' },
          limits: { 'example.test/gpu': '2' },
        }),
      ),
    ).toContain(
      'requested: requests.example.test/gpu=2, used: requests.example.test/gpu=2, limited: requests.example.test/gpu=3',
    )
    await ns.change('pods/p', { metadata: { labels: { changed: 'yes' } } })
    await check.usage(ns, 'q', used)
    await ns.remove('pods/p')
    await check.usage(ns, 'q', {
      pods: '0',
      cpu: '0',
      memory: '0',
      'ephemeral-storage': '0',
      'requests.example.test/gpu': '0',
    })
  })

  test.each<readonly [string, string, Amounts, object]>([
    ['a secret', 'secrets', { secrets: '1' }, { metadata: { name: 'o' }, data: { a: 'YQ==' } }],
    ['a config map', 'configmaps', { configmaps: '2' }, { metadata: { name: 'o' }, data: { a: 'a' } }],
    ['a replication controller', 'replicationcontrollers', { replicationcontrollers: '1' }, replicationController('o')],
    ['a replica set', 'apps/v1/replicasets', { 'count/replicasets.apps': '1' }, replicaSet('o')],
  ])('%s', async (_what, resource, hard, object) => {
    const ns = await namespace()
    const [name = '', most = ''] = Object.entries(hard)[0] ?? []
    const before = String(Number(most) - 1)
    await ns.limit('q', hard)
    await check.usage(ns, 'q', { [name]: before })
    await ns.create(resource, object)
    await check.usage(ns, 'q', { [name]: most })
    expect(await ns.refused(resource, { ...object, metadata: { name: 'other' } })).toContain(
      `exceeded quota: q, requested: ${name}=1, used: ${name}=${most}, limited: ${name}=${most}`,
    )
    await ns.remove(`${resource}/o`)
    await check.usage(ns, 'q', { [name]: before })
  })

  test('a persistent volume claim', async () => {
    const ns = await namespace()
    await ns.limit('q', { persistentvolumeclaims: '1', 'requests.storage': '1Gi' })
    await ns.create('persistentvolumeclaims', claim('c', '1Gi'))
    await check.usage(ns, 'q', { persistentvolumeclaims: '1', 'requests.storage': '1Gi' })
    await ns.remove('persistentvolumeclaims/c')
    await check.usage(ns, 'q', { persistentvolumeclaims: '0', 'requests.storage': '0' })
  })

  test('a persistent volume claim of a storage class, and of no other', async () => {
    const ns = await namespace()
    const of = (name: string, what: string): string => `${name}.storageclass.storage.k8s.io/${what}`
    await ns.limit('q', {
      persistentvolumeclaims: '3',
      'requests.storage': '3Gi',
      [of('gold', 'persistentvolumeclaims')]: '1',
      [of('gold', 'requests.storage')]: '1Gi',
      [of('silver', 'requests.storage')]: '1Gi',
    })
    await ns.create('persistentvolumeclaims', claim('c', '1Gi', 'gold'))
    await check.usage(ns, 'q', {
      persistentvolumeclaims: '1',
      'requests.storage': '1Gi',
      [of('gold', 'persistentvolumeclaims')]: '1',
      [of('gold', 'requests.storage')]: '1Gi',
      [of('silver', 'requests.storage')]: '0',
    })
    expect(await ns.refused('persistentvolumeclaims', claim('d', '1Gi', 'gold'))).toContain(
      of('gold', 'requests.storage'),
    )
    await ns.remove('persistentvolumeclaims/c')
    await check.usage(ns, 'q', { 'requests.storage': '0', [of('gold', 'requests.storage')]: '0' })
  })

  test('a custom resource', async () => {
    const ns = await namespace()
    await allot.call('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      method: 'POST',
      body: {
        metadata: { name: 'lanterns.behaviour.test' },
        spec: {
          group: 'behaviour.test',
          scope: 'Namespaced',
          names: { plural: 'lanterns', kind: 'Lantern' },
          versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
        },
      },
    })
    await ns.limit('q', { 'count/lanterns.behaviour.test': '1' })
    const lantern = (name: string): object => ({ apiVersion: 'behaviour.test/v1', kind: 'Lantern', metadata: { name } })
    await ns.create('behaviour.test/v1/lanterns', lantern('a'))
    await check.usage(ns, 'q', { 'count/lanterns.behaviour.test': '1' })
    expect(await ns.refused('behaviour.test/v1/lanterns', lantern('b'))).toContain('exceeded quota: q')
    await ns.remove('behaviour.test/v1/lanterns/a')
    await check.usage(ns, 'q', { 'count/lanterns.behaviour.test': '0' })
    await ns.create('behaviour.test/v1/lanterns', lantern('b'))
  })
})

describe('a quota', () => {
  test('has its status promptly', async () => {
    const ns = await namespace()
    await ns.create('services', service('before', 'ClusterIP'))
    await ns.limit('q', { services: '5', pods: '2' })
    await check.usage(ns, 'q', { services: '1', pods: '0' })
  })

  test('can be read, changed and deleted, and holds as it stands', async () => {
    const ns = await namespace()
    await ns.limit('q', { cpu: '1', memory: '500Mi' })
    expect((await ns.get('resourcequotas/q')).spec.hard).toEqual({ cpu: '1', memory: '500Mi' })
    const large = pod('p', { requests: { cpu: '2', memory: '100Mi' } })
    await ns.refused('pods', large)
    await ns.change('resourcequotas/q', { spec: { hard: { cpu: '2' } } })
    await ns.create('pods', large)
    await check.usage(ns, 'q', { cpu: '2', memory: '100Mi' })
    await ns.refused('pods', pod('next', { requests: { cpu: '1', memory: '1Mi' } }))
    await ns.remove('resourcequotas/q')
    expect((await ns.get('resourcequotas/q')).code).toBe(404)
    await ns.create('pods', pod('next', { requests: { cpu: '1', memory: '1Mi' } }))
  })
})
