import { describe, expect, test } from 'vitest'
import { isResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { qualified } from '../../../machinery/status.ts'
import { readManifests } from '../../../migrate/read-manifests.ts'
import { explain } from '../explain.ts'
import type { Remedy } from '../explanation.ts'
import { indexed } from '../facts.ts'
import { WORKLOAD_KINDS } from '../workload-kinds.ts'

const POD = 'spec: {containers: [{name: c, resources: {requests: {cpu: 300m}}}]}'
const NEW = `{apiVersion: v1, kind: Pod, metadata: {name: new, namespace: shop}, ${POD}}`
const QUOTA =
  '{apiVersion: v1, kind: ResourceQuota, metadata: {name: small, namespace: shop}, spec: {hard: {requests.cpu: "1"}}, status: {hard: {requests.cpu: "1"}, used: {requests.cpu: 900m}}}'
const pod = (name: string, owner = ''): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop, uid: ${name}${owner}}, ${POD}}`
const controlledBy = (apiVersion: string, kind: string, name: string): string =>
  `, ownerReferences: [{apiVersion: ${apiVersion}, kind: ${kind}, name: ${name}, uid: ${name}, controller: true}]`
const workload = (apiVersion: string, kind: string, name: string, more = ''): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}, namespace: shop, uid: ${name}${more}}, spec: {}}`
const SET = [
  workload('apps/v1', 'StatefulSet', 'db'),
  ...['a', 'b', 'c'].map((name) => pod(name, controlledBy('apps/v1', 'StatefulSet', 'db'))),
]

/** What is said of making room for a new pod beside these objects. */
function offered(
  objects: readonly string[],
  autoscalers = '',
  cpu = '300m',
  { quotas = QUOTA, limitRanges = '' }: { readonly quotas?: string; readonly limitRanges?: string } = {},
): readonly Pick<Remedy, 'text' | 'command'>[] {
  const [object] = readManifests('new', NEW.replace('300m', cpu))
  if (object === undefined) throw new Error('there is no manifest')
  const all = readManifests('objects', objects.join('\n---\n'))
  const byResource = new Map<string, readonly KubeObject[]>([
    ['pods', all.filter(({ kind }) => kind === 'Pod')],
    ...[...WORKLOAD_KINDS].map(([name, of]) => [qualified(of), all.filter(({ kind }) => kind === name)] as const),
  ])
  const { remedies } = explain(
    { object, isStored: false },
    { group: '', resource: 'pods' },
    {
      namespace: 'shop',
      quotas: readManifests('quota', quotas).filter(isResourceQuota),
      limitRanges: readManifests('ranges', limitRanges),
      customQuotas: [],
      karmadaQuotas: [],
      namespaceLabels: {},
      objects: byResource,
      ...indexed(byResource),
      kubectl: 'kubectl -n shop',
      autoscalers: readManifests('autoscalers', autoscalers),
      classes: new Map(),
      failures: [],
      notSeen: [],
      now: 0,
    },
  )
  return remedies.filter(({ type }) => type === 'free').map(({ text, command = '' }) => ({ text, command }))
}

test('the largest holder gives as many pods as are enough, and no more', () => {
  expect(offered(SET)).toEqual([
    {
      text: 'run 2 instead of 3 pods of StatefulSet db, if these are enough; StatefulSet db (requests.cpu 900m) holds the most of quota small',
      command: 'kubectl -n shop scale statefulset/db --replicas=2',
    },
  ])
})

test('a Job and a pod of nobody are deleted', () => {
  const job = [workload('batch/v1', 'Job', 'once'), pod('a', controlledBy('batch/v1', 'Job', 'once'))]
  expect(offered(job).map(({ command }) => command)).toEqual(['kubectl -n shop delete job/once'])
  expect(offered([pod('lone')]).map(({ command }) => command)).toEqual(['kubectl -n shop delete pod/lone'])
})

test('nothing is taken that a controller or an autoscaler would make again', () => {
  const scaled =
    '{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: h, namespace: shop}, spec: {scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: db}, maxReplicas: 9}}'
  expect(offered(SET, scaled)).toEqual([])
  const owned = workload('apps/v1', 'StatefulSet', 'db', controlledBy('example.com/v1', 'Database', 'main'))
  expect(offered([owned, ...SET.slice(1)])).toEqual([])
  const everywhere = [
    workload('apps/v1', 'DaemonSet', 'agent'),
    pod('a', controlledBy('apps/v1', 'DaemonSet', 'agent')),
  ]
  expect(offered(everywhere)).toEqual([])
})

