import { oncePerObject } from '../../machinery/once-per-object.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { Type } from '../type/type.ts'

const POD_TEMPLATE = { metadata: {}, spec: { containers: null } }

/**
 * Returns Go's JSON of an object of the type in which nothing is set: the fields that its JSON always has. A new object is
 * compared with this one, so nobody owns these structs themselves, only their fields. Kinds of custom resources
 * start from nothing.
 */
export const zeroObject = oncePerObject((type: Type): JsonObject => zeroOf(type))

function zeroOf(type: Type): JsonObject {
  if (type.kind !== 'object' || !type.name.startsWith('io.k8s.')) return {}
  const known = ZEROS[type.name.slice('io.k8s.'.length)]
  if (known !== undefined) return { metadata: {}, ...known }
  if (!type.name.startsWith('io.k8s.api.')) return {}
  return Object.fromEntries(
    ['metadata', 'spec', 'status'].filter((name) => type.fields.has(name)).map((name) => [name, {}]),
  )
}

/** Definitions whose zero objects have more than an empty `spec` and `status`, or lack one. */
const ZEROS: Readonly<Record<string, JsonObject>> = {
  'api.apps.v1.ControllerRevision': { data: null, revision: 0 },
  'api.apps.v1.DaemonSet': {
    spec: { selector: null, template: POD_TEMPLATE, updateStrategy: {} },
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  },
  'api.apps.v1.Deployment': { spec: { selector: null, strategy: {}, template: POD_TEMPLATE }, status: {} },
  'api.apps.v1.ReplicaSet': { spec: { selector: null, template: POD_TEMPLATE }, status: { replicas: 0 } },
  'api.apps.v1.StatefulSet': {
    spec: { selector: null, serviceName: '', template: POD_TEMPLATE, updateStrategy: {} },
    status: { availableReplicas: 0, replicas: 0 },
  },
  'api.authentication.v1.SelfSubjectReview': { status: { userInfo: {} } },
  'api.authentication.v1.TokenRequest': {
    spec: { audiences: null, boundObjectRef: null, expirationSeconds: null },
    status: { expirationTimestamp: null, token: '' },
  },
  'api.authentication.v1.TokenReview': { spec: {}, status: { user: {} } },
  'api.authorization.v1.LocalSubjectAccessReview': { spec: {}, status: { allowed: false } },
  'api.authorization.v1.SelfSubjectAccessReview': { spec: {}, status: { allowed: false } },
  'api.authorization.v1.SelfSubjectRulesReview': {
    spec: {},
    status: { incomplete: false, nonResourceRules: null, resourceRules: null },
  },
  'api.authorization.v1.SubjectAccessReview': { spec: {}, status: { allowed: false } },
  'api.autoscaling.v1.HorizontalPodAutoscaler': {
    spec: { maxReplicas: 0, scaleTargetRef: { kind: '', name: '' } },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  },
  'api.autoscaling.v1.Scale': { spec: {}, status: { replicas: 0 } },
  'api.autoscaling.v2.HorizontalPodAutoscaler': {
    spec: { maxReplicas: 0, scaleTargetRef: { kind: '', name: '' } },
    status: { currentMetrics: null, desiredReplicas: 0 },
  },
  'api.batch.v1.CronJob': {
    spec: { jobTemplate: { metadata: {}, spec: { template: POD_TEMPLATE } }, schedule: '' },
    status: {},
  },
  'api.batch.v1.Job': { spec: { template: POD_TEMPLATE }, status: {} },
  'api.certificates.v1.CertificateSigningRequest': { spec: { request: null, signerName: '' }, status: {} },
  'api.certificates.v1alpha1.ClusterTrustBundle': { spec: { trustBundle: '' } },
  'api.certificates.v1beta1.ClusterTrustBundle': { spec: { trustBundle: '' } },
  'api.certificates.v1beta1.PodCertificateRequest': {
    spec: {
      nodeName: '',
      nodeUID: '',
      pkixPublicKey: null,
      podName: '',
      podUID: '',
      proofOfPossession: null,
      serviceAccountName: '',
      serviceAccountUID: '',
      signerName: '',
      stubPKCS10Request: null,
    },
    status: {},
  },
  'api.coordination.v1alpha2.LeaseCandidate': { spec: { binaryVersion: '', leaseName: '' } },
  'api.coordination.v1beta1.LeaseCandidate': { spec: { binaryVersion: '', leaseName: '' } },
  'api.core.v1.Binding': { target: {} },
  'api.core.v1.Event': {
    eventTime: null,
    firstTimestamp: null,
    involvedObject: {},
    lastTimestamp: null,
    reportingComponent: '',
    reportingInstance: '',
    source: {},
  },
  'api.core.v1.LimitRange': { spec: { limits: null } },
  'api.core.v1.Node': {
    spec: {},
    status: {
      daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
      nodeInfo: {
        architecture: '',
        bootID: '',
        containerRuntimeVersion: '',
        kernelVersion: '',
        kubeProxyVersion: '',
        kubeletVersion: '',
        machineID: '',
        operatingSystem: '',
        osImage: '',
        systemUUID: '',
      },
    },
  },
  'api.core.v1.PersistentVolumeClaim': { spec: { resources: {} }, status: {} },
  'api.core.v1.Pod': { spec: { containers: null }, status: {} },
  'api.core.v1.PodTemplate': { template: POD_TEMPLATE },
  'api.core.v1.ReplicationController': { spec: {}, status: { replicas: 0 } },
  'api.core.v1.Service': { spec: {}, status: { loadBalancer: {} } },
  'api.discovery.v1.EndpointSlice': { addressType: '', endpoints: null, ports: null },
  'api.events.v1.Event': {
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
    deprecatedSource: {},
    eventTime: null,
    regarding: {},
  },
  'api.flowcontrol.v1.FlowSchema': {
    spec: { matchingPrecedence: 0, priorityLevelConfiguration: { name: '' } },
    status: {},
  },
  'api.flowcontrol.v1.PriorityLevelConfiguration': { spec: { type: '' }, status: {} },
  'api.networking.v1.Ingress': { spec: {}, status: { loadBalancer: {} } },
  'api.networking.v1.NetworkPolicy': { spec: { podSelector: {} } },
  'api.node.v1.RuntimeClass': { handler: '' },
  'api.policy.v1.PodDisruptionBudget': {
    spec: {},
    status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 },
  },
  'api.rbac.v1.ClusterRole': { rules: null },
  'api.rbac.v1.ClusterRoleBinding': { roleRef: { apiGroup: '', kind: '', name: '' } },
  'api.rbac.v1.Role': { rules: null },
  'api.rbac.v1.RoleBinding': { roleRef: { apiGroup: '', kind: '', name: '' } },
  'api.resource.v1.ResourceClaim': { spec: { devices: { requests: null } }, status: {} },
  'api.resource.v1.ResourceClaimTemplate': { spec: { metadata: {}, spec: { devices: { requests: null } } } },
  'api.resource.v1.ResourceSlice': { spec: { driver: '', pool: { generation: 0, name: '', resourceSliceCount: 0 } } },
  'api.resource.v1alpha3.DeviceTaintRule': { spec: { taint: { effect: '', key: '' } }, status: {} },
  'api.resource.v1alpha3.ResourcePoolStatusRequest': { spec: { driver: '' } },
  'api.resource.v1beta1.ResourceClaim': { spec: { devices: { requests: null } }, status: {} },
  'api.resource.v1beta1.ResourceClaimTemplate': { spec: { metadata: {}, spec: { devices: { requests: null } } } },
  'api.resource.v1beta1.ResourceSlice': {
    spec: { driver: '', pool: { generation: 0, name: '', resourceSliceCount: 0 } },
  },
  'api.resource.v1beta2.DeviceTaintRule': { spec: { taint: { effect: '', key: '' } }, status: {} },
  'api.resource.v1beta2.ResourceClaim': { spec: { devices: { requests: null } }, status: {} },
  'api.resource.v1beta2.ResourceClaimTemplate': { spec: { metadata: {}, spec: { devices: { requests: null } } } },
  'api.resource.v1beta2.ResourceSlice': {
    spec: { driver: '', pool: { generation: 0, name: '', resourceSliceCount: 0 } },
  },
  'api.scheduling.v1.PriorityClass': { value: 0 },
  'api.scheduling.v1alpha2.PodGroup': { spec: { podGroupTemplateRef: null, schedulingPolicy: {} }, status: {} },
  'api.scheduling.v1alpha2.Workload': { spec: { podGroupTemplates: null } },
  'api.storage.v1.CSINode': { spec: { drivers: null } },
  'api.storage.v1.CSIStorageCapacity': { storageClassName: '' },
  'api.storage.v1.StorageClass': { provisioner: '' },
  'api.storage.v1.VolumeAttachment': { spec: { attacher: '', nodeName: '', source: {} }, status: { attached: false } },
  'api.storage.v1.VolumeAttributesClass': { driverName: '' },
  'api.storage.v1beta1.VolumeAttributesClass': { driverName: '' },
  'api.storagemigration.v1beta1.StorageVersionMigration': {
    spec: { resource: { group: '', resource: '' } },
    status: {},
  },
  'apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition': {
    spec: { group: '', names: { kind: '', plural: '' }, scope: '', versions: null },
    status: { acceptedNames: { kind: '', plural: '' }, conditions: null, storedVersions: null },
  },
  'kube-aggregator.pkg.apis.apiregistration.v1.APIService': {
    spec: { groupPriorityMinimum: 0, versionPriority: 0 },
    status: {},
  },
}
