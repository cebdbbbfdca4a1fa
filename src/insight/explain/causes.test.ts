import { describe, expect, test } from 'vitest'
import { app, explained, explainedWith, object, quota, templateOf } from '../../../test/insight/explained.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { Facts } from './facts.ts'
import { explanationText } from './explanation-text.ts'

const roomy = { template: [app('web')], replicas: 1, pods: [], quota: quota({ pods: '5' }, { pods: '0' }) }

test('an autoscaler that may ask for more than fits is warned about, and is no cause', () => {
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
])('what %s refuses is told as it was said, and no quota is blamed', (_title, failure) => {
  const { verdict, causes } = explained({ ...roomy, failure })
  expect([verdict, causes.map(({ type, text }) => [type, text])]).toEqual([
    'blocked',
    [['reported', `the API server said: ${failure}`]],
  ])
})

describe('a missing ServiceAccount', () => {
  const full = { ...roomy, quota: quota({ pods: '0' }, { pods: '0' }) }
  const failure =
    'pods "web-1-x" is forbidden: error looking up service account shop/robot: serviceaccount "robot" not found'
  const event = (message: string): KubeObject => ({
    ...object('v1', 'Event', 'web-1.1', {}),
    involvedObject: { uid: 'ReplicaSet/web-1' },
    message,
    lastTimestamp: '2026-01-01T00:00:00Z',
  })

  test('is told of beside a quota that is full', () => {
    const { causes, remedies } = explained({ ...full, failure })
    expect(causes.map(({ type }) => type)).toEqual(['exceeded', 'reported'])
    expect(remedies.map(({ type }) => type)).toEqual(['raise'])
  })

  test('is created where the template names it, unless it is there by now', () => {
    const named = { serviceAccountName: 'robot' }
    const created = (spec: JsonObject, there: readonly KubeObject[] | undefined) => {
      const classes = new Map(there === undefined ? [] : [['serviceaccounts', there]])
      const { remedies } = explained({ ...roomy, spec, failure, more: { classes } })
      return remedies.map(({ type, command }) => [type, command])
    }
    const command = ['create', 'kubectl -n shop create serviceaccount robot']
    expect(created(named, undefined)).toEqual([command])
    expect(created(named, [])).toEqual([command])
    expect(created(named, [object('v1', 'ServiceAccount', 'robot', {})])).toEqual([])
    expect(created({}, undefined)).toEqual([])
    expect(created({ serviceAccountName: 'other' }, undefined)).toEqual([])
  })

  test('is not told of any more once a later event names the quota', () => {
    const later = event('pods "web-1-y" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=0')
    expect(explained({ ...full, failure, more: { failures: [later] } }).causes.map(({ type }) => type)).toEqual([
      'exceeded',
    ])
  })
})

test('an earlier refusal does not stand once there is room', () => {
  const failure =
    'pods "web-1-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=1, limited: pods=1'
  const { verdict, causes, warnings } = explained({ ...roomy, failure })
  expect([verdict, causes, warnings]).toEqual([
    'clear',
    [],
    [expect.objectContaining({ type: 'retry', text: expect.stringContaining(failure) })],
  ])
})

test('text of users stays in its line', () => {
  const text = explanationText(explained({ ...roomy, failure: 'refused\u001b[2J\nforged: all is well' }), () => '')
  expect(text).toContain(String.raw`refused\x1b[2J\nforged: all is well`)
})

test('a binding that Karmada has not placed is there, and has no clusters', () => {
  const spec = { resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, replicas: 1 }
  const binding = object('work.karmada.io/v1alpha2', 'ResourceBinding', 'web-deployment', spec)
  const unplaced = { ...binding, status: { conditions: [{ type: 'Scheduled', status: 'False' }] } }
  const said = explainedWith(unplaced, [], quota({ pods: '1' }, { pods: '0' }))
  const text = explanationText(said, () => '')
  expect(text).toContain('\n  ResourceBindings: 0 of 1 have their clusters\n')
})

test.each<readonly [JsonObject, number]>([
  [{ clusters: [] }, 0],
  [{ clusters: [{ name: 'north' }] }, 1],
  [{ replicas: 2, replicaRequirements: { resourceRequest: { cpu: '1' } } }, 0],
  [
    { replicas: 2, replicaRequirements: { resourceRequest: { cpu: '1' } }, clusters: [{ name: 'north', replicas: 2 }] },
    1,
  ],
])('a binding has its clusters once they are named: %j', (more, existing) => {
  const spec = { resource: { apiVersion: 'v1', kind: 'ConfigMap', name: 'web' }, ...more }
  const binding = object('work.karmada.io/v1alpha2', 'ResourceBinding', 'web-configmap', spec)
  const { verdict, wanted } = explainedWith(binding, [], quota({ pods: '1' }, { pods: '0' }))
  expect([verdict, wanted.map((one) => [one.wanted, one.existing])]).toEqual(['clear', [[1, existing]]])
})

test('a holder in another namespace is named with it, and one in the own namespace without', () => {
  const explanation = explained(roomy)
  const holder = (namespace: string) => ({
    owner: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' },
    objects: 1,
    budget: 'fleet',
    budgetKind: 'GlobalCustomQuota',
    resource: 'limit',
    amount: '2',
  })
  const holders = [explanation.object.namespace, 'elsewhere', ''].map(holder)
  const text = explanationText({ ...explanation, holders }, () => '')
  const lines = text.split('\n').filter((line) => line.includes('fleet'))
  expect(lines.map((line) => line.split(' by ')[1])).toEqual([
    'Deployment web',
    'Deployment elsewhere/web',
    'Deployment web',
  ])
})

