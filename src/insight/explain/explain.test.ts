import { describe, expect, test } from 'vitest'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { explain } from './explain.ts'
import type { Explanation } from './explanation.ts'
import { explanationText } from './explanation-text.ts'
import { type Facts, indexed } from './facts.ts'

const NAMESPACE = 'shop'
const DEPLOYMENTS = { group: 'apps', resource: 'deployments' }

const app = (name: string, requests: JsonObject = {}): JsonObject => ({ name, resources: { requests } })
const templateOf = (containers: readonly JsonObject[]): JsonObject => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers },
})

function object(apiVersion: string, kind: string, name: string, spec: JsonObject, owner?: KubeObject): KubeObject {
  const ownerReferences =
    owner === undefined
      ? []
      : [
          {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            name: owner.metadata.name ?? '',
            uid: owner.metadata.uid ?? '',
            controller: true,
          },
        ]
  return { apiVersion, kind, metadata: { name, namespace: NAMESPACE, uid: `${kind}/${name}`, ownerReferences }, spec }
}

function quota(
  hard: Readonly<Record<string, string>>,
  used: Readonly<Record<string, string>>,
  metadata: object = {},
): ResourceQuota {
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'compute', namespace: NAMESPACE, ...metadata },
    spec: { hard },
    status: { hard, used },
  }
}

interface World {
  readonly template: readonly JsonObject[]
  readonly replicas: number
  /** The containers of each pod that runs. */
  readonly pods: readonly (readonly JsonObject[])[]
  readonly quota: ResourceQuota
  /** What the condition of the ReplicaSet says. */
  readonly failure?: string
  readonly more?: Partial<Facts>
}

function explained({ template, replicas, pods, quota: budget, failure, more = {} }: World): Explanation {
  const spec = { replicas, selector: {}, template: templateOf(template) }
  const deployment = object('apps/v1', 'Deployment', 'web', spec)
  const bare = object('apps/v1', 'ReplicaSet', 'web-1', spec, deployment)
  const conditions = failure === undefined ? [] : [{ type: 'ReplicaFailure', status: 'True', message: failure }]
  const set = { ...bare, status: { conditions } }
  const running = pods.map((containers, index) => object('v1', 'Pod', `web-1-${index}`, { containers }, set))
  const objects = new Map([
    ['pods', running],
    ['deployments.apps', [deployment]],
    ['replicasets.apps', [set]],
  ])
  return explainedWith(deployment, [...objects], budget, more)
}

function explainedWith(
  target: KubeObject,
  objects: readonly (readonly [string, readonly KubeObject[]])[],
  budget: ResourceQuota,
  more: Partial<Facts> = {},
): Explanation {
  const byResource = new Map(objects)
  return explain({ object: target, isStored: true }, DEPLOYMENTS, {
    namespace: NAMESPACE,
    quotas: [budget],
    limitRanges: [],
    customQuotas: [],
    karmadaQuotas: [],
    namespaceLabels: {},
    classes: new Map(),
    objects: byResource,
    ...indexed(byResource),
    kubectl: 'kubectl -n shop',
    autoscalers: [],
    failures: [],
    notSeen: [],
    now: 0,
    ...more,
  })
}

const roomy = { template: [app('web')], replicas: 1, pods: [], quota: quota({ pods: '5' }, { pods: '0' }) }

