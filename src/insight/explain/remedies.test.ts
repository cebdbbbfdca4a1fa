import { describe, expect, test } from 'vitest'
import {
  app,
  customQuota,
  explained,
  explainedWith,
  object,
  quota,
  templateOf,
} from '../../../test/insight/explained.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectOf } from '../../machinery/read.ts'
import type { CustomQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import type { KarmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import type { CostSource } from './explanation.ts'

describe('more room comes', () => {
  const short = { template: [app('web', { cpu: '400m' })], replicas: 1, pods: [] }
  test.each([
    [
      'from the pool that the quota is of',
      { labels: { 'projectcapsule.dev/pool': 'gold' } },
      'claim',
      'ResourcePoolClaim',
      { pool: 'gold', claim: { 'requests.cpu': '150m' } },
    ],
    [
      'by an increase of the base quota',
      { labels: { 'quota.openmcp.cloud/quota-definition': 'std' } },
      'increase',
      'QuotaIncrease',
      { hard: { 'requests.cpu': '150m' } },
    ],
  ])('%s, by exactly what is missing', (_title, metadata, type, kind, spec) => {
    const { remedies } = explained({
      ...short,
      quota: quota({ 'requests.cpu': '250m' }, { 'requests.cpu': '0' }, metadata),
    })
    const found = remedies.find((one) => one.type === type)
    expect(found?.manifest).toEqual(expect.objectContaining({ kind, spec }))
    expect(remedies.some((one) => one.type === 'raise')).toBe(false)
  })
})

test('a workload that a controller keeps is not scaled or patched by hand, and its controller is named', () => {
  const rollout = object('argoproj.example/v1', 'Rollout', 'web', {})
  const set = object('apps/v1', 'ReplicaSet', 'web-1', { replicas: 2, template: templateOf([app('web')]) }, rollout)
  const { chain, remedies } = explainedWith(set, [['replicasets.apps', [set]]], quota({ pods: '1' }, { pods: '0' }))
  expect(chain.map(({ kind }) => kind)).toEqual(['Rollout', 'ReplicaSet'])
  expect(remedies.map(({ type }) => type)).toEqual(['raise'])
})

describe('a pod takes the larger of its init containers and of those that run together', () => {
  const sidecar = { ...app('mesh', { cpu: '100m' }), restartPolicy: 'Always' }
  const small = quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' })
  const amountsOf = (sources: readonly CostSource[]): readonly string[] =>
    sources.map(({ container, amount }) => `${container} ${amount}`)

  test.each<readonly [string, readonly JsonObject[], string, readonly string[], string]>([
    ['an init container', [app('migrate', { cpu: '1200m' })], '100m', ['migrate 1200m'], 'migrate at most 1'],
    [
      'an init container beside the sidecar that started before it',
      [sidecar, app('migrate', { cpu: '1200m' }), { ...sidecar, name: 'late' }],
      '100m',
      ['mesh 100m', 'migrate 1200m'],
      'migrate at most 900m',
    ],
    [
      'those that run together',
      [app('migrate', { cpu: '50m' }), sidecar],
      '1200m',
      ['mesh 100m', 'web 1200m'],
      'web at most 900m',
    ],
    [
      'an init container, and those that run together exceed the limit, too',
      [app('migrate', { cpu: '1500m' })],
      '1200m',
      ['migrate 1500m'],
      'migrate at most 1, cpu requests of web at most 1',
    ],
  ])('%s', (_, initContainers, cpu, sources, amounts) => {
    const template = templateOf([app('web', { cpu })])
    const spec = {
      replicas: 1,
      selector: {},
      template: { ...template, spec: { ...objectOf(template['spec']), initContainers } },
    }
    const deployment = object('apps/v1', 'Deployment', 'web', spec)
    const { wanted, remedies, causes } = explainedWith(deployment, [['deployments.apps', [deployment]]], small)
    const [cost] = wanted.flatMap(({ costs }) => costs)
    expect(amountsOf(cost?.sources ?? [])).toEqual(sources)
    expect(causes.flatMap(({ containers }) => containers.map(({ name }) => name))).toEqual(
      sources.map((one) => one.split(' ')[0]),
    )
    const lower = remedies.find(({ type }) => type === 'lower')
    expect(lower?.text).toBe(`ask for less: cpu requests of ${amounts}; then the missing pod fits`)
    if (amounts.startsWith('migrate at most 1'))
      expect(lower?.command).toContain('"initContainers":[{"name":"migrate","resources":{"requests":{"cpu":"1"}}}]')
  })
})

describe('a budget with a measure of its own prices smaller amounts itself', () => {
  type Measure = { readonly path?: string; readonly op: 'add' | 'count' }
  const roomy = quota({ pods: '9' }, { pods: '0' })
  const coresOf = (name: string, measure: Measure, limit: string, used: string): CustomQuota =>
    customQuota(name, limit, used, [{ apiVersion: 'v1', kind: 'Pod', ...measure }])

  test.each<readonly [string, Measure, readonly string[]]>([
    [
      'it sums what containers ask for',
      { path: '.spec.containers[*].resources.requests.cpu', op: 'add' },
      ['ask for less: cpu requests of web at most 375m; then all 2 missing pods fit', 'run fewer pods: 1 fit'],
    ],
    ['it counts pods', { op: 'count' }, ['run fewer pods: 1 fit']],
  ])('a CustomQuota: %s', (_, measure, texts) => {
    const [limit, used] = measure.op === 'count' ? ['2', '1'] : ['1', '150m']
    const custom = coresOf('cores', measure, limit, used)
    const { remedies } = explained({
      template: [app('web', { cpu: '500m' }), app('log', { cpu: '50m' })],
      replicas: 2,
      pods: [],
      quota: roomy,
      more: { customQuotas: [custom] },
    })
    expect(remedies.filter(({ type }) => ['lower', 'scale'].includes(type)).map(({ text }) => text)).toEqual(texts)
  })

  test.each([
    ['few containers and few limits', 20, 5, 1],
    ['more containers', 21, 5, 0],
    ['more limits', 20, 6, 0],
  ])('amounts are tried for %s [security/dashboard]', (_, containers, limits, count) => {
    const measure = { path: '.spec.containers[*].resources.requests.cpu', op: 'add' } as const
    const others = Array.from({ length: containers - 1 }, (__, at) => app(`c${at}`, { cpu: '1m' }))
    const { remedies } = explained({
      template: [app('web', { cpu: '500m' }), ...others],
      replicas: 2,
      pods: [],
      quota: roomy,
      more: {
        customQuotas: Array.from({ length: limits }, (__, at) => coresOf(`cores-${at}`, measure, '1', '150m')),
      },
    })
    expect(remedies.filter(({ type }) => type === 'lower')).toHaveLength(count)
  })

  const fleet = (hard: string, used: string): KarmadaQuota => ({
    apiVersion: 'quota.karmada.io/v1alpha1',
    kind: 'KarmadaQuota',
    metadata: { name: 'fleet', namespace: 'shop' },
    spec: { hard: { cpu: hard } },
    status: { hard: { cpu: hard }, used: { cpu: used } },
  })
  const propagated = (containers: readonly JsonObject[], replicas = 2): KubeObject => {
    const bare = object('apps/v1', 'Deployment', 'more', { replicas, selector: {}, template: templateOf(containers) })
    return { ...bare, metadata: { ...bare.metadata, labels: { 'propagationpolicy.karmada.io/permanent-id': 'x' } } }
  }
  const remediesFor = (deployment: KubeObject, bindings: readonly KubeObject[], karmada: KarmadaQuota) =>
    explainedWith(deployment, [['resourcebindings.work.karmada.io', bindings]], roomy, {
      karmadaQuotas: [karmada],
    }).remedies.filter(({ type }) => ['lower', 'scale'].includes(type))

  test('a KarmadaQuota: smaller pods and fewer, of a workload that Karmada propagates', () => {
    expect(remediesFor(propagated([app('web', { cpu: '500m' })]), [], fleet('2500m', '2'))).toMatchObject([
      {
        text: 'ask for less: cpu requests of web at most 250m; then all 2 pods fit',
        command: expect.stringContaining('"containers":[{"name":"web","resources":{"requests":{"cpu":"250m"}}}]'),
      },
      { text: 'run fewer pods: 1 fit', command: 'kubectl -n shop scale deployment/more --replicas=1' },
    ])
    expect(remediesFor(propagated([app('web', { cpu: '2m' })]), [], fleet('2', '1999m'))).toEqual([])
  })

  test('a workload without a binding is priced for one cluster, which is said', () => {
    const deployment = propagated([app('web', { cpu: '500m' })])
    const warningsWith = (bindings: readonly KubeObject[]) =>
      explainedWith(deployment, [['resourcebindings.work.karmada.io', bindings]], roomy, {
        karmadaQuotas: [fleet('2', '0')],
      }).warnings
    expect(warningsWith([])).toEqual([
      {
        type: 'clusters',
        text: 'ResourceBinding more-deployment is priced for one cluster: if its policy gives each cluster all replicas (replicaSchedulingType Duplicated, the default), each of them costs as much',
      },
    ])
    const binding = object('work.karmada.io/v1alpha2', 'ResourceBinding', 'more-deployment', {
      resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'more' },
      replicas: 2,
      clusters: [{ name: 'north', replicas: 2 }],
    })
    expect(warningsWith([binding])).toEqual([])
  })

  test('a KarmadaQuota: pods in each of the clusters that get all replicas', () => {
    const binding = {
      ...object('work.karmada.io/v1alpha2', 'ResourceBinding', 'more-deployment', {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'more' },
        replicas: 2,
        replicaRequirements: { resourceRequest: { cpu: '500m' } },
        placement: { clusterAffinity: { clusterNames: ['north', 'south'] } },
      }),
      status: { conditions: [{ type: 'Scheduled', status: 'False' }] },
    }
    const found = remediesFor(propagated([app('web', { cpu: '500m' })]), [binding], fleet('1500m', '0'))
    expect(found.map(({ text }) => text)).toEqual([
      'ask for less: cpu requests of web at most 375m; then all 2 pods fit in each of 2 clusters',
      'run fewer pods: 1 fit in each of 2 clusters',
    ])
  })

  test('amounts that Karmada reads otherwise are left alone', () => {
    const deployment = propagated([app('web', { cpu: '500m' })])
    const binding = {
      ...object('work.karmada.io/v1alpha2', 'ResourceBinding', 'more-deployment', {
        resource: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'more' },
        replicas: 2,
        replicaRequirements: { resourceRequest: { cpu: '600m' } },
      }),
      status: { conditions: [{ type: 'Scheduled', status: 'False' }] },
    }
    expect(remediesFor(deployment, [binding], fleet('2700m', '2'))).toMatchObject([{ type: 'scale' }])
  })
})

