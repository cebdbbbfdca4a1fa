import { expect, test } from 'vitest'
import { app, customQuota, explained, NO_FACTS, object, quota, templateOf } from '../../../test/insight/explained.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import { appliedTo } from '../apply-manifest.ts'
import { withChange } from './change.ts'

const SOURCE = { apiVersion: 'apps/v1', kind: 'Deployment', op: 'add' as const }
const replicas = customQuota('replicas', '5', '4', [{ ...SOURCE, path: '.spec.replicas' }])
const template = [app('w')]
const full = quota({ pods: '9', 'count/deployments.apps': '1' }, { pods: '0', 'count/deployments.apps': '1' })
const resource = { group: 'apps', resource: 'deployments' }

test.each([
  [6, 'blocked', ['CustomQuota replicas: 4 of 5 used, 2 more requested'], ['have CustomQuota replicas raised to 6']],
  [5, 'clear', [], []],
  [1, 'clear', [], []],
])('a change to %i replicas costs the difference to the stored object', (count, ...expected) => {
  const explanation = explained({ template, replicas: 4, pods: Array.from({ length: 4 }, () => template), quota: full })
  const deployment = (of: number) =>
    object('apps/v1', 'Deployment', 'web', { replicas: of, selector: {}, template: templateOf(template) })
  const facts = { ...NO_FACTS, quotas: [full], customQuotas: [replicas] }
  const said = withChange(explanation, deployment(4), deployment(count), resource, facts)
  expect([said.verdict, said.causes.map(({ text }) => text), said.remedies.map(({ text }) => text)]).toEqual(expected)
})

test('what a manifest leaves out keeps its cost, unless the last manifest had it', () => {
  const withSpec = (spec: JsonObject, annotations: Readonly<Record<string, string>> = {}): KubeObject => {
    const bare = object('apps/v1', 'Deployment', 'web', { selector: {}, template: templateOf(template), ...spec })
    return { ...bare, metadata: { ...bare.metadata, annotations } }
  }
  const schemas = { decode: (one: KubeObject) => one, typeOf: () => undefined }
  const paths = ['.spec.replicas', '.spec.minReadySeconds']
  const sources = paths.map((path) => ({ ...SOURCE, path }))
  const both = customQuota('replicas', '5', '4', sources)
  const causesOf = (last: JsonObject | undefined): readonly string[] => {
    const annotations: Record<string, string> =
      last === undefined ? {} : { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(withSpec(last)) }
    const stored = withSpec({ replicas: 4 }, annotations)
    const changed = appliedTo(stored, withSpec({ minReadySeconds: 2 }), schemas)
    const explanation = explained({ template, replicas: 4, pods: [], quota: full })
    const facts = { ...NO_FACTS, customQuotas: [both] }
    return withChange(explanation, stored, changed, resource, facts).causes.map(({ text }) => text)
  }
  const refused = ['CustomQuota replicas: 4 of 5 used, 2 more requested']
  expect([causesOf(undefined), causesOf({}), causesOf({ replicas: 4 })]).toEqual([refused, refused, []])
})

test('a ResourceQuota refuses a claim of a volume that grows, and a Service of another type, but no change of a workload', () => {
  const limits = { 'requests.storage': '4Gi', 'services.loadbalancers': '1', 'count/deployments.apps': '1' }
  const facts = { ...NO_FACTS, quotas: [quota(limits, { ...limits, 'requests.storage': '2Gi' })] }
  const explanation = explained({ template, replicas: 1, pods: [template], quota: full })
  const causesOf = (resource: GroupResource, stored: KubeObject, changed: KubeObject) =>
    withChange(explanation, stored, changed, resource, facts).causes.map(({ text }) => text)
  const volume = (storage: string) =>
    object('v1', 'PersistentVolumeClaim', 'data', { resources: { requests: { storage } } })
  const service = (type: string) => object('v1', 'Service', 'web', { type, ports: [{ port: 80 }] })
  const deployment = (replicas: number) => object('apps/v1', 'Deployment', 'web', { replicas, template })
  const volumes = { group: '', resource: 'persistentvolumeclaims' }
  expect(causesOf(volumes, volume('2Gi'), volume('5Gi'))).toEqual([
    'quota compute: requests.storage 2Gi of 4Gi used, 3Gi more requested',
  ])
  expect(causesOf(volumes, volume('2Gi'), volume('4Gi'))).toEqual([])
  expect(causesOf({ group: '', resource: 'services' }, service('ClusterIP'), service('LoadBalancer'))).toEqual([
    'quota compute: services.loadbalancers 1 of 1 used, 1 more requested',
  ])
  expect(causesOf(resource, deployment(1), deployment(3))).toEqual([])
})