describe('containers that somebody injects', () => {
  test('are priced as those of the pods that run, and named apart among the holders [32/injected]', () => {
    const [template, sidecar] = [[app('web', { cpu: '100m' })], app('proxy', { cpu: '70m' })]
    const { causes, wanted, holders } = explained({
      template,
      replicas: 2,
      pods: [[...template, sidecar]],
      quota: quota({ 'requests.cpu': '300m' }, { 'requests.cpu': '170m' }),
    })
    expect(causes.map(({ text }) => text)).toEqual([
      'quota compute: requests.cpu 170m of 300m used, 170m more requested',
    ])
    expect(causes[0]?.containers).toEqual([
      { name: 'web', injected: false },
      { name: 'proxy', injected: true },
    ])
    expect(wanted[0]?.costs[0]?.sources).toEqual([
      { container: 'web', amount: '100m', from: 'spec' },
      { container: 'proxy', amount: '70m', from: 'injected' },
    ])
    expect(holders).toEqual([expect.objectContaining({ amount: '170m', injected: '70m', objects: 1 })])
  })

  test('are known by the refusal alone where no pod was ever made [32/injected]', () => {
    const { causes, remedies } = explained({
      template: [app('web', { cpu: '100m' })],
      replicas: 1,
      pods: [],
      quota: quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' }),
      failure: 'pods "web-1-x" is forbidden: failed quota: compute: must specify requests.cpu for: proxy',
    })
    expect(causes).toEqual([
      expect.objectContaining({
        type: 'missing-values',
        text: 'quota compute: each container must specify requests.cpu (missing in proxy)',
        containers: [{ name: 'proxy', injected: true }],
      }),
    ])
    expect(remedies.map(({ type, manifest }) => [type, manifest?.['kind']])).toEqual([['limit-range', 'LimitRange']])
  })

  test('raise the cost to what the refusal says that a pod costs [32/injected]', () => {
    const { causes, wanted } = explained({
      template: [app('web', { cpu: '100m' })],
      replicas: 1,
      pods: [],
      quota: quota({ 'requests.cpu': '250m' }, { 'requests.cpu': '0' }),
      failure:
        'pods "web-1-x" is forbidden: exceeded quota: compute, requested: requests.cpu=300m, used: requests.cpu=0, limited: requests.cpu=250m',
    })
    expect(causes.map(({ text }) => text)).toEqual(['quota compute: requests.cpu 0 of 250m used, 300m more requested'])
    expect(wanted[0]?.costs[0]?.sources.at(-1)).toEqual({ container: '', amount: '200m', from: 'injected' })
  })
})

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
  ])('%s, by exactly what is missing [32/more-room]', (_title, metadata, type, kind, spec) => {
    const { remedies } = explained({
      ...short,
      quota: quota({ 'requests.cpu': '250m' }, { 'requests.cpu': '0' }, metadata),
    })
    const found = remedies.find((one) => one.type === type)
    expect(found?.manifest).toEqual(expect.objectContaining({ kind, spec }))
    expect(remedies.some((one) => one.type === 'raise')).toBe(false)
  })
})

test('an autoscaler that may ask for more than fits is warned about, and is no cause [32/autoscaler]', () => {
  const containers = [app('web', { cpu: '100m' })]
  const scaler = object('autoscaling/v1', 'HorizontalPodAutoscaler', 'web', {
    maxReplicas: 9,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
  })
  const { verdict, warnings } = explained({
    template: containers,
    replicas: 2,
    pods: [containers, containers],
    quota: quota({ 'requests.cpu': '550m' }, { 'requests.cpu': '200m' }),
    more: { autoscalers: [scaler] },
  })
  expect([verdict, warnings.map(({ text }) => text)]).toEqual([
    'clear',
    ['HorizontalPodAutoscaler web may ask for 9 pods, and the quotas have room for 5'],
  ])
})

test.each([
  ['something else', 'pods "web-1-x" is forbidden: violates PodSecurity "restricted:latest"'],
  [
    'a quota of another kind',
    'pods "web-1-x" is forbidden: exceeded quota: CustomQuota shop/gold, requested: cores=1, used: cores=1, limited: cores=1',
  ],
])('what %s refuses is told as it was said, and no quota is blamed [32/no-false-cause]', (_title, failure) => {
  const { verdict, causes } = explained({ ...roomy, failure })
  expect([verdict, causes.map(({ type, text }) => [type, text])]).toEqual([
    'blocked',
    [['reported', `the API server said: ${failure}`]],
  ])
})

test('an earlier refusal does not stand once there is room [32/no-false-cause]', () => {
  const failure =
    'pods "web-1-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=1, limited: pods=1'
  const { verdict, causes, warnings } = explained({ ...roomy, failure })
  expect([verdict, causes, warnings]).toEqual([
    'clear',
    [],
    [expect.objectContaining({ type: 'retry', text: expect.stringContaining(failure) })],
  ])
})

test('text of users stays in its line [32/text]', () => {
  const text = explanationText(explained({ ...roomy, failure: 'refused\u001b[2J\nforged: all is well' }), () => '')
  expect(text).toContain(String.raw`refused\x1b[2J\nforged: all is well`)
})

describe('in the midst of a rollout', () => {
  const [old, next] = [[app('web', { cpu: '100m' })], [app('web', { cpu: '200m' })]]
  const rolling = (strategy: JsonObject): Explanation => {
    const spec = { replicas: 10, selector: {}, template: templateOf(next), strategy: { rollingUpdate: strategy } }
    const deployment = object('apps/v1', 'Deployment', 'web', spec)
    const sets = [
      object('apps/v1', 'ReplicaSet', 'web-1', { replicas: 10, template: templateOf(old) }, deployment),
      object('apps/v1', 'ReplicaSet', 'web-2', { replicas: 3, template: templateOf(next) }, deployment),
    ] as const
    const pods = [
      ...Array.from({ length: 10 }, (_, at) => object('v1', 'Pod', `web-1-${at}`, { containers: old }, sets[0])),
      object('v1', 'Pod', 'web-2-0', { containers: next }, sets[1]),
    ]
    return explainedWith(
      deployment,
      [
        ['pods', pods],
        ['deployments.apps', [deployment]],
        ['replicasets.apps', sets],
      ],
      quota({ pods: '11' }, { pods: '11' }),
    )
  }

  test('no remedy scales to the few pods of the newest ReplicaSet [32/stuck]', () => {
    const { causes, remedies } = rolling({ maxSurge: 3, maxUnavailable: 0 })
    expect(causes.map(({ text }) => text)).toEqual(['quota compute: pods 11 of 11 used, 2 more requested'])
    expect(remedies.map(({ type }) => type)).toEqual(['rollout', 'raise'])
  })

  test('shares that come to nothing let one pod be missing, as in Kubernetes [32/stuck]', () => {
    expect(rolling({ maxSurge: 0, maxUnavailable: '5%' }).warnings).toEqual([])
  })
})