test('values that a LimitRange may give are not called missing where nobody may see LimitRanges', () => {
  const { verdict, causes } = explained({
    template: [app('web')],
    replicas: 1,
    pods: [],
    quota: quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' }),
    more: { notSeen: [{ resource: 'limitranges', reason: 'you may not list them' }] },
  })
  expect([verdict, causes]).toEqual(['unknown', []])
})

test('such values are named beside another cause, and no number of pods is said to fit', () => {
  const given = {
    template: [app('web')],
    replicas: 3,
    pods: [],
    quota: quota({ pods: '1', 'requests.cpu': '0' }, { pods: '0', 'requests.cpu': '0' }),
    more: { notSeen: [{ resource: 'limitranges', reason: 'you may not list them' }] },
  }
  const said = explained(given)
  expect([said.verdict, said.summary, said.causes.map(({ text }) => text)]).toEqual([
    'blocked',
    'Deployment web is blocked: 0 of 3 Pods exist',
    ['quota compute: pods 0 of 1 used, 3 more requested'],
  ])
  expect(said.warnings).toEqual([
    {
      type: 'missing-values',
      text: 'quota compute: each container must specify requests.cpu (missing in web); whether a LimitRange gives it is not known, because LimitRanges cannot be read',
    },
  ])
  expect([said.remedies.map(({ type }) => type), said.budgets.map(({ fits }) => fits)]).toEqual([
    ['raise'],
    [undefined],
  ])
  expect(explained({ ...given, template: [app('web', { cpu: '0' })] }).remedies.map(({ type }) => type)).toContain(
    'scale',
  )
})

test('Jobs of one CronJob that make the same pods have one cause', () => {
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

test('a Job without a number of completions wants no more pods once one has succeeded', () => {
  const bare = object('batch/v1', 'Job', 'queue', { parallelism: 3, template: templateOf([app('worker')]) })
  const running = [1, 2].map((at) => object('v1', 'Pod', `queue-${at}`, { containers: [app('worker')] }, bare))
  const job = { ...bare, status: { succeeded: 1, active: 2 } }
  expect(explainedWith(job, [['pods', running]], quota({ pods: '2' }, { pods: '2' })).verdict).toBe('clear')
})

test('a workload of another group is not taken for one of Kubernetes', () => {
  const job = object('batch.example.org/v1', 'Job', 'queue', { parallelism: 3 })
  expect(explainedWith(job, [], quota({ pods: '0' }, { pods: '0' })).wanted).toEqual([])
})

test('a workload that somebody has paused or suspended is said to make nothing', () => {
  const job = object('batch/v1', 'Job', 'nightly', { suspend: true, parallelism: 1, template: templateOf([app('c')]) })
  const said = explainedWith(job, [['jobs.batch', [job]]], quota({ pods: '0' }, { pods: '0' }))
  expect([said.verdict, said.warnings.map(({ text }) => text)]).toEqual([
    'clear',
    ['Job nightly is suspended: it makes nothing'],
  ])
})

describe('a global quota that the reader may not read', () => {
  const amount = 'GlobalCustomQuota "blue-pods" (requested=1, currentUsed=5, available=0, limit=5)'
  const failure = `pods "web-1-x" is forbidden: resource exceeds limit for ${amount}`
  const remediesWith = (existing: number): readonly string[] => {
    const containers = [app('web')]
    const pods = Array.from({ length: existing }, () => containers)
    const { remedies } = explained({ ...roomy, template: containers, replicas: 3, pods, failure })
    return remedies.map(({ text }) => text)
  }
  const raise = (more: string): string =>
    `have GlobalCustomQuota blue-pods, which you may not read, raised so that ${more}`

  test('is raised by all pods that are missing, or as many run as there are', () => {
    expect([0, 1, 2].map(remediesWith)).toEqual([
      [raise('3 more fit')],
      ['run fewer pods: 1 fit', raise('2 more fit')],
      ['run fewer pods: 2 fit', raise('1 more fits')],
    ])
  })
})

describe('a rule that is newer than the pods', () => {
  const containers = [app('web', { cpu: '10m' })]
  const world = { template: containers, replicas: 1, pods: [containers], quota: quota({ pods: '5' }, { pods: '1' }) }
  const told = (more: Partial<Facts>, hard: Readonly<Record<string, string>> = { pods: '5' }) => {
    const { verdict, budgets, warnings } = explained({ ...world, quota: quota(hard, { pods: '1' }), more })
    return { verdict, fits: budgets.map(({ fits }) => fits), texts: warnings.map(({ text }) => text) }
  }

  test('refuses the next pod, which fits into no quota', () => {
    const range = object('v1', 'LimitRange', 'least', { limits: [{ type: 'Container', min: { cpu: '50m' } }] })
    const refused = 'pods that are made from now on are refused: '
    const ofRange = `${refused}LimitRange least: minimum cpu usage per Container is 50m, but request is 10m`
    expect(told({ limitRanges: [range] })).toEqual({ verdict: 'clear', fits: [0], texts: [ofRange] })
    expect(told({}, { pods: '5', 'requests.memory': '1Gi' })).toEqual({
      verdict: 'clear',
      fits: [0],
      texts: [`${refused}quota compute: each container must specify requests.memory (missing in web)`],
    })
    expect(told({})).toEqual({ verdict: 'clear', fits: [4], texts: [] })
  })
})
