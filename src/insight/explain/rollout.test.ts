import { describe, expect, test } from 'vitest'
import {
  app,
  customQuota,
  explainedWith,
  NO_FACTS,
  object,
  quota,
  templateOf,
} from '../../../test/insight/explained.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { explain } from './explain.ts'
import type { Explanation } from './explanation.ts'

test('a quota that counts workloads has nothing to do with the rollout of one that it refuses', () => {
  const deps = customQuota('deps', '3', '3', [{ apiVersion: 'apps/v1', kind: 'Deployment', op: 'count' }])
  const spec = { replicas: 1, selector: {}, template: templateOf([app('x')]) }
  const manifest = object('apps/v1', 'Deployment', 'x4', spec)
  const resource = { group: 'apps', resource: 'deployments' }
  const warned = (pods: string) => {
    const facts = { ...NO_FACTS, customQuotas: [deps], quotas: [quota({ pods }, { pods: '0' })] }
    const { causes, warnings } = explain({ object: manifest, isStored: false }, resource, facts)
    return { causes: causes.map(({ refused, by }) => [refused, by.name]), warnings: warnings.map(({ type }) => type) }
  }
  expect(warned('9')).toEqual({ causes: [['Deployment', 'deps']], warnings: [] })
  // One pod fits, and no other beside it.
  expect(warned('1')).toEqual({ causes: [['Deployment', 'deps']], warnings: ['surge'] })
})

test('a raise for a rollout covers each quota that one of its pods will not fit into', () => {
  const sized = (cpu: string, memory: string) => templateOf([app('web', { cpu, memory })])
  const deployment = object('apps/v1', 'Deployment', 'web', { replicas: 3, selector: {}, template: sized('2', '2Gi') })
  const set = (name: string, replicas: number, cpu: string, memory: string) =>
    object('apps/v1', 'ReplicaSet', name, { replicas, selector: {}, template: sized(cpu, memory) }, deployment)
  const [old, fresh] = [set('web-1', 3, '1', '1Gi'), set('web-2', 1, '2', '2Gi')]
  const pods = [0, 1, 2].map((index) =>
    object('v1', 'Pod', `web-1-${index}`, { containers: [app('web', { cpu: '1', memory: '1Gi' })] }, old),
  )
  const memory = quota({ 'requests.memory': '6Gi' }, { 'requests.memory': '3Gi' }, { name: 'memory' })
  const roomy = quota({ pods: '4' }, { pods: '3' }, { name: 'roomy' })
  const cpu = quota({ 'requests.cpu': '3' }, { 'requests.cpu': '3' })
  const { causes, remedies } = explainedWith(
    deployment,
    [
      ['pods', pods],
      ['deployments.apps', [deployment]],
      ['replicasets.apps', [old, fresh]],
    ],
    cpu,
    { quotas: [cpu, memory, roomy] },
  )
  expect(causes.map(({ by }) => by.name)).toEqual(['compute'])
  expect(remedies.flatMap(({ type, text }) => (type === 'raise' ? [text] : []))).toEqual([
    'have quota compute raised to requests.cpu 7',
    'have quota memory raised to requests.memory 7Gi',
  ])
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

  test('no remedy scales to the few pods of the newest ReplicaSet', () => {
    const { summary, causes, remedies } = rolling({ maxSurge: 3, maxUnavailable: 0 })
    expect(summary).toBe('Deployment web is blocked: 1 of 3 new Pods exist beside 10 old ones, 0 more fit')
    expect(causes.map(({ text }) => text)).toEqual(['quota compute: pods 11 of 11 used, 2 more requested'])
    expect(remedies.map(({ type }) => type)).toEqual(['rollout', 'raise'])
  })

  test('shares that come to nothing let one pod be missing, as in Kubernetes', () => {
    expect(rolling({ maxSurge: 0, maxUnavailable: '5%' }).warnings).toEqual([])
  })
})