describe('a StatefulSet', () => {
  const claim = { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } }
  const spec = { replicas: 3, template: templateOf([app('db')]), volumeClaimTemplates: [claim] }
  const claims = (from: number): readonly KubeObject[] =>
    [0, 1, 2].map((at) => object('v1', 'PersistentVolumeClaim', `data-db-${from + at}`, claim.spec))
  const full = { persistentvolumeclaims: '3', pods: '9' }

  test('whose claims are all there is not held up by their quota, which is full [32/stuck]', () => {
    const set = object('apps/v1', 'StatefulSet', 'db', spec)
    const { verdict, budgets } = explainedWith(
      set,
      [['persistentvolumeclaims', claims(0)]],
      quota(full, { persistentvolumeclaims: '3', pods: '0' }),
    )
    expect([verdict, budgets[0]?.fits]).toEqual(['clear', 9])
  })

  test('may begin at another ordinal [32/stuck]', () => {
    const set = object('apps/v1', 'StatefulSet', 'db', { ...spec, ordinals: { start: 5 } })
    const { verdict, wanted } = explainedWith(
      set,
      [['persistentvolumeclaims', claims(5)]],
      quota(full, { persistentvolumeclaims: '3', pods: '0' }),
    )
    expect([verdict, wanted[0]?.existing]).toEqual(['clear', 3])
  })

  test('is not judged by claims that nobody may see [32/least-rights]', () => {
    const set = object('apps/v1', 'StatefulSet', 'db', spec)
    const { verdict, causes } = explainedWith(set, [], quota(full, { persistentvolumeclaims: '3', pods: '0' }), {
      notSeen: [{ resource: 'persistentvolumeclaims', reason: 'you may not list them' }],
    })
    expect([verdict, causes]).toEqual(['unknown', []])
  })
})

test('values that a LimitRange may give are not called missing where nobody may see LimitRanges [32/least-rights]', () => {
  const { verdict, causes } = explained({
    template: [app('web')],
    replicas: 1,
    pods: [],
    quota: quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' }),
    more: { notSeen: [{ resource: 'limitranges', reason: 'you may not list them' }] },
  })
  expect([verdict, causes]).toEqual(['unknown', []])
})

test('Jobs of one CronJob that make the same pods have one cause [32/stuck]', () => {
  const job = { parallelism: 1, completions: 1, template: templateOf([app('crunch')]) }
  const cron = object('batch/v1', 'CronJob', 'nightly', { schedule: '@daily', jobTemplate: { spec: job } })
  const jobs = [1, 2, 3].map((at) => object('batch/v1', 'Job', `nightly-${at}`, job, cron))
  const { causes, wanted } = explainedWith(
    cron,
    [
      ['cronjobs.batch', [cron]],
      ['jobs.batch', jobs],
    ],
    quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' }),
  )
  expect(causes.map(({ type }) => type)).toEqual(['missing-values'])
  expect(wanted).toEqual([expect.objectContaining({ kind: 'Pod', wanted: 3, existing: 0 })])
})

test('a Job without a number of completions wants no more pods once one has succeeded [32/no-false-cause]', () => {
  const bare = object('batch/v1', 'Job', 'queue', { parallelism: 3, template: templateOf([app('worker')]) })
  const running = [1, 2].map((at) => object('v1', 'Pod', `queue-${at}`, { containers: [app('worker')] }, bare))
  const job = { ...bare, status: { succeeded: 1, active: 2 } }
  expect(explainedWith(job, [['pods', running]], quota({ pods: '2' }, { pods: '2' })).verdict).toBe('clear')
})

test('a workload of another group is not taken for one of Kubernetes [32/no-false-cause]', () => {
  const job = object('batch.example.org/v1', 'Job', 'queue', { parallelism: 3 })
  expect(explainedWith(job, [], quota({ pods: '0' }, { pods: '0' })).wanted).toEqual([])
})

