import { expect, test } from 'vitest'
import { guessedResource } from '../../api/guessed-resource.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { type KindOf, Simulator } from './simulate.ts'

const CLUSTER_WIDE = new Set(['Namespace', 'PriorityClass', 'RuntimeClass', 'StorageClass', 'Node'])
const kinds: KindOf = (apiVersion, kind) => ({
  ...guessedResource(apiVersion, kind),
  kind,
  namespaced: !CLUSTER_WIDE.has(kind),
})

interface Given {
  readonly isFromCluster?: boolean
  readonly notSeen?: readonly string[]
}

function tried(
  state: string,
  steps: readonly string[],
  { isFromCluster = false, notSeen = [] }: Given = {},
): Simulator {
  const simulator = new Simulator({
    state: readManifests('state', state),
    isFromCluster,
    kinds,
    decode: (object) => object,
    typeOf: () => undefined,
    namespace: 'shop',
    now: Date.parse('2026-01-01T00:00:00Z'),
    timestamp,
    notSeen: notSeen.map((resource) => ({ resource, reason: 'you may not list them' })),
  })
  for (const step of steps)
    simulator.step(readManifests('changes', step).map((object) => ({ operation: 'apply' as const, object })))
  return simulator
}

type Stand = readonly [name: string, verdict: string, pods: number, wanted: number]
const standing = (simulator: Simulator): readonly Stand[] =>
  simulator.workloadsIn('shop').map(({ object, verdict, pods, wanted }) => [object.name, verdict, pods, wanted])
const causes = (simulator: Simulator): readonly string[] =>
  simulator.workloadsIn('shop').flatMap((one) => one.causes.map(({ text }) => text))

const manifest = (kind: string, apiVersion: string, name: string, rest = ''): string =>
  `\n---\nkind: ${kind}\napiVersion: ${apiVersion}\nmetadata: {name: ${name}}\n${rest}\n`
const quota = (hard: string): string => manifest('ResourceQuota', 'v1', 'small', `spec: {hard: ${hard}}`)
const node = (name: string, rest = ''): string =>
  `\n---\nkind: Node\napiVersion: v1\nmetadata: {name: ${name}, labels: {disk: ${name}}}\n${rest}\n`
const TAINTED = 'spec: {taints: [{key: special, effect: NoSchedule}]}'
const CORDONED = 'spec: {taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]}'
const workload = (kind: string, name: string, { spec = '', pod = '', image = 'app' } = {}): string =>
  manifest(
    kind,
    'apps/v1',
    name,
    `spec:
  selector: {matchLabels: {app: ${name}}}
  ${spec}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      ${pod}
      containers: [{name: app, image: ${image}, resources: {requests: {cpu: "1"}}}]`,
  )

test('a DaemonSet gets a pod on each node that it fits, and more with more nodes', () => {
  const nodes = node('a') + node('b') + node('c', TAINTED) + node('d', CORDONED)
  const selecting = workload('DaemonSet', 'picky', { pod: 'nodeSelector: {disk: a}' })
  const simulator = tried(nodes, [workload('DaemonSet', 'agent') + selecting, node('e')])
  expect(standing(simulator)).toEqual([
    ['agent', 'up', 4, 4],
    ['picky', 'up', 1, 1],
  ])
  expect(standing(tried(nodes + quota('{pods: "2"}'), [workload('DaemonSet', 'agent')]))).toEqual([
    ['agent', 'stalls', 2, 3],
  ])
})

test('without nodes nobody knows how many pods a new DaemonSet gets; one that was counted keeps its number', () => {
  for (const given of [{}, { notSeen: ['nodes'] }, { isFromCluster: true, notSeen: ['nodes'] }])
    expect(standing(tried(manifest('Namespace', 'v1', 'shop'), [workload('DaemonSet', 'agent')], given))).toEqual([
      ['agent', 'unknown', 0, 0],
    ])
  const counted = `${workload('DaemonSet', 'agent')}status: {desiredNumberScheduled: 3, observedGeneration: 1}\n`
  expect(standing(tried(counted, []))).toEqual([['agent', 'up', 3, 3]])
})