describe('remedies that an API server would refuse', () => {
  const limited = (resources: JsonObject): JsonObject => ({ name: 'web', resources })

  test('a limit that is lowered takes its request along', () => {
    const { remedies } = explained({
      template: [limited({ requests: { memory: '1Gi' }, limits: { memory: '2Gi' } })],
      replicas: 1,
      pods: [],
      quota: quota({ 'limits.memory': '512Mi' }, { 'limits.memory': '0' }),
    })
    expect(remedies.find(({ type }) => type === 'lower')?.command).toContain(
      '"resources":{"limits":{"memory":"512Mi"},"requests":{"memory":"512Mi"}}',
    )
  })

  test('an amount below the minimum of a LimitRange is not offered', () => {
    const { remedies } = explained({
      template: [limited({ requests: { memory: '1Gi' } })],
      replicas: 1,
      pods: [],
      quota: quota({ 'requests.memory': '512Mi' }, { 'requests.memory': '0' }),
      more: {
        limitRanges: [
          object('v1', 'LimitRange', 'bounds', { limits: [{ type: 'Container', min: { memory: '800Mi' } }] }),
        ],
      },
    })
    expect(remedies.map(({ type }) => type)).toEqual(['raise'])
  })

  test('a default limit is not below the requests of those who get it, and its LimitRange has a free name', () => {
    const { remedies } = explained({
      template: [app('web', { cpu: '500m' })],
      replicas: 1,
      pods: [],
      quota: quota({ 'limits.cpu': '4' }, { 'limits.cpu': '0' }),
      more: { limitRanges: [object('v1', 'LimitRange', 'container-defaults', { limits: [] })] },
    })
    const [set, range] = remedies
    expect(set?.command).toContain('"containers":[{"name":"web","resources":{"limits":{"cpu":"500m"}}}]')
    expect(range?.manifest).toMatchObject({
      metadata: { name: 'container-defaults-2' },
      spec: { limits: [{ default: { cpu: '500m' } }] },
    })
  })
})