test('two or three holders give together what none of them can give alone', () => {
  const holder = (name: string, pods: number): readonly string[] => [
    workload('apps/v1', 'StatefulSet', name),
    ...Array.from({ length: pods }, (_, index) =>
      pod(`${name}-${index}`, controlledBy('apps/v1', 'StatefulSet', name)),
    ),
  ]
  const job = [workload('batch/v1', 'Job', 'once'), pod('once-0', controlledBy('batch/v1', 'Job', 'once'))]
  // Each of them holds a part of 900m; the new pod wants so much that two pods have to go.
  const two = offered([...holder('a', 1), ...job, ...holder('b', 1)], '', '700m')
  expect(two).toEqual([
    {
      text: 'run 0 instead of 1 pods of StatefulSet a and delete Job once, if their owners can do with that; StatefulSet a (requests.cpu 300m), Job once (requests.cpu 300m), StatefulSet b (requests.cpu 300m) hold the most of quota small',
      command: 'kubectl -n shop scale statefulset/a --replicas=0 && kubectl -n shop delete job/once',
    },
  ])
  // One that gives enough alone comes before any two.
  expect(offered([...holder('a', 1), ...holder('b', 2)], '', '700m').map(({ command }) => command)).toEqual([
    'kubectl -n shop scale statefulset/b --replicas=0',
  ])
  expect(offered([...holder('a', 1), ...job, ...holder('b', 1)], '', '1').map(({ command }) => command)).toEqual([
    'kubectl -n shop scale statefulset/a --replicas=0 && kubectl -n shop delete job/once && kubectl -n shop scale statefulset/b --replicas=0',
  ])
  const lone = ['c', 'd'].map((name) => pod(name))
  expect(offered(lone, '', '1')).toEqual([])
})

const full = (name: string, hard: string, used: string): string =>
  `{apiVersion: v1, kind: ResourceQuota, metadata: {name: ${name}, namespace: shop}, spec: {hard: ${hard}}, status: {hard: ${hard}, used: ${used}}}`

describe('with two causes', () => {
  const lone = ['a', 'b'].map((name) => pod(name))

  test('room is made although a LimitRange refuses the pod, too', () => {
    const limitRanges =
      '{apiVersion: v1, kind: LimitRange, metadata: {name: bounds, namespace: shop}, spec: {limits: [{type: Container, max: {cpu: 200m}}]}}'
    expect(offered(SET, '', '300m', { limitRanges }).map(({ command }) => command)).toEqual([
      'kubectl -n shop scale statefulset/db --replicas=2',
    ])
  })

  test('what makes room in both quotas is one remedy', () => {
    const quotas = [QUOTA, full('few', '{pods: "3"}', '{pods: "3"}')].join('\n---\n')
    expect(offered(SET, '', '600m', { quotas })).toEqual([
      {
        text: 'run 1 instead of 3 pods of StatefulSet db, if these are enough; StatefulSet db (requests.cpu 900m) holds the most of quota small, StatefulSet db (pods 3) holds the most of quota few',
        command: 'kubectl -n shop scale statefulset/db --replicas=1',
      },
    ])
  })

  test('a holder of several resources of a quota is named once, with all of them', () => {
    const quotas = full('both', '{requests.cpu: "1", pods: "3"}', '{requests.cpu: 900m, pods: "3"}')
    expect(offered(SET, '', '300m', { quotas }).map(({ text }) => text)).toEqual([
      'run 2 instead of 3 pods of StatefulSet db, if these are enough; StatefulSet db (pods 3, requests.cpu 900m) holds the most of quota both',
    ])
  })

  test('where nobody makes room in both, each quota has its own remedy', () => {
    const elsewhere = full('elsewhere', '{limits.cpu: "1", pods: "2"}', '{limits.cpu: "0", pods: "2"}')
    const quotas = [full('small', '{requests.cpu: "1"}', '{requests.cpu: "5"}'), elsewhere].join('\n---\n')
    expect(offered(lone, '', '300m', { quotas }).map(({ command }) => command)).toEqual([
      'kubectl -n shop delete pod/a',
    ])
  })

  test('a quota without room for two resources is freed of both by those who hold them', () => {
    const small = 'spec: {containers: [{name: c, resources: {requests: {cpu: 900m}}}]}'
    const big = pod('big').replace(POD, small)
    const claims = ['one', 'two'].map((name) =>
      pod(name).replace(POD, 'spec: {containers: [{name: c, resources: {requests: {memory: 1Gi}}}]}'),
    )
    const quotas = full('both', '{requests.cpu: "1", pods: "2"}', '{requests.cpu: 900m, pods: "4"}')
    expect(offered([big, ...claims], '', '300m', { quotas }).map(({ command }) => command)).toEqual([
      'kubectl -n shop delete pod/big && kubectl -n shop delete pod/one && kubectl -n shop delete pod/two',
    ])
  })
})
