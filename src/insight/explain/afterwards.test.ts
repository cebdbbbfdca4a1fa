import { describe, expect, test } from 'vitest'
import { isResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { afterwards } from './afterwards.ts'
import { type Facts, indexed } from './facts.ts'
import { explain } from './explain.ts'

const RESOURCES: Readonly<Record<string, Parameters<typeof afterwards>[2]>> = {
  Pod: { group: '', resource: 'pods' },
  Deployment: { group: 'apps', resource: 'deployments' },
  StatefulSet: { group: 'apps', resource: 'statefulsets' },
  ResourceBinding: { group: 'work.karmada.io', resource: 'resourcebindings' },
}

const resources = (cpu: string): string => (cpu === '' ? '{}' : `{requests: {cpu: ${cpu}}}`)
const spec = (cpu: string): string => `{containers: [{name: c, resources: ${resources(cpu)}}]}`
const pod = (name: string, cpu: string): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop}, spec: ${spec(cpu)}}`
const workload = (kind: string, replicas: number, cpu: string, more = ''): string =>
  `{apiVersion: apps/v1, kind: ${kind}, metadata: {name: web, namespace: shop}, spec: {replicas: ${replicas}, ${more}template: {spec: ${spec(cpu)}}}}`
const binding = (name: string, replicas: number): string =>
  `{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: ${name}, namespace: shop}, spec: {resource: {apiVersion: apps/v1, kind: Deployment, name: ${name}}, replicas: ${replicas}, replicaRequirements: {}}}`
const CLAIMS = 'volumeClaimTemplates: [{metadata: {name: data}, spec: {resources: {requests: {storage: 1Gi}}}}], '

interface Case {
  readonly title: string
  readonly hard: Readonly<Record<string, string>>
  readonly ranges?: string
  readonly manifests: readonly string[]
  readonly verdicts: readonly string[]
  /** What is used in the end, of the ResourceQuota or else of the KarmadaQuota. */
  readonly used: Readonly<Record<string, string>>
}

const CASES: readonly Case[] = [
  {
    title: 'a pod that is refused leaves the room to the next',
    hard: { 'requests.cpu': '1' },
    manifests: [pod('a', '800m'), pod('b', '800m'), pod('c', '100m')],
    verdicts: ['clear', 'blocked', 'clear'],
    used: { 'requests.cpu': '900m' },
  },
  {
    title: 'a workload takes the room of those pods that fit',
    hard: { 'requests.cpu': '1', pods: '9' },
    manifests: [workload('Deployment', 3, '400m'), pod('b', '300m'), pod('c', '200m')],
    verdicts: ['blocked', 'blocked', 'clear'],
    used: { 'requests.cpu': '1', pods: '3' },
  },
  {
    title: 'a workload that may not be made makes nothing',
    hard: { 'count/deployments.apps': '0', pods: '3' },
    manifests: [workload('Deployment', 3, '400m'), pod('b', '300m')],
    verdicts: ['blocked', 'clear'],
    used: { 'count/deployments.apps': '0', pods: '1' },
  },
  {
    title: 'pods that lack a value take no room',
    hard: { 'requests.cpu': '1', pods: '1' },
    manifests: [workload('Deployment', 3, ''), pod('b', '300m')],
    verdicts: ['blocked', 'clear'],
    used: { 'requests.cpu': '300m', pods: '1' },
  },
  {
    title: 'pods that a LimitRange forbids take no room',
    hard: { pods: '1' },
    ranges:
      '{apiVersion: v1, kind: LimitRange, metadata: {name: most, namespace: shop}, spec: {limits: [{type: Pod, max: {cpu: 200m}}]}}',
    manifests: [pod('a', '300m')],
    verdicts: ['blocked'],
    used: { pods: '0' },
  },
  {
    title: 'a StatefulSet has as many pods as it has claims',
    hard: { persistentvolumeclaims: '2', pods: '9' },
    manifests: [workload('StatefulSet', 3, '100m', CLAIMS)],
    verdicts: ['blocked'],
    used: { persistentvolumeclaims: '2', pods: '2' },
  },
  {
    title: 'a StatefulSet makes the claims of one pod that is refused, and no more',
    hard: { persistentvolumeclaims: '9', pods: '1' },
    manifests: [workload('StatefulSet', 4, '100m', CLAIMS)],
    verdicts: ['blocked'],
    used: { persistentvolumeclaims: '2', pods: '1' },
  },
]

function factsOf(limits: string, ranges: string): Facts {
  const all: readonly KubeObject[] = readManifests('limits', limits)
  return {
    namespace: 'shop',
    quotas: all.filter(isResourceQuota),
    limitRanges: readManifests('ranges', ranges),
    customQuotas: [],
    karmadaQuotas: all.filter(({ kind }) => kind === karmadaQuota.kind).map((one) => karmadaQuota.read(one)),
    namespaceLabels: {},
    objects: new Map(),
    ...indexed(new Map()),
    kubectl: 'kubectl -n shop',
    autoscalers: [],
    classes: new Map(),
    failures: [],
    notSeen: [],
    now: 0,
  }
}

/** What is said of manifests one after the other, and the facts in the end. */
function applied(
  facts: Facts,
  manifests: readonly string[],
): { readonly verdicts: readonly string[]; readonly end: Facts } {
  let end = facts
  const verdicts = manifests
    .flatMap((text) => readManifests('manifest', text))
    .map((object) => {
      const target = { object, isStored: false }
      const resource = RESOURCES[object.kind] ?? { group: '', resource: '' }
      const { verdict } = explain(target, resource, end)
      end = afterwards(end, target, resource)
      return verdict
    })
  return { verdicts, end }
}

describe('among manifests', () => {
  test.each(CASES)('$title', ({ hard, ranges = '', manifests, verdicts, used }) => {
    const none = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'small', namespace: 'shop' },
      spec: { hard },
      status: { hard, used: none },
    }
    const said = applied(factsOf(JSON.stringify(quota), ranges), manifests)
    expect([said.verdicts, said.end.quotas[0]?.status?.used]).toEqual([verdicts, used])
  })

  test('a binding that a KarmadaQuota has no room for leaves it to the next', () => {
    const quota =
      '{apiVersion: quota.karmada.io/v1alpha1, kind: KarmadaQuota, metadata: {name: fleet, namespace: shop}, spec: {hard: {pods: "4"}}, status: {used: {pods: "0"}}}'
    const { verdicts, end } = applied(factsOf(quota, ''), [binding('a', 3), binding('b', 3), binding('c', 1)])
    expect([verdicts, end.karmadaQuotas[0]?.status?.used]).toEqual([['clear', 'blocked', 'clear'], { pods: '4' }])
  })
})