test('a DaemonSet with a surge makes a pod before it deletes one', () => {
  const agent = (rollingUpdate: string, image: string): string =>
    workload('DaemonSet', 'agent', { spec: `updateStrategy: {rollingUpdate: ${rollingUpdate}}`, image })
  const state = (rollingUpdate: string, pods: number): string =>
    node('a') + node('b') + quota(`{pods: "${pods}"}`) + agent(rollingUpdate, 'old')
  const images = (rollingUpdate: string, pods: number): readonly unknown[] =>
    tried(state(rollingUpdate, pods), [agent(rollingUpdate, 'new')])
      .world.list({ group: '', resource: 'pods' }, 'shop')
      .map(({ spec }) => (spec as { containers: { image: string }[] }).containers[0]?.image)
  const surging = '{maxSurge: 1, maxUnavailable: 0}'
  expect(images(surging, 2)).toEqual(['old', 'old'])
  expect(images(surging, 3)).toEqual(['new', 'new'])
  expect(images('{maxSurge: 0, maxUnavailable: 1}', 2)).toEqual(['new', 'new'])
})

test.each([
  ['priorityClassName: high', manifest('PriorityClass', 'scheduling.k8s.io/v1', 'high', 'value: 5')],
  ['runtimeClassName: kata', manifest('RuntimeClass', 'node.k8s.io/v1', 'kata', 'handler: kata')],
])('a workload with %s goes on as soon as there is such a class', (pod, theClass) => {
  const web = workload('Deployment', 'web', { spec: 'replicas: 2', pod })
  const stalled = tried('', [web])
  expect(standing(stalled)).toEqual([['web', 'stalls', 0, 2]])
  expect(causes(stalled)).toEqual([expect.stringMatching(/^pods "web-" is forbidden: .*Class.* found$/)])
  expect(standing(tried('', [web, theClass]))).toEqual([['web', 'up', 2, 2]])
})

test('a workload goes on as soon as there is its ServiceAccount', () => {
  const web = workload('Deployment', 'web', { spec: 'replicas: 2', pod: 'serviceAccountName: late' })
  const state = manifest('Namespace', 'v1', 'shop')
  const stalled = tried(state, [web], { isFromCluster: true })
  expect(standing(stalled)).toEqual([['web', 'stalls', 0, 2]])
  expect(causes(stalled)).toEqual([expect.stringContaining('serviceaccount "late" not found')])
  const account = manifest('ServiceAccount', 'v1', 'late')
  expect(standing(tried(state, [web, account], { isFromCluster: true }))).toEqual([['web', 'up', 2, 2]])
})

test('a claim gets the default class, also one that a StatefulSet makes', () => {
  const limited = 'fast.storageclass.storage.k8s.io/persistentvolumeclaims'
  const theClass = `
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}
provisioner: disk
`
  const spec = 'accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}'
  const claim = manifest('PersistentVolumeClaim', 'v1', 'data', `spec: {${spec}}`)
  const set = workload('StatefulSet', 'db', {
    spec: `replicas: 2\n  volumeClaimTemplates: [{metadata: {name: data}, spec: {${spec}}}]`,
  })
  const state = theClass + quota(`{${limited}: "2"}`)
  const simulator = tried(state, [claim + set])
  expect(simulator.world.list({ group: '', resource: 'persistentvolumeclaims' }, 'shop').length).toBe(2)
  expect(standing(simulator)).toEqual([['db', 'stalls', 1, 2]])
  expect(simulator.result().quotas[0]?.limits).toMatchObject([{ resource: limited, used: { after: '2' } }])
})

test('a pod costs the overhead of its runtime class as well', () => {
  const kata = manifest('RuntimeClass', 'node.k8s.io/v1', 'kata', 'handler: kata\noverhead: {podFixed: {cpu: 250m}}')
  const web = workload('Deployment', 'web', { spec: 'replicas: 2', pod: 'runtimeClassName: kata' })
  const simulator = tried(kata + quota('{requests.cpu: "2"}'), [web])
  expect([standing(simulator), simulator.result().quotas[0]?.limits[0]?.used.after]).toEqual([
    [['web', 'stalls', 1, 2]],
    '1250m',
  ])
})