test('a workload that a controller keeps is not scaled or patched by hand, and its controller is named [32/no-false-cause]', () => {
  const rollout = object('argoproj.example/v1', 'Rollout', 'web', {})
  const set = object('apps/v1', 'ReplicaSet', 'web-1', { replicas: 2, template: templateOf([app('web')]) }, rollout)
  const { chain, remedies } = explainedWith(set, [['replicasets.apps', [set]]], quota({ pods: '1' }, { pods: '0' }))
  expect(chain.map(({ kind }) => kind)).toEqual(['Rollout', 'ReplicaSet'])
  expect(remedies.map(({ type }) => type)).toEqual(['raise'])
})

describe('remedies that an API server would refuse', () => {
  const limited = (resources: JsonObject): JsonObject => ({ name: 'web', resources })

  test('a limit that is lowered takes its request along [32/remedies-hold]', () => {
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

  test('an amount below the minimum of a LimitRange is not offered [32/remedies-hold]', () => {
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

  test('a default limit is not below the requests of those who get it, and its LimitRange has a free name [32/remedies-hold]', () => {
    const { remedies } = explained({
      template: [app('web', { cpu: '500m' })],
      replicas: 1,
      pods: [],
      quota: quota({ 'limits.cpu': '4' }, { 'limits.cpu': '0' }),
      more: { limitRanges: [object('v1', 'LimitRange', 'container-defaults', { limits: [] })] },
    })
    const [range] = remedies
    expect(range?.manifest).toMatchObject({
      metadata: { name: 'container-defaults-2' },
      spec: { limits: [{ default: { cpu: '500m' } }] },
    })
  })
})

describe('a refusal of before', () => {
  const refused =
    'pods "web-1-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=1, limited: pods=1'

  test('stands where its quota is still full, whatever admission counted that is not seen [32/no-false-cause]', () => {
    const scoped = quota({ pods: '1' }, { pods: '1' })
    const { verdict, causes } = explained({
      template: [app('web')],
      replicas: 2,
      pods: [[app('web')]],
      // A class that admission gives by default is in the scope; the template names none.
      quota: {
        ...scoped,
        spec: {
          ...scoped.spec,
          scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['gold'] }] },
        },
      },
      failure: refused,
    })
    expect([verdict, causes.map(({ type }) => type)]).toEqual(['blocked', ['reported']])
  })

  test('of the Deployment itself is told to those who may see no more than that [32/least-rights]', () => {
    const bare = object('apps/v1', 'Deployment', 'web', { replicas: 1, template: templateOf([app('web')]) })
    const deployment = {
      ...bare,
      status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: refused }] },
    }
    const notSeen = ['pods', 'replicasets.apps'].map((resource) => ({ resource, reason: 'you may not list them' }))
    const { verdict, causes } = explainedWith(deployment, [], quota({ pods: '1' }, { pods: '1' }), { notSeen })
    expect([verdict, causes.map(({ text }) => text)]).toEqual(['blocked', [`the API server said: ${refused}`]])
  })

  test('of a DaemonSet counts where its status does not say what it wants [32/stuck]', () => {
    const set = object('apps/v1', 'DaemonSet', 'agent', { template: templateOf([app('agent', { cpu: '2' })]) })
    const failure = object('v1', 'Event', 'agent.1', {})
    const event = {
      ...failure,
      involvedObject: { uid: set.metadata.uid },
      message: refused,
      lastTimestamp: '2026-01-01T00:00:00Z',
    }
    const { causes } = explainedWith(set, [], quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' }), {
      failures: [event],
    })
    expect(causes.map(({ text }) => text)).toEqual(['quota compute: requests.cpu 0 of 1 used, 2 more requested'])
  })

  test('says which values an injected container lacks, and no others [32/injected]', () => {
    const { causes } = explained({
      template: [{ name: 'web', resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }],
      replicas: 1,
      pods: [],
      quota: quota({ 'requests.cpu': '9', 'limits.cpu': '9' }, { 'requests.cpu': '0', 'limits.cpu': '0' }),
      failure: 'pods "web-1-x" is forbidden: failed quota: compute: must specify limits.cpu for: mesh',
    })
    expect(causes.map(({ text }) => text)).toEqual([
      'quota compute: each container must specify limits.cpu (missing in mesh)',
    ])
  })
})

test('a workload that somebody has paused or suspended is said to make nothing [32/paused]', () => {
  const job = object('batch/v1', 'Job', 'nightly', { suspend: true, parallelism: 1, template: templateOf([app('c')]) })
  const said = explainedWith(job, [['jobs.batch', [job]]], quota({ pods: '0' }, { pods: '0' }))
  expect([said.verdict, said.warnings.map(({ text }) => text)]).toEqual([
    'clear',
    ['Job nightly is suspended: it makes nothing'],
  ])
})

test('an extended resource is lowered on both sides [32/remedies-hold]', () => {
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

test('no remedy scales what an autoscaler scales, nor makes pods smaller that lack something else [32/remedies-hold]', () => {
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
    ['limit-range', 'raise'],
  ])
})
