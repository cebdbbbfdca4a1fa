import { expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { demandsOf } from './demand.ts'
import { type Facts, indexed } from './facts.ts'

test('pods that nobody has made are no pods of a manifest', () => {
  const bare: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'bare', namespace: 'n', uid: 'b' } }
  const objects = new Map([['pods', [bare, { ...bare, metadata: { name: 'other', namespace: 'n', uid: 'o' } }]]])
  const nothing = {
    quotas: [],
    customQuotas: [],
    karmadaQuotas: [],
    limitRanges: [],
    autoscalers: [],
    classes: new Map(),
    failures: [],
  }
  const facts: Facts = {
    ...nothing,
    ...indexed(objects),
    namespace: 'n',
    namespaceLabels: undefined,
    objects,
    kubectl: '',
    notSeen: [],
    now: 0,
  }
  const object = { apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' }, spec: { replicas: 3 } }
  const pods = demandsOf({ object, isStored: false }, facts, { group: 'apps', resource: 'statefulsets' }).at(-1)
  expect([pods?.wanted, pods?.existing]).toEqual([3, 0])
})
