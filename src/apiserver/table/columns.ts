import type { MutatingAdmissionPolicy, ValidatingAdmissionPolicy } from '../../builtin/admissionregistration-v1.ts'
import * as access from './access-columns.ts'
import * as admission from './admission-columns.ts'
import { column, type Column } from './column.ts'
import * as config from './config-columns.ts'
import { podColumns, podTemplateColumns } from './pod-columns.ts'
import * as device from './device-columns.ts'
import * as scaling from './scaling-columns.ts'
import * as server from './server-columns.ts'
import { resourceQuotaColumns } from './quota-columns.ts'
import * as service from './service-columns.ts'
import { specOf } from '../../machinery/read.ts'
import { ageColumn, ageOf, nameColumn } from './shared-columns.ts'
import * as storage from './storage-columns.ts'
import * as workload from './workload-columns.ts'

/** The columns of a kind without its own, custom resources too: name and age. */
const PLAIN: readonly Column[] = [
  nameColumn,
  column('Age', 'Time since the object was created.', (object, { now }) => ageOf(object, now), { type: 'date' }),
]

const nameAndAge: readonly Column[] = [nameColumn, ageColumn]

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  pods: podColumns,
  podtemplates: podTemplateColumns,
  resourcequotas: resourceQuotaColumns,
  limitranges: access.createdColumns,
  namespaces: config.namespaceColumns,
  nodes: config.nodeColumns,
  configmaps: config.configMapColumns,
  secrets: config.secretColumns,
  serviceaccounts: config.serviceAccountColumns,
  events: config.eventColumns,
  'events.events.k8s.io': config.eventColumns,
  componentstatuses: config.componentStatusColumns,
  'leases.coordination.k8s.io': config.leaseColumns,
  'leasecandidates.coordination.k8s.io': config.leaseCandidateColumns,
  services: service.serviceColumns,
  endpoints: service.endpointsColumns,
  'endpointslices.discovery.k8s.io': service.endpointSliceColumns,
  'ingresses.networking.k8s.io': service.ingressColumns,
  'ingressclasses.networking.k8s.io': service.ingressClassColumns,
  'networkpolicies.networking.k8s.io': service.networkPolicyColumns,
  'ipaddresses.networking.k8s.io': service.ipAddressColumns,
  'servicecidrs.networking.k8s.io': service.serviceCidrColumns,
  persistentvolumeclaims: storage.claimColumns,
  persistentvolumes: storage.volumeColumns,
  'storageclasses.storage.k8s.io': storage.storageClassColumns,
  'volumeattributesclasses.storage.k8s.io': storage.volumeAttributesClassColumns,
  'volumeattachments.storage.k8s.io': storage.volumeAttachmentColumns,
  'csidrivers.storage.k8s.io': storage.csiDriverColumns,
  'csinodes.storage.k8s.io': storage.csiNodeColumns,
  'csistoragecapacities.storage.k8s.io': storage.csiStorageCapacityColumns,
  'deployments.apps': workload.deploymentColumns,
  'replicasets.apps': workload.replicaSetColumns,
  'statefulsets.apps': workload.statefulSetColumns,
  'daemonsets.apps': workload.daemonSetColumns,
  'controllerrevisions.apps': workload.controllerRevisionColumns,
  replicationcontrollers: workload.replicationControllerColumns,
  'jobs.batch': workload.jobColumns,
  'cronjobs.batch': workload.cronJobColumns,
  'poddisruptionbudgets.policy': scaling.disruptionBudgetColumns,
  'horizontalpodautoscalers.autoscaling': scaling.autoscalerColumns,
  'priorityclasses.scheduling.k8s.io': scaling.priorityClassColumns,
  'roles.rbac.authorization.k8s.io': access.createdColumns,
  'clusterroles.rbac.authorization.k8s.io': access.createdColumns,
  'rolebindings.rbac.authorization.k8s.io': access.roleBindingColumns,
  'clusterrolebindings.rbac.authorization.k8s.io': access.roleBindingColumns,
  'customresourcedefinitions.apiextensions.k8s.io': access.createdColumns,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': admission.webhookConfigurationColumns,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': admission.webhookConfigurationColumns,
  'validatingadmissionpolicies.admissionregistration.k8s.io': admission.admissionPolicyColumns(
    'Validations',
    (object: ValidatingAdmissionPolicy) => specOf(object).validations,
  ),
  'validatingadmissionpolicybindings.admissionregistration.k8s.io': admission.admissionPolicyBindingColumns,
  'mutatingadmissionpolicies.admissionregistration.k8s.io': admission.admissionPolicyColumns(
    'Mutations',
    (object: MutatingAdmissionPolicy) => specOf(object).mutations,
  ),
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': admission.admissionPolicyBindingColumns,
  'certificatesigningrequests.certificates.k8s.io': access.signingRequestColumns,
  'clustertrustbundles.certificates.k8s.io': access.trustBundleColumns,
  'resourceclaims.resource.k8s.io': device.resourceClaimColumns,
  'resourceclaimtemplates.resource.k8s.io': nameAndAge,
  'resourceslices.resource.k8s.io': device.resourceSliceColumns,
  'deviceclasses.resource.k8s.io': nameAndAge,
  'runtimeclasses.node.k8s.io': scaling.runtimeClassColumns,
  'flowschemas.flowcontrol.apiserver.k8s.io': server.flowSchemaColumns,
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': server.priorityLevelColumns,
  'apiservices.apiregistration.k8s.io': server.apiServiceColumns,
}

/** The printed columns of a resource, `pods` or `deployments.apps`; for one that has none of its own: name and age. */
export const columnsOf = (resource: string): readonly Column[] =>
  Object.hasOwn(COLUMNS, resource) ? (COLUMNS[resource] ?? PLAIN) : PLAIN
