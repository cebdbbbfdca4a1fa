import type { Scenario } from '../../scenario.ts'
import { creates, type Edits } from '../../variants.ts'

const base = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
}
const BAD = 'Not_a-name'

/** A pod with one volume of this source. */
const volume = (source: object): Edits => ({ 'spec.volumes': [{ name: 'v', ...source }] })
const file = (fields: object): Edits => volume({ downwardAPI: { items: [fields] } })
const name = { fieldPath: 'metadata.name' }

export const scenarios: readonly Scenario[] = [
  {
    name: 'volumes of a pod and what is wrong with them',
    steps: creates('pods', base, [
      { 'spec.volumes': [{}] },
      { 'spec.volumes': [{ name: BAD }, { name: 'a' }, { name: 'a' }] },
      { 'spec.volumes': [{ name: 'a', emptyDir: {}, hostPath: { path: '/' }, secret: { secretName: 's' } }] },
      volume({}),
      volume({ emptyDir: { sizeLimit: '-1' } }),
      volume({ emptyDir: { sizeLimit: '1Gi', medium: 'Memory' } }),
      volume({ emptyDir: { medium: 'x' } }),
      volume({ hostPath: {} }),
      volume({ hostPath: { path: '/a/../b', type: 'x' } }),
      volume({ hostPath: { path: '/a', type: 'Directory' } }),
      volume({ hostPath: { path: '/a' } }),
      volume({ gitRepo: { directory: '/x' } }),
      volume({ gcePersistentDisk: { partition: 256 } }),
      volume({ gcePersistentDisk: { pdName: 'a', fsType: 'ext4' } }),
      volume({ awsElasticBlockStore: { partition: -1 } }),
      volume({ secret: {} }),
      volume({ secret: { secretName: 'a', defaultMode: 512, items: [{}, { key: 'a', path: '../b', mode: -1 }] } }),
      volume({ secret: { secretName: 'a', items: [{ key: 'a', path: '..b' }], optional: true } }),
      volume({ configMap: {} }),
      volume({ configMap: { name: 'a', defaultMode: 256, items: [{ key: 'a', path: '/b' }] } }),
      volume({ configMap: { name: 'a', items: [{ key: 'a', path: 'b', mode: 0 }] } }),
      volume({ nfs: {} }),
      volume({ nfs: { server: 's', path: 'p' } }),
      volume({ iscsi: {} }),
      volume({ iscsi: { targetPortal: 't', iqn: 'x', lun: 256, chapAuthSession: true } }),
      volume({ iscsi: { targetPortal: 't', iqn: 'iqn.x', lun: 0, initiatorName: 'y' } }),
      volume({ iscsi: { targetPortal: 't', iqn: 'iqn.2001-04.com.example:storage.disk1', lun: 1 } }),
      volume({ glusterfs: {} }),
      volume({ flocker: {} }),
      volume({ flocker: { datasetName: 'a/b', datasetUUID: 'c' } }),
      volume({ persistentVolumeClaim: {} }),
      volume({ persistentVolumeClaim: { claimName: 'a', readOnly: true } }),
      volume({ rbd: {} }),
      volume({ rbd: { monitors: ['a'], image: 'i' } }),
      volume({ cinder: { secretRef: {} } }),
      volume({ cephfs: {} }),
      volume({ cephfs: { monitors: ['a'] }, nfs: { server: 'a', path: '/b' } }),
      volume({ quobyte: {} }),
      volume({ quobyte: { registry: 'a', volume: 'v' } }),
      file({}),
      file({ path: 'a', fieldRef: name }),
      file({ path: '../a', fieldRef: { fieldPath: 'metadata.labels' }, mode: 1000 }),
      file({ path: 'a', fieldRef: { fieldPath: 'spec.nodeName' } }),
      file({ path: 'a', fieldRef: { fieldPath: "metadata.annotations['x']" } }),
      file({ path: 'a', fieldRef: name, resourceFieldRef: { resource: 'limits.cpu', containerName: 'c' } }),
      file({ path: 'a', resourceFieldRef: { resource: 'limits.cpu' } }),
      file({ path: 'a', resourceFieldRef: { resource: 'limits.cpu', containerName: 'c' } }),
      file({ path: 'a', resourceFieldRef: { resource: 'limits.cpu', containerName: 'c', divisor: '1m' } }),
      volume({ downwardAPI: { defaultMode: 1000 }, configMap: { name: 'a' } }),
      volume({ fc: {} }),
      volume({ fc: { targetWWNs: ['a'], wwids: ['b'] } }),
      volume({ fc: { targetWWNs: ['a'], lun: 300 } }),
      volume({ flexVolume: { options: { 'k8s.io/x': 'y' } } }),
      volume({ azureFile: {} }),
      volume({ vsphereVolume: {} }),
      volume({ photonPersistentDisk: {} }),
      volume({ portworxVolume: {} }),
      volume({ azureDisk: {} }),
      volume({ azureDisk: { diskName: 'a', diskURI: 'x', cachingMode: 'y', kind: 'z' } }),
      volume({ azureDisk: { diskName: 'a', diskURI: 'https://a.blob.core.windows.net/b/c.vhd' } }),
      volume({ azureDisk: { diskName: 'a', diskURI: 'https://a', kind: 'Managed' } }),
      volume({ storageos: {} }),
      volume({ storageos: { volumeName: BAD, volumeNamespace: BAD, secretRef: {} } }),
      volume({ scaleIO: {} }),
      volume({ scaleIO: { gateway: 'a', system: 'b', volumeName: 'c', secretRef: { name: 's' } } }),
      volume({ csi: {} }),
      volume({ csi: { driver: 'A.b', nodePublishSecretRef: { name: BAD } } }),
      volume({ csi: { driver: 'a.b', readOnly: true, volumeAttributes: { x: 'y' } } }),
    ]),
  },
  {
    name: 'projected volumes',
    steps: creates('pods', base, [
      volume({ projected: { sources: [{}] } }),
      volume({ projected: { defaultMode: 512, sources: [{ secret: {} }, { configMap: { items: [{}] } }] } }),
      volume({
        projected: {
          sources: [
            { secret: { name: 'a', items: [{ key: 'k', path: 'p' }] } },
            { configMap: { name: 'b', items: [{ key: 'k', path: 'p' }] } },
            { downwardAPI: { items: [{ path: 'p', fieldRef: name }] } },
          ],
        },
      }),
      volume({ projected: { sources: [{ serviceAccountToken: { path: '' } }] } }),
      volume({ projected: { sources: [{ serviceAccountToken: { path: 'a', expirationSeconds: 1 } }] } }),
      volume({ projected: { sources: [{ serviceAccountToken: { path: 'a', expirationSeconds: 4294967297 } }] } }),
      volume({ projected: { sources: [{ serviceAccountToken: { path: 'a' } }] } }),
      volume({ projected: { sources: [{ downwardAPI: { items: [{ path: 'a', fieldRef: name }] } }] } }),
    ]),
  },
  {
    name: 'mounts and devices of a pod with volumes',
    steps: creates(
      'pods',
      {
        ...base,
        spec: {
          ...base.spec,
          volumes: [
            { name: 'v', emptyDir: {} },
            { name: 'w', persistentVolumeClaim: { claimName: 'w' } },
          ],
        },
      },
      [
        { 'spec.containers.0.volumeMounts': [{ name: 'v', mountPath: '/v', readOnly: true, subPath: 'a/b' }] },
        { 'spec.containers.0.volumeMounts': [{ name: 'v', mountPath: '/v', subPath: '/a' }] },
        { 'spec.containers.0.volumeMounts': [{ name: 'v', mountPath: '/v', subPathExpr: '../a' }] },
        {
          'spec.containers.0.volumeMounts': [
            { name: 'v', mountPath: '/v' },
            { name: 'v', mountPath: '/v' },
          ],
        },
        { 'spec.containers.0.volumeMounts': [{ name: 'v', mountPath: '/v', mountPropagation: 'HostToContainer' }] },
        { 'spec.containers.0.volumeMounts': [{ name: 'v', mountPath: '/v', mountPropagation: 'Bidirectional' }] },
        { 'spec.containers.0.volumeMounts': [{ name: 'v', mountPath: 'a:b' }] },
        { 'spec.containers.0.volumeDevices': [{ name: 'w', devicePath: '/dev/w' }] },
        {
          'spec.containers.0.volumeMounts': [{ name: 'w', mountPath: '/w' }],
          'spec.containers.0.volumeDevices': [{ name: 'w', devicePath: '/w' }],
        },
        { 'spec.initContainers': [{ name: 'i', image: 'i', volumeMounts: [{ name: 'x', mountPath: '/x' }] }] },
      ],
    ),
  },
]