describe('a rollout whose older ReplicaSet lacks pods as well', () => {
  const of = (cpu: string): readonly JsonObject[] => [app('web', { cpu })]
  const [old, next, dear] = [of('100m'), of('200m'), of('300m')]
  const halted = (older: number, more: JsonObject = {}): Explanation => {
    const spec = { replicas: 4, selector: {}, template: templateOf(next), ...more }
    const deployment = object('apps/v1', 'Deployment', 'web', spec)
    const sets = [
      object('apps/v1', 'ReplicaSet', 'web-1', { replicas: 3, template: templateOf(old) }, deployment),
      object('apps/v1', 'ReplicaSet', 'web-2', { replicas: 2, template: templateOf(next) }, deployment),
    ] as const
    const pods = Array.from({ length: older }, (_, at) =>
      object('v1', 'Pod', `web-1-${at}`, { containers: old }, sets[0]),
    )
    return explainedWith(
      deployment,
      [
        ['pods', pods],
        ['deployments.apps', [deployment]],
        ['replicasets.apps', sets],
      ],
      quota({ 'requests.cpu': '100m' }, { 'requests.cpu': `${older * 100}m` }),
    )
  }
  const said = ({ summary, causes, remedies }: Explanation) => [
    summary,
    ...causes.map(({ text }) => text),
    ...remedies.filter(({ type }) => type === 'raise').map(({ text }) => text),
  ]

  test('needs room for all replicas where no pod exists, and not for the few of its present step', () => {
    expect(said(halted(0))).toEqual([
      'Deployment web is blocked: 0 of 4 Pods exist, 0 more fit',
      'quota compute: requests.cpu 0 of 100m used, 800m more requested',
      'have quota compute raised to requests.cpu 800m',
    ])
  })

  test('needs room for what its older pods leave of its replicas, and says how many of them there are', () => {
    expect(said(halted(1))).toEqual([
      'Deployment web is blocked: 0 of 3 new Pods exist beside 1 old one, 0 more fit',
      'quota compute: requests.cpu 100m of 100m used, 600m more requested',
      'have quota compute raised to requests.cpu 800m',
    ])
  })

  test.each<readonly [string, JsonObject, readonly (readonly JsonObject[])[], string]>([
    ['no pod may be missing', { maxSurge: 1, maxUnavailable: 0 }, [old, old, old, old], '900m'],
    ['a pod may be missing', { maxSurge: 1, maxUnavailable: 1 }, [old, old, old, old], '800m'],
    ['old pods cost differently', { maxSurge: 1, maxUnavailable: 0 }, [old, old, old, next], '700m'],
    ['old pods cost more', { maxSurge: 1, maxUnavailable: 0 }, Array.from({ length: 4 }, () => dear), '1400m'],
  ])('gets room for the whole rollout where %s', (_title, rollingUpdate, running, raised) => {
    const spec = { replicas: 4, selector: {}, template: templateOf(next), strategy: { rollingUpdate } }
    const deployment = object('apps/v1', 'Deployment', 'web', spec)
    const sets = [
      object('apps/v1', 'ReplicaSet', 'web-1', { replicas: 4, template: templateOf(old) }, deployment),
      object('apps/v1', 'ReplicaSet', 'web-2', { replicas: 1, template: templateOf(next) }, deployment),
    ] as const
    const pods = running.map((containers, at) => object('v1', 'Pod', `web-1-${at}`, { containers }, sets[0]))
    const objects = [
      ['pods', pods],
      ['deployments.apps', [deployment]],
      ['replicasets.apps', sets],
    ] as const
    const used = running[0] === dear ? '1200m' : running[3] === next ? '500m' : '400m'
    const { remedies } = explainedWith(deployment, objects, quota({ 'requests.cpu': used }, { 'requests.cpu': used }))
    expect(remedies.find(({ type }) => type === 'raise')?.text).toBe(
      `have quota compute raised to requests.cpu ${raised}`,
    )
  })

  test('wants no more than its newest ReplicaSet while it is paused', () => {
    expect(said(halted(0, { paused: true }))[0]).toBe('Deployment web is blocked: 0 of 2 Pods exist, 0 more fit')
  })
})
