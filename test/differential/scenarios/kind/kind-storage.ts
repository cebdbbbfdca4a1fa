import { at, create, MERGE_PATCH, type Scenario, type Step } from '../../scenario.ts'
import { creates, type Edits, updates } from '../../variants.ts'

const claim = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: 'c' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'no-such' },
}
const volume = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'v' },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    hostPath: { path: '/x' },
    storageClassName: 'none',
  },
}
const storageClass = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 's' },
  provisioner: 'a.b/c',
}
const VOLUMES = '/api/v1/persistentvolumes'
const CLASSES = '/apis/storage.k8s.io/v1/storageclasses'
const claims = 'persistentvolumeclaims'
const source = (fields: object): Edits => ({ 'spec.hostPath': undefined, ...fields })

/** Takes away what `creates` made outside the namespace. */
const swept = (path: string, count: number): readonly Step[] =>
  Array.from({ length: count }, (_, index) => ({
    method: 'DELETE' as const,
    path: `${path}/v${index}-WORD`,
    name: `swept ${index}`,
  }))

const VOLUME_VARIANTS: readonly Edits[] = [
  {},
  { spec: undefined },
  { 'spec.accessModes': [] },
  { 'spec.capacity': undefined },
  { 'spec.capacity': { cpu: '1' } },
  { 'spec.capacity': { storage: '0' } },
  { 'spec.capacity': { storage: '-1' } },
  { 'spec.persistentVolumeReclaimPolicy': 'x' },
  { 'spec.persistentVolumeReclaimPolicy': 'Recycle', 'spec.hostPath': { path: '/' } },
  { 'spec.hostPath': undefined },
  { 'spec.hostPath': { path: '' } },
  { 'spec.hostPath': { path: '/a/..' } },
  { 'spec.nfs': { server: 's', path: '/p' } },
  source({ 'spec.nfs': {} }),
  source({ 'spec.local': {} }),
  source({ 'spec.local': { path: '/x' } }),
  source({ 'spec.local': { path: '/x' }, 'spec.nodeAffinity': {} }),
  source({ 'spec.local': { path: '/x' }, 'spec.nodeAffinity': { required: { nodeSelectorTerms: [] } } }),
  source({
    'spec.local': { path: '/x' },
    'spec.nodeAffinity': {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] },
    },
  }),
  source({ 'spec.csi': {} }),
  source({ 'spec.csi': { driver: 'a.b', volumeHandle: 'h' } }),
  source({ 'spec.iscsi': { targetPortal: 't', iqn: 'x', secretRef: {} } }),
  source({ 'spec.rbd': { monitors: ['a'], image: 'i' } }),
  source({ 'spec.azureFile': { secretNamespace: '' } }),
  source({ 'spec.cinder': { volumeID: 'a', secretRef: {} } }),
  source({ 'spec.awsElasticBlockStore': { volumeID: 'a' } }),
  { 'spec.storageClassName': 'A_b' },
  { 'spec.storageClassName': undefined },
  { 'spec.volumeMode': 'x' },
  { 'spec.volumeMode': 'Block' },
  { 'spec.mountOptions': ['ro'] },
  { 'metadata.name': 'A_b' },
  { 'metadata.namespace': 'default' },
]
const CLASS_VARIANTS: readonly Edits[] = [
  {},
  { provisioner: undefined },
  { provisioner: 'a b' },
  { reclaimPolicy: 'x' },
  { volumeBindingMode: 'x' },
  { volumeBindingMode: 'WaitForFirstConsumer', reclaimPolicy: 'Retain', allowVolumeExpansion: true },
  { parameters: { a: 'b' } },
  { parameters: { '': 'b' } },
  { allowedTopologies: [{ matchLabelExpressions: [{ key: 'a', values: ['b'] }] }] },
  { allowedTopologies: [{ matchLabelExpressions: [{ key: 'a b', values: [] }] }] },
  {
    allowedTopologies: [
      {
        matchLabelExpressions: [
          { key: 'a', values: ['b', 'b'] },
          { key: 'a', values: ['c'] },
        ],
      },
    ],
  },
]

export const scenarios: readonly Scenario[] = [
  {
    name: 'persistent volume claims',
    steps: [
      ...creates(claims, claim, [
        {},
        { spec: undefined },
        { 'spec.accessModes': undefined },
        { 'spec.resources': undefined },
        { 'spec.resources': { requests: { storage: '0' } } },
        { 'spec.resources': { requests: { storage: '-1Gi' } } },
        { 'spec.resources': { requests: { storage: '1Gi' }, limits: { storage: '2Gi' } } },
        { 'spec.storageClassName': 'A_b' },
        { 'spec.storageClassName': '' },
        { 'spec.volumeMode': 'x' },
        { 'spec.volumeMode': 'Block' },
        { 'spec.selector': { matchLabels: { 'a b': 'c' } } },
        { 'spec.selector': { matchExpressions: [{ key: 'a', operator: 'x' }] } },
        { 'spec.dataSource': { kind: 'PersistentVolumeClaim', name: '' } },
        { 'spec.volumeName': 'v' },
        { 'metadata.annotations': { 'volume.beta.kubernetes.io/storage-class': 'x' } },
        { 'metadata.name': 'A_b' },
      ]),
      create(claims, claim),
      ...updates(at(claims, 'c'), [
        {},
        { 'metadata.labels': { a: 'b' } },
        { 'spec.resources.requests.storage': '2Gi' },
        { 'spec.accessModes': ['ReadWriteMany'] },
        { 'spec.storageClassName': 'other' },
        { 'spec.volumeMode': 'Block' },
        { 'spec.volumeName': 'v' },
        { 'spec.volumeName': 'w' },
        { 'metadata.annotations': { 'volume.beta.kubernetes.io/storage-class': 'x' } },
        { 'status.phase': 'Bound' },
      ]),
      {
        method: 'PATCH',
        path: at(claims, 'c', 'status'),
        type: MERGE_PATCH,
        body: { status: { capacity: { storage: '-1' } } },
      },
    ],
  },
  {
    name: 'persistent volumes',
    steps: [
      ...creates('', volume, VOLUME_VARIANTS, VOLUMES),
      ...updates(`${VOLUMES}/v0-WORD`, [
        {},
        { 'spec.hostPath.path': '/y' },
        { 'spec.capacity.storage': '2Gi' },
        { 'spec.volumeMode': 'Block' },
        { 'spec.accessModes': ['ReadOnlyMany'] },
        {
          'spec.nodeAffinity': {
            required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Exists' }] }] },
          },
        },
        { 'spec.persistentVolumeReclaimPolicy': 'Delete' },
      ]),
    ],
  },
  {
    name: 'storage classes',
    steps: [
      ...creates('', storageClass, CLASS_VARIANTS, CLASSES),
      ...updates(`${CLASSES}/v0-WORD`, [
        {},
        { provisioner: 'x' },
        { parameters: { a: 'b' } },
        { reclaimPolicy: 'Retain' },
        { volumeBindingMode: 'WaitForFirstConsumer' },
        { allowVolumeExpansion: true },
        { mountOptions: ['ro'] },
      ]),
      ...swept(CLASSES, CLASS_VARIANTS.length),
    ],
  },
]
