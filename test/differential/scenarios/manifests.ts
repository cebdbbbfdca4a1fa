import { manifests } from '../../manifests/documents.ts'
import { at, type Scenario } from '../scenario.ts'

/** The kinds of the manifests that both servers have and that live in a namespace, by their resources. */
const RESOURCES: Readonly<Record<string, string>> = {
  'v1 ConfigMap': 'configmaps',
  'v1 Endpoints': 'endpoints',
  'v1 LimitRange': 'limitranges',
  'v1 PersistentVolumeClaim': 'persistentvolumeclaims',
  'v1 PodTemplate': 'podtemplates',
  'v1 ReplicationController': 'replicationcontrollers',
  'v1 ResourceQuota': 'resourcequotas',
  'v1 Secret': 'secrets',
  'v1 Service': 'services',
  'v1 ServiceAccount': 'serviceaccounts',
  'apps/v1 ControllerRevision': 'apps/v1/controllerrevisions',
  'apps/v1 DaemonSet': 'apps/v1/daemonsets',
  'apps/v1 Deployment': 'apps/v1/deployments',
  'apps/v1 ReplicaSet': 'apps/v1/replicasets',
  'apps/v1 StatefulSet': 'apps/v1/statefulsets',
  'autoscaling/v1 HorizontalPodAutoscaler': 'autoscaling/v1/horizontalpodautoscalers',
  'batch/v1 Job': 'batch/v1/jobs',
  'coordination.k8s.io/v1 Lease': 'coordination.k8s.io/v1/leases',
  'networking.k8s.io/v1 Ingress': 'networking.k8s.io/v1/ingresses',
  'networking.k8s.io/v1 NetworkPolicy': 'networking.k8s.io/v1/networkpolicies',
  'rbac.authorization.k8s.io/v1 Role': 'rbac.authorization.k8s.io/v1/roles',
  'rbac.authorization.k8s.io/v1 RoleBinding': 'rbac.authorization.k8s.io/v1/rolebindings',
}

/** Objects that 1.20 refuses: a set that surges, and a node port for two protocols. */
const REFUSED: ReadonlySet<string> = new Set(['agent', 'edge'])

const resources = {
  requests: { cpu: '100u', memory: '1500000u', 'ephemeral-storage': '1e-4' },
  limits: { cpu: '0.0015', memory: '2.0000001', 'ephemeral-storage': '0.5Ki' },
}
const podSpec = { containers: [{ name: 'c', image: 'i', resources }] }
const labels = { app: 'a' }

/** The fields that hold amounts, by resource. */
const FINE: readonly (readonly [string, object])[] = [
  ['pods', { spec: podSpec }],
  [
    'apps/v1/replicasets',
    { spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec } } },
  ],
  ['resourcequotas', { spec: { hard: { 'requests.cpu': '10000001u', 'limits.memory': '0.00001' } } }],
  ['limitranges', { spec: { limits: [{ type: 'Container', max: { cpu: '2000001u' }, min: { cpu: '100u' } }] } }],
]

/** The manifests that are written for Kubernetes 1.36, as far as 1.20 knows them: each is created in a dry run. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'amounts finer than a thousandth',
    steps: FINE.map(([resource, body]) => ({
      method: 'POST',
      path: `${at(resource)}?dryRun=All`,
      body: { metadata: { name: 'fine' }, ...body },
    })),
  },
  {
    name: 'manifests as projects have them',
    steps: manifests.flatMap(({ document }) => {
      const resource = RESOURCES[`${document.apiVersion} ${document.kind}`]
      if (resource === undefined || REFUSED.has(document.metadata.name)) return []
      const text = JSON.stringify(document).replaceAll('"namespace":"wild"', '"namespace":"WORD"')
      return [{ method: 'POST', path: `${at(resource)}?dryRun=All`, body: JSON.parse(text) as unknown }]
    }),
  },
]
