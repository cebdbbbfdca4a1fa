// Covers columns.ts, with the columns of each built-in kind.
import { describe, expect, test } from 'vitest'
import { ago, now, objectOf, printed } from '../../../test/apiserver/printed-table.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { builtInStrategies } from '../resource/built-in-strategies.ts'
import type { Cell } from './column.ts'
import { columnsOf } from './columns.ts'

describe('other kinds', () => {
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: {
      containers: [
        { name: 'c', image: 'x' },
        { name: 'd', image: 'y' },
      ],
      nodeSelector: { disk: 'ssd' },
    },
  }
  const selector = { matchLabels: { a: 'b' } }
  const cases: readonly (readonly [string, KubeObject, Record<string, Cell>])[] = [
    [
      'deployments.apps',
      objectOf({
        spec: { replicas: 4, selector, template },
        status: { readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 },
      }),
      { Ready: '2/4', 'Up-to-date': 3, Available: 1, Containers: 'c,d', Images: 'x,y', Selector: 'a=b' },
    ],
    [
      'replicasets.apps',
      objectOf({ spec: { replicas: 4 }, status: { replicas: 3 } }),
      { Desired: 4, Current: 3, Ready: 0, Selector: '<none>' },
    ],
    ['statefulsets.apps', objectOf({ spec: { replicas: 4 }, status: {} }), { Ready: '0/4' }],
    [
      'daemonsets.apps',
      objectOf({ spec: { template }, status: { desiredNumberScheduled: 5 } }),
      { Desired: 5, 'Node Selector': 'disk=ssd' },
    ],
    [
      'jobs.batch',
      objectOf({ spec: { completions: 3, template }, status: { succeeded: 1, startTime: ago(75) } }),
      { Status: 'Running', Completions: '1/3', Duration: '75s' },
    ],
    [
      'jobs.batch',
      objectOf({
        spec: { parallelism: 3 },
        status: {
          succeeded: 1,
          startTime: ago(75),
          completionTime: ago(70),
          conditions: [{ type: 'Complete', status: 'True' }],
        },
      }),
      { Status: 'Complete', Completions: '1/1 of 3', Duration: '5s' },
    ],
    [
      'cronjobs.batch',
      objectOf({ spec: { schedule: '@daily', suspend: false }, status: { active: [{}] } }),
      { Schedule: '@daily', Timezone: '<none>', Suspend: 'False', Active: 1, 'Last Schedule': '<none>' },
    ],
    [
      'services',
      objectOf({
        spec: {
          type: 'NodePort',
          clusterIP: '10.96.1.1',
          ports: [
            { port: 80, nodePort: 30080, protocol: 'TCP' },
            { port: 53, protocol: 'UDP' },
          ],
        },
      }),
      { 'Cluster-IP': '10.96.1.1', 'External-IP': '<none>', 'Port(s)': '80:30080/TCP,53/UDP' },
    ],
    ['services', objectOf({ spec: { type: 'LoadBalancer' } }), { 'External-IP': '<pending>', 'Port(s)': '<none>' }],
    [
      'endpointslices.discovery.k8s.io',
      objectOf({
        addressType: 'IPv4',
        ports: [{ port: 80 }],
        endpoints: [1, 2, 3, 4, 5].map((n) => ({ addresses: [`10.0.0.${n}`] })),
      }),
      { Ports: '80', Endpoints: '10.0.0.1,10.0.0.2,10.0.0.3 + 2 more...' },
    ],
    [
      'ingresses.networking.k8s.io',
      objectOf({ spec: { rules: [{ host: 'a.example' }], tls: [{}] } }),
      { Class: '<none>', Hosts: 'a.example', Address: '', Ports: '80, 443' },
    ],
    [
      'ingresses.networking.k8s.io',
      objectOf({
        spec: { rules: ['a', 'b', 'c', 'd'].map((host) => ({ host })) },
        status: { loadBalancer: { ingress: [{ ip: '9.9.9.9' }, { hostname: 'lb' }, { ip: '8.8.8.8' }] } },
      }),
      { Hosts: 'a,b,c + 1 more...', Address: '8.8.8.8,9.9.9.9,lb', Ports: '80' },
    ],
    ['namespaces', objectOf({ status: { phase: 'Active' } }), { Status: 'Active', Age: '90s' }],
    [
      'nodes',
      objectOf(
        { spec: { unschedulable: true }, status: { conditions: [{ type: 'Ready', status: 'False' }] } },
        { labels: { 'node-role.kubernetes.io/edge': '' } },
      ),
      { Status: 'NotReady,SchedulingDisabled', Roles: 'edge', 'Internal-IP': '<none>', 'OS-Image': '<unknown>' },
    ],
    ['configmaps', objectOf({ data: { a: '', b: '' }, binaryData: { c: '' } }), { Data: 3 }],
    ['secrets', objectOf({ type: 'Opaque', data: { a: '' } }), { Type: 'Opaque', Data: 1 }],
    [
      'events',
      objectOf({
        type: 'Warning',
        reason: 'Full',
        message: ' no room\n',
        involvedObject: { kind: 'Pod', name: 'x' },
        firstTimestamp: ago(300),
        lastTimestamp: ago(30),
        count: 4,
        source: { component: 'c', host: 'h' },
      }),
      { 'Last Seen': '30s', Object: 'pod/x', Message: 'no room', 'First Seen': '5m', Count: 4, Source: 'c, h' },
    ],
    [
      'events.events.k8s.io',
      objectOf({
        type: 'Normal',
        note: 'ok',
        regarding: { kind: 'Pod', name: 'x' },
        eventTime: ago(20),
        reportingController: 'r',
      }),
      { 'Last Seen': '20s', Object: 'pod/x', Message: 'ok', Count: 1, Source: 'r' },
    ],
    [
      'persistentvolumeclaims',
      objectOf({
        spec: { volumeName: 'v', storageClassName: 'fast', volumeMode: 'Block' },
        status: { phase: 'Bound', capacity: { storage: '7Gi' }, accessModes: ['ReadWriteMany', 'ReadWriteOnce'] },
      }),
      {
        Status: 'Bound',
        Volume: 'v',
        Capacity: '7Gi',
        'Access Modes': 'RWO,RWX',
        StorageClass: 'fast',
        VolumeAttributesClass: '<unset>',
        VolumeMode: 'Block',
      },
    ],
    [
      'storageclasses.storage.k8s.io',
      objectOf({ provisioner: 'p' }, { annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } }),
      { Name: 'thing (default)', ReclaimPolicy: 'Delete', AllowVolumeExpansion: false },
    ],
    [
      'poddisruptionbudgets.policy',
      objectOf({ spec: { minAvailable: '20%' }, status: { disruptionsAllowed: 1 } }),
      { 'Min Available': '20%', 'Max Unavailable': 'N/A', 'Allowed Disruptions': 1 },
    ],
    [
      'horizontalpodautoscalers.autoscaling',
      objectOf({
        spec: {
          maxReplicas: 7,
          scaleTargetRef: { kind: 'Deployment', name: 'd' },
          metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { averageUtilization: 60 } } }],
        },
      }),
      { Reference: 'Deployment/d', Targets: 'cpu: <unknown>/60%', MinPods: '<unset>', MaxPods: 7, Replicas: 0 },
    ],
    ['priorityclasses.scheduling.k8s.io', objectOf({ value: 7 }), { Value: 7, 'Global-Default': false }],
    [
      'rolebindings.rbac.authorization.k8s.io',
      objectOf({
        roleRef: { kind: 'Role', name: 'r' },
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'ServiceAccount', namespace: 'n', name: 's' },
        ],
      }),
      { Role: 'Role/r', Users: 'u', Groups: '', ServiceAccounts: 'n/s' },
    ],
    ['roles.rbac.authorization.k8s.io', objectOf({}), { 'Created At': ago(90) }],
    [
      'controllerrevisions.apps',
      objectOf(
        { revision: 3 },
        { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true }] },
      ),
      { Controller: 'daemonset.apps/d', Revision: 3 },
    ],
    [
      'resourceclaims.resource.k8s.io',
      objectOf({ status: { allocation: {}, reservedFor: [{}] } }),
      { State: 'allocated,reserved' },
    ],
    [
      'certificatesigningrequests.certificates.k8s.io',
      objectOf({
        spec: { signerName: 's', username: 'u' },
        status: { certificate: 'x', conditions: [{ type: 'Approved' }] },
      }),
      { Condition: 'Approved,Issued', RequestedDuration: '<none>' },
    ],
    ['boxes.example.com', objectOf({}), { Name: 'thing', Age: '90s' }],
  ]
  test.each(cases)('%s', (resource, object, expected) => {
    expect(printed(resource, object, true)).toMatchObject(expected)
  })

  test('every column fills its cell for an object that says nothing', () => {
    const bare: KubeObject = { apiVersion: 'v1', kind: 'Thing', metadata: {} }
    for (const resource of [...Object.keys(builtInStrategies), 'boxes.example.com']) {
      for (const { cell } of columnsOf(resource))
        expect(['string', 'number', 'boolean']).toContain(typeof cell(bare, { now }))
    }
  })

  test('every kind has one column with its name', () => {
    for (const resource of Object.keys(builtInStrategies)) {
      expect(columnsOf(resource).filter(({ format }) => format === 'name')).toHaveLength(1)
    }
  })
})
