import { describe, expect, test } from 'vitest'
import type { ResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../machinery/object.ts'
import { WORKLOAD_KINDS } from './explain/workload-kinds.ts'
import { type Room, workloadWarnings } from './workload-warnings.ts'

const quota = (
  name: string,
  limits: Readonly<Record<string, readonly [used: string, hard: string]>>,
): ResourceQuota => {
  const of = (at: 0 | 1) => Object.fromEntries(Object.entries(limits).map(([limit, values]) => [limit, values[at]]))
  return {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name, namespace: 'shop' },
    spec: { hard: of(1) },
    status: { hard: of(1), used: of(0) },
  }
}

const roomOf = (quotas: readonly ResourceQuota[], more: Partial<Room> = {}): Room => ({
  namespace: 'shop',
  quotas,
  customQuotas: [],
  limitRanges: [],
  namespaceLabels: {},
  classes: new Map(),
  isChanged: false,
  now: 0,
  hasClaim: () => false,
  ...more,
})

/** A template whose pods have one container with this request. */
const template = (cpu?: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [{ name: 'app', image: 'i', ...(cpu === undefined ? {} : { resources: { requests: { cpu } } }) }],
  },
})

const workload = (kind: string, spec: object, status: object = {}): KubeObject => ({
  apiVersion: kind === 'ReplicationController' ? 'v1' : kind.endsWith('Job') ? 'batch/v1' : 'apps/v1',
  kind,
  metadata: { name: 'web', namespace: 'shop' },
  spec,
  status,
})

function warned(room: Room, object: KubeObject, old?: KubeObject): readonly string[] {
  const found = WORKLOAD_KINDS.get(object.kind)
  if (found === undefined) throw new Error(`no workload: ${object.kind}`)
  return workloadWarnings({ resource: { group: found.group, resource: found.resource }, object, old }, room)
}

const PODS = roomOf([quota('small', { pods: ['2', '4'] })])
const three = { replicas: 3, template: template() }
const tooMany = (kind: string, asked = 3): string =>
  `${kind} web needs more room than there is: quota small: pods 2 of 4 used, ${asked} more requested`

describe('a new workload', () => {
  test.each([
    ['Deployment', three],
    ['ReplicaSet', three],
    ['ReplicationController', three],
    ['StatefulSet', three],
    ['Job', { parallelism: 3, completions: 9, template: template() }],
  ])('%s is warned of pods that do not all fit', (kind, spec) => {
    expect(warned(PODS, workload(kind, spec))).toEqual([tooMany(kind)])
  })

  test.each([
    ['that fits to the unit', 'Deployment', { ...three, replicas: 2 }],
    ['that makes nothing', 'Deployment', { ...three, replicas: 0 }],
    ['that is paused', 'Deployment', { ...three, paused: true }],
    ['that is suspended', 'Job', { parallelism: 3, completions: 3, suspend: true, template: template() }],
    ['of which few run at a time', 'Job', { parallelism: 2, completions: 9, template: template() }],
    ['that surges no more than it has room for', 'Deployment', { ...three, replicas: 2, strategy: surging() }],
    ['that runs later, when there may be room', 'CronJob', cron(3)],
    ['without a number', 'DaemonSet', { template: template() }],
  ])('%s (%s) is not warned', (_, kind, spec) => {
    expect(warned(PODS, workload(kind, spec))).toEqual([])
  })

  test('that can never fit is warned, also where it runs later', () => {
    expect(warned(PODS, workload('CronJob', cron(5)))).toEqual([tooMany('CronJob', 5)])
  })

  test('a DaemonSet is warned where not even one pod fits', () => {
    const room = roomOf([quota('small', { pods: ['4', '4'] })])
    expect(warned(room, workload('DaemonSet', { template: template() }))).toEqual([
      'DaemonSet web needs more room than there is: quota small: pods 4 of 4 used, 1 more requested',
    ])
  })

  test('every quota is named with its amounts, and those without pods are not', () => {
    const room = roomOf([
      quota('a', { pods: ['2', '4'], 'requests.cpu': ['1', '2'] }),
      quota('b', { 'requests.cpu': ['0', '1'], secrets: ['1', '1'] }),
      quota('c', { secrets: ['1', '1'] }),
    ])
    expect(warned(room, workload('Deployment', { replicas: 3, template: template('500m') }))).toEqual([
      'Deployment web needs more room than there is: quota a: pods 2 of 4 used, 3 more requested; requests.cpu 1 of 2 used, 1500m more requested',
      'Deployment web needs more room than there is: quota b: requests.cpu 0 of 1 used, 1500m more requested',
    ])
  })

  test('whose containers lack what a quota demands can make no pods, unless a LimitRange gives it', () => {
    const quotas = [quota('small', { 'requests.cpu': ['0', '9'] })]
    expect(warned(roomOf(quotas), workload('Deployment', three))).toEqual([
      'Deployment web can make no pods: quota small: each container must specify requests.cpu (missing in app)',
    ])
    const range = {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'defaults' },
      spec: { limits: [{ type: 'Container', defaultRequest: { cpu: '1' }, min: { cpu: '1' } }] },
    }
    const room = roomOf(quotas, { limitRanges: [range] })
    expect(warned(room, workload('Deployment', three))).toEqual([])
    expect(warned(room, workload('Deployment', { ...three, template: template('500m') }))).toEqual([
      expect.stringMatching(/^Deployment web can make no pods: LimitRange defaults: minimum cpu usage per Container/),
    ])
  })

  test('the claims of a StatefulSet count, and those that exist already do not', () => {
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } }]
    const set = workload('StatefulSet', { ...three, volumeClaimTemplates })
    const quotas = [quota('small', { persistentvolumeclaims: ['2', '3'] })]
    expect(warned(roomOf(quotas), set)).toEqual([
      'StatefulSet web needs more room than there is: quota small: persistentvolumeclaims 2 of 3 used, 3 more requested',
    ])
    const there = new Set(['data-web-0', 'data-web-1'])
    expect(warned(roomOf(quotas, { hasClaim: (name) => there.has(name) }), set)).toEqual([])
    const huge = workload('StatefulSet', { ...three, replicas: 2 ** 31 - 1, volumeClaimTemplates })
    expect(warned(roomOf(quotas), huge)).toEqual([])
  })

  test('that is refused itself is not warned', () => {
    const room = (used: string) => roomOf([quota('small', { pods: ['4', '4'], 'count/deployments.apps': [used, '1'] })])
    expect(warned(room('0'), workload('Deployment', three))).toHaveLength(1)
    expect(warned(room('1'), workload('Deployment', three))).toEqual([])
  })

  test('only the number of pods is certain where somebody may change them', () => {
    const quotas = [quota('small', { pods: ['2', '4'], 'requests.cpu': ['0', '1'], 'limits.cpu': ['0', '1'] })]
    expect(
      warned(roomOf(quotas, { isChanged: true }), workload('Deployment', { ...three, template: template('1') })),
    ).toEqual([tooMany('Deployment')])
  })
})