test('an extended resource is lowered on both sides', () => {
  const amounts = { requests: { 'example.org/gpu': '4' }, limits: { 'example.org/gpu': '4' } }
  const { remedies } = explained({
    template: [{ name: 'web', resources: amounts }],
    replicas: 1,
    pods: [],
    quota: quota({ 'requests.example.org/gpu': '3' }, { 'requests.example.org/gpu': '0' }),
  })
  expect(remedies.find(({ type }) => type === 'lower')?.command).toContain(
    '"resources":{"requests":{"example.org/gpu":"3"},"limits":{"example.org/gpu":"3"}}',
  )
})

test('no remedy scales what an autoscaler scales, nor makes pods smaller that lack something else', () => {
  const scaler = object('autoscaling/v1', 'HorizontalPodAutoscaler', 'web', {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  })
  const full = quota({ 'requests.cpu': '500m' }, { 'requests.cpu': '400m' })
  const containers = [app('web', { cpu: '400m' })]
  const scaled = explained({
    template: containers,
    replicas: 3,
    pods: [containers],
    quota: full,
    more: { autoscalers: [scaler] },
  })
  expect(scaled.remedies.map(({ type }) => type)).not.toContain('scale')
  const lacking = explained({ template: [...containers, app('bare')], replicas: 3, pods: [containers], quota: full })
  expect([lacking.summary, lacking.remedies.map(({ type }) => type)]).toEqual([
    'Deployment web is blocked: 1 of 3 Pods exist',
    ['set', 'limit-range', 'raise'],
  ])
})