test.each([
  ['Deployment', workload('Deployment', 'web', { spec: 'replicas: 5001' })],
  ['StatefulSet', workload('StatefulSet', 'web', { spec: 'replicas: 5001' })],
  [
    'Job',
    manifest(
      'Job',
      'batch/v1',
      'web',
      'spec: {parallelism: 5001, completions: 5001, template: {spec: {containers: [{name: app, image: app}], restartPolicy: Never}}}',
    ),
  ],
])('a simulation says that it makes no more than 5,000 pods of a %s', (_, changes) => {
  const simulator = tried('', [changes])
  expect([standing(simulator), causes(simulator)]).toEqual([
    [['web', 'stalls', 5_000, 5_001]],
    ['a simulation makes at most 5000 pods of a workload, of 5001'],
  ])
})

test('an autoscaler raises replicas to its minimum, and a minimum that does not fit stalls', () => {
  const autoscaler = manifest(
    'HorizontalPodAutoscaler',
    'autoscaling/v2',
    'web',
    'spec: {minReplicas: 3, maxReplicas: 9, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}',
  )
  const web = workload('Deployment', 'web', { spec: 'replicas: 1' })
  expect(standing(tried('', [web, autoscaler]))).toEqual([['web', 'up', 3, 3]])
  expect(standing(tried('', [autoscaler + web, web]))).toEqual([['web', 'up', 3, 3]])
  expect(standing(tried(quota('{pods: "2"}'), [web, autoscaler]))).toEqual([['web', 'stalls', 2, 3]])
  expect(standing(tried('', [workload('Deployment', 'web', { spec: 'replicas: 20' }), autoscaler]))).toEqual([
    ['web', 'up', 9, 9],
  ])
})

test('workloads that an operator keeps are followed, those that a workload has made only with it', () => {
  const owner = 'apiVersion: monitoring.coreos.com/v1, kind: Prometheus, name: main, uid: p, controller: true'
  const kept = workload('StatefulSet', 'db', { spec: 'replicas: 2' }).replace(
    'name: db}',
    `name: db, ownerReferences: [{${owner}}]}`,
  )
  const simulator = tried(quota('{pods: "1"}'), [kept, quota('{pods: "3"}'), workload('Deployment', 'web')])
  expect(standing(simulator)).toEqual([
    ['web', 'up', 1, 1],
    ['db', 'up', 2, 2],
  ])
})

test('what somebody deletes of a workload is made again', () => {
  const simulator = tried('', [workload('Deployment', 'web', { spec: 'replicas: 2' })])
  for (const resource of ['pods', 'replicasets']) {
    const [object] = simulator.world.list({ group: resource === 'pods' ? '' : 'apps', resource }, 'shop')
    if (object === undefined) throw new Error(`there are no ${resource}`)
    simulator.step([{ operation: 'delete', object }])
    expect(standing(simulator)).toEqual([['web', 'up', 2, 2]])
  }
})

test('a Deployment keeps as many old ReplicaSets as it says', () => {
  const web = (image: string): string => workload('Deployment', 'web', { spec: 'revisionHistoryLimit: 1', image })
  const simulator = tried(
    '',
    ['a', 'b', 'c', 'd'].map((image) => web(image)),
  )
  const sets = simulator.world.list({ group: 'apps', resource: 'replicasets' }, 'shop')
  const images = sets.map(({ spec }) => /"image":"(.)"/.exec(JSON.stringify(spec))?.[1])
  expect(images).toEqual(['c', 'd'])
})

test('a claim that a pod uses stays and counts until the pod is gone', () => {
  const claim = manifest(
    'PersistentVolumeClaim',
    'v1',
    'data',
    'spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}',
  )
  const pod = manifest(
    'Pod',
    'v1',
    'one',
    'spec: {containers: [{name: app, image: app}], volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]}',
  )
  const simulator = tried(quota('{persistentvolumeclaims: "1"}'), [claim + pod])
  const used = (): unknown => simulator.result().quotas[0]?.limits[0]?.used.after
  expect(used()).toBe('1')
  const [data, one] = [claim, pod].flatMap((text) => readManifests('changes', text))
  if (data === undefined || one === undefined) throw new Error('there are no manifests')
  simulator.step([{ operation: 'delete', object: data }])
  expect(used()).toBe('1')
  simulator.step([{ operation: 'delete', object: one }])
  expect([used(), simulator.world.list({ group: '', resource: 'persistentvolumeclaims' }, 'shop')]).toEqual([
    undefined,
    [],
  ])
})
