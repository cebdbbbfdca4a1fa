import type { JsonObject } from '../../src/machinery/object.ts'

const container = {
  name: 'c',
  image: 'registry.example.test/image:1',
  resources: { requests: { cpu: '100m', memory: '16Mi' }, limits: { cpu: '1', memory: '1Gi' } },
}
const podSpec = {
  containers: [container],
  volumes: [{ name: 'v', emptyDir: {} }],
  tolerations: [{ key: 'a', operator: 'Exists' }],
}
const labels = { app: 'web' }
const selector = { matchLabels: labels }
const template = { metadata: { labels }, spec: podSpec }
const jobSpec = { template: { spec: { ...podSpec, restartPolicy: 'Never' } } }
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }

/** Of kinds that random fields hardly ever make valid: one object each to start from, by `resource` or `resource.group`. */
export const VALID: Readonly<Record<string, JsonObject>> = {
  pods: { spec: podSpec },
  podtemplates: { template },
  services: { spec: { ports: [{ port: 80, name: 'http' }], selector: labels, type: 'NodePort' } },
  replicationcontrollers: { spec: { replicas: 1, selector: labels, template } },
  persistentvolumeclaims: {
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 'fast' },
  },
  persistentvolumes: {
    spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' } },
  },
  limitranges: {
    spec: {
      limits: [{ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '100m' }, max: { cpu: '2' } }],
    },
  },
  resourcequotas: { spec: { hard: { pods: '10', 'requests.cpu': '5' }, scopes: ['NotTerminating'] } },
  events: { involvedObject: { kind: 'Pod', name: 'a', namespace: 'fuzz-a' }, reason: 'Started', type: 'Normal' },
  'deployments.apps': { spec: { replicas: 2, selector, template } },
  'replicasets.apps': { spec: { replicas: 2, selector, template } },
  'statefulsets.apps': { spec: { replicas: 2, selector, template, serviceName: 'a' } },
  'daemonsets.apps': { spec: { selector, template } },
  'jobs.batch': { spec: jobSpec },
  'cronjobs.batch': { spec: { schedule: '* * * * *', jobTemplate: { spec: jobSpec } } },
  'horizontalpodautoscalers.autoscaling': {
    spec: { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' }, maxReplicas: 3 },
  },
  'ingresses.networking.k8s.io': {
    spec: {
      rules: [
        {
          host: 'example.test',
          http: {
            paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 80 } } } }],
          },
        },
      ],
    },
  },
  'endpointslices.discovery.k8s.io': {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'] }],
    ports: [{ port: 80, name: 'http', protocol: 'TCP' }],
  },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'a' },
    subjects: [{ kind: 'User', name: 'a', apiGroup: 'rbac.authorization.k8s.io' }],
  },
  'rolebindings.rbac.authorization.k8s.io': {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' },
    subjects: [{ kind: 'ServiceAccount', name: 'a', namespace: 'default' }],
  },
  'customresourcedefinitions.apiextensions.k8s.io': {
    spec: {
      group: 'fuzz.test',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema,
          subresources: {
            status: {},
            scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
          },
        },
      ],
    },
  },
  'roles.rbac.authorization.k8s.io': {
    rules: [
      { apiGroups: ['', 'apps'], resources: ['pods', 'deployments/scale'], verbs: ['get', '*'], resourceNames: ['a'] },
    ],
  },
  'clusterroles.rbac.authorization.k8s.io': {
    rules: [{ nonResourceURLs: ['/metrics', '/api/*'], verbs: ['get'] }],
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { aggregate: 'yes' } }] },
  },
  'tokenreviews.authentication.k8s.io': { spec: { token: 'abc.def.ghi', audiences: ['x'] } },
  'subjectaccessreviews.authorization.k8s.io': {
    spec: {
      user: 'jane',
      groups: ['a'],
      resourceAttributes: { namespace: 'fuzz-a', verb: 'get', resource: 'pods', group: '*' },
    },
  },
  'localsubjectaccessreviews.authorization.k8s.io': {
    spec: { user: 'jane', resourceAttributes: { namespace: 'fuzz-a', verb: 'create', resource: 'pods' } },
  },
  'selfsubjectaccessreviews.authorization.k8s.io': {
    spec: { nonResourceAttributes: { path: '/metrics', verb: 'get' } },
  },
  'selfsubjectrulesreviews.authorization.k8s.io': { spec: { namespace: 'fuzz-a' } },
  'selfsubjectreviews.authentication.k8s.io': {},
  'leases.coordination.k8s.io': { spec: { holderIdentity: 'a', leaseDurationSeconds: 15 } },
  'poddisruptionbudgets.policy': { spec: { minAvailable: 1, selector } },
  'networkpolicies.networking.k8s.io': { spec: { podSelector: selector, policyTypes: ['Ingress'] } },
  configmaps: { data: { a: 'b' }, binaryData: { c: 'YQ==' } },
  secrets: { stringData: { a: 'b' }, type: 'Opaque' },
  'priorityclasses.scheduling.k8s.io': { value: 100 },
  'storageclasses.storage.k8s.io': { provisioner: 'example.test/none', allowVolumeExpansion: true },
}