describe('a changed workload', () => {
  const full = roomOf([quota('small', { pods: ['3', '3'], 'requests.cpu': ['3', '9'] })])
  const running = workload('Deployment', { replicas: 3, template: template('1') }, { replicas: 3 })
  const waits =
    'a rollout of Deployment web waits: it makes a pod before it deletes one (maxUnavailable is 0), and the quotas have no room for it: quota small: pods 3 of 3 used, 1 more requested'
  const changed = (spec: object, kind = 'Deployment') =>
    workload(kind, { replicas: 3, template: template('2'), ...spec }, { replicas: 3 })

  test('with another template is warned of a rollout that cannot surge', () => {
    expect(warned(full, changed({}), running)).toEqual([waits])
    expect(warned(full, changed({ strategy: surging() }), running)).toEqual([waits])
  })

  test.each([
    ['that may delete a pod first', { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } } }],
    ['that deletes all pods first', { strategy: { type: 'Recreate' } }],
    ['with the same template', { template: template('1'), strategy: surging() }],
    ['with fewer replicas', { replicas: 2, template: template('1') }],
  ])('%s is not warned', (_, spec) => {
    expect(warned(full, changed(spec), running)).toEqual([])
  })

  test('of which all pods cost more is warned of what they cost more', () => {
    const recreate = { strategy: { type: 'Recreate' } }
    expect(warned(full, changed({ ...recreate, template: template('3') }), running)).toEqual([])
    expect(warned(full, changed({ ...recreate, template: template('4') }), running)).toEqual([
      'Deployment web needs more room than there is: quota small: requests.cpu 3 of 9 used, 9 more requested',
    ])
    const set = workload('StatefulSet', { replicas: 3, template: template('1') }, { replicas: 3 })
    expect(warned(full, changed({ template: template('2') }, 'StatefulSet'), set)).toEqual([])
  })

  test('with more replicas is warned of those that are more than there are', () => {
    const more = workload('Deployment', { replicas: 5, template: template('1') }, { replicas: 3 })
    expect(warned(full, more, running)).toEqual([
      'Deployment web needs more room than there is: quota small: pods 3 of 3 used, 2 more requested',
    ])
    const shrinking = workload('Deployment', { replicas: 1, template: template('1') }, { replicas: 5 })
    expect(warned(full, more, shrinking)).toEqual([])
  })

  test('that goes on is warned of all that it makes then', () => {
    const paused = workload('Deployment', { replicas: 3, paused: true, template: template('1') })
    const goesOn = workload('Deployment', { replicas: 3, template: template('1') })
    expect(warned(full, goesOn, paused)).toHaveLength(1)
    const job = (suspend: boolean) => workload('Job', { parallelism: 3, suspend, template: template('1') })
    expect(warned(full, job(false), job(true))).toHaveLength(1)
    expect(warned(full, job(true), job(false))).toEqual([])
  })
})

describe('hostile objects', () => {
  test('make few and short warnings', () => {
    const containers = Array.from({ length: 1000 }, (_, index) => ({ name: `c${index}`, image: 'i' }))
    const large = { replicas: 2 ** 31 - 1, template: { metadata: {}, spec: { containers } } }
    const many = Array.from({ length: 100 }, (_, at) => quota(`q${at}`, { pods: ['0', '1'], 'limits.cpu': ['0', '1'] }))
    const warnings = warned(roomOf(many), workload('Deployment', large))
    expect(warnings).toHaveLength(5)
    expect(Math.max(...warnings.map(({ length }) => length))).toBeLessThanOrEqual(256)
  })

  test('with amounts or shapes that are none are not warned, and do no harm', () => {
    const strange = [undefined, null, 7, 'x', [], [null], { containers: 'x' }, { containers: [null, 7, {}] }]
    for (const kind of WORKLOAD_KINDS.keys())
      for (const spec of strange) {
        const object = workload(kind, {
          replicas: 'x',
          template: { spec },
          jobTemplate: { spec: { template: { spec } } },
        })
        expect(() => warned(PODS, object)).not.toThrow()
      }
    const deployment = workload('Deployment', { replicas: 9, template: template('much') })
    expect(warned(roomOf([quota('small', { 'requests.cpu': ['0', '1'] })]), deployment)).toEqual([])
  })
})

function surging() {
  return { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
}

function cron(parallelism: number) {
  return { schedule: '* * * * *', jobTemplate: { spec: { parallelism, completions: 9, template: template() } } }
}
