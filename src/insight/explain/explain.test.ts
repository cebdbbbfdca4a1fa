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
  return explain({ object: deployment, isStored: true }, DEPLOYMENTS, {
    namespace: NAMESPACE,
    quotas: [budget],
    limitRanges: [],
    objects,
    byUid: indexed(objects),
    autoscalers: [],
    failures: [],
    notSeen: [],
    now: 0,
    ...more,
  })
}

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
  ['something else refuses', 'pods "web-1-x" is forbidden: violates PodSecurity "restricted:latest"', 'not-by-quota'],
  [
    'there is room again',
    'pods "web-1-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=1, limited: pods=1',
    'retry',
  ],
])('where %s, no quota is blamed, and what was said is passed on [32/no-false-cause]', (_title, failure, type) => {
  const { verdict, causes, warnings } = explained({
    template: [app('web')],
    replicas: 1,
    pods: [],
    quota: quota({ pods: '5' }, { pods: '0' }),
    failure,
  })
  expect([verdict, causes, warnings]).toEqual([
    'clear',
    [],
    [expect.objectContaining({ type, text: expect.stringContaining(failure) })],
  ])
})

test('text of users stays in its line [32/text]', () => {
  const said = explained({
    template: [app('web')],
    replicas: 1,
    pods: [],
    quota: quota({ pods: '5' }, { pods: '0' }),
    failure: 'refused\u001b[2J\nforged: all is well',
  })
  const text = explanationText(said, () => '')
  expect(text).toContain(String.raw`refused\x1b[2J\nforged: all is well`)
})
