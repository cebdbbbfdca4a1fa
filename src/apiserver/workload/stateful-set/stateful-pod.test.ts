import { expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { claimOwners, claimsFor, statefulPod } from './stateful-pod.ts'

const set = (spec: JsonObject = {}): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: { name: 'web', namespace: 'n', uid: 's' },
  spec: {
    replicas: 1,
    serviceName: 'www',
    selector: { matchLabels: { app: 'web' } },
    volumeClaimTemplates: [
      { metadata: { name: 'data', labels: { tier: 'gold' } }, spec: { storageClassName: 'fast' } },
    ],
    ...spec,
  },
})
const revision: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'ControllerRevision',
  metadata: { name: 'web-5d8f' },
  data: {
    spec: {
      template: {
        $patch: 'replace',
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [],
          volumes: [
            { name: 'data', emptyDir: {} },
            { name: 'tmp', emptyDir: {} },
          ],
        },
      },
    },
  },
}
const pod = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name, uid: name } })
const claim = (...owners: readonly JsonObject[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'data-web-0', ownerReferences: owners as never },
})
const uids = (owners: readonly { readonly uid: string }[]): readonly string[] => owners.map(({ uid }) => uid)

test('a pod has its name, its place and its volumes by its ordinal', () => {
  expect(statefulPod(set(), 0, revision)).toMatchObject({
    metadata: {
      name: 'web-0',
      generateName: 'web-',
      labels: {
        app: 'web',
        'statefulset.kubernetes.io/pod-name': 'web-0',
        'apps.kubernetes.io/pod-index': '0',
        'controller-revision-hash': 'web-5d8f',
      },
      ownerReferences: [{ kind: 'StatefulSet', uid: 's', controller: true }],
    },
    spec: {
      hostname: 'web-0',
      subdomain: 'www',
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } },
        { name: 'tmp', emptyDir: {} },
      ],
    },
  })
})

test('a claim has the labels of its template and of the selector', () => {
  expect(claimsFor(set(), 3)).toEqual([
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data-web-3', namespace: 'n', labels: { tier: 'gold', app: 'web' } },
      spec: { storageClassName: 'fast' },
    },
  ])
})

test.each([
  ['Retain', 'Retain', 'web-0', []],
  ['Delete', 'Retain', 'web-0', ['s']],
  ['Delete', 'Retain', 'web-1', ['s']],
  ['Retain', 'Delete', 'web-0', []],
  ['Retain', 'Delete', 'web-1', ['web-1']],
  ['Delete', 'Delete', 'web-0', ['s']],
  ['Delete', 'Delete', 'web-1', ['web-1']],
])('when deleted %s, when scaled %s: the claim of %s goes with %j', (whenDeleted, whenScaled, name, owners) => {
  const of = set({ persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled } })
  expect(uids(claimOwners(of, pod(name), claim()))).toEqual(owners)
  expect(uids(claimOwners(of, pod(name), claim({ uid: 's' }, { uid: name }, { uid: 'other' })))).toEqual([
    'other',
    ...owners,
  ])
  expect(uids(claimOwners(of, pod(name), claim({ uid: 'boss', controller: true })))).toEqual(['boss'])
})
