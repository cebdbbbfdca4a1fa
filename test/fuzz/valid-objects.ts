import { base64, signingRequest } from '../signing-request.ts'
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

const admissionRule = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments'] }
const webhook = {
  name: 'a.fuzz.test',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  failurePolicy: 'Ignore',
  clientConfig: { service: { name: 'a', namespace: 'default' } },
  rules: [{ apiGroups: ['fuzz.test'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nothings'] }],
}

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
  namespaces: {},
  nodes: { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
  serviceaccounts: { automountServiceAccountToken: false, imagePullSecrets: [{ name: 'a' }] },
  endpoints: { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }] },
  'events.events.k8s.io': {
    eventTime: '2026-11-20T10:00:00.000000Z',
    type: 'Normal',
    reason: 'Started',
    action: 'Start',
    reportingController: 'example.test/a',
    reportingInstance: 'a-0',
    regarding: { kind: 'Pod', name: 'a', namespace: 'fuzz-a' },
  },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    spec: {
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [admissionRule] },
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[]' } }],
    },
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    spec: { policyName: 'a', matchResources: { resourceRules: [admissionRule] } },
  },
  'validatingadmissionpolicies.admissionregistration.k8s.io': {
    spec: { matchConstraints: { resourceRules: [admissionRule] }, validations: [{ expression: 'true' }] },
  },
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': {
    spec: {
      policyName: 'a',
      validationActions: ['Deny', 'Audit'],
      matchResources: { resourceRules: [admissionRule], excludeResourceRules: [admissionRule] },
    },
  },
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': { webhooks: [webhook] },
  'validatingwebhookconfigurations.admissionregistration.k8s.io': { webhooks: [webhook] },
  'apiservices.apiregistration.k8s.io': {
    spec: {
      group: 'fuzz.test',
      version: 'v1',
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      service: { name: 'a', namespace: 'default' },
      insecureSkipTLSVerify: true,
    },
  },
  'controllerrevisions.apps': { revision: 1, data: { spec: { b: 1, a: 2 } } },
  'certificatesigningrequests.certificates.k8s.io': {
    spec: {
      signerName: 'example.test/signer',
      usages: ['digital signature', 'client auth'],
      request: base64(signingRequest()),
    },
  },
  'flowschemas.flowcontrol.apiserver.k8s.io': {
    spec: { priorityLevelConfiguration: { name: 'a' }, distinguisherMethod: { type: 'ByUser' } },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing: { queues: 8, handSize: 2 } } } },
  },
  'ingressclasses.networking.k8s.io': {
    spec: { controller: 'example.test/a', parameters: { kind: 'Thing', name: 'a', apiGroup: 'fuzz.test' } },
  },
  'ipaddresses.networking.k8s.io': {
    spec: { parentRef: { resource: 'services', name: 'a', namespace: 'default' } },
  },
  'servicecidrs.networking.k8s.io': { spec: { cidrs: ['10.99.0.0/24'] } },
  'runtimeclasses.node.k8s.io': { handler: 'runc', overhead: { podFixed: { cpu: '10m' } } },
  'deviceclasses.resource.k8s.io': { spec: { selectors: [{ cel: { expression: 'true' } }] } },
  'resourceclaims.resource.k8s.io': {
    spec: { devices: { requests: [{ name: 'a', exactly: { deviceClassName: 'gpu.example.test' } }] } },
  },
  'resourceclaimtemplates.resource.k8s.io': {
    spec: {
      spec: {
        devices: {
          requests: [{ name: 'a', firstAvailable: [{ name: 'b', deviceClassName: 'gpu.example.test', count: 2 }] }],
        },
      },
    },
  },
  'resourceslices.resource.k8s.io': {
    spec: {
      driver: 'gpu.example.test',
      nodeName: 'a',
      pool: { name: 'a', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'gpu-0', attributes: { model: { string: 'x' } } }],
    },
  },
  'csidrivers.storage.k8s.io': { spec: { attachRequired: false, tokenRequests: [{ audience: 'a' }] } },
  'csinodes.storage.k8s.io': { spec: { drivers: [{ name: 'csi.example.test', nodeID: 'a', topologyKeys: [] }] } },
  'csistoragecapacities.storage.k8s.io': { storageClassName: 'fast', capacity: '1Gi', nodeTopology: selector },
  'volumeattachments.storage.k8s.io': {
    spec: { attacher: 'csi.example.test', nodeName: 'a', source: { persistentVolumeName: 'a' } },
  },
  'volumeattributesclasses.storage.k8s.io': { driverName: 'csi.example.test', parameters: { iops: '3000' } },
  'storageclasses.storage.k8s.io': { provisioner: 'example.test/none', allowVolumeExpansion: true },
}
