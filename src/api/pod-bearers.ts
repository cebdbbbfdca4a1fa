import type { GroupResource } from '../machinery/status.ts'
import { qualified } from '../machinery/status.ts'

/** The resources of Kubernetes whose objects are pods or hold a template of pods. */
const POD_BEARERS: ReadonlySet<string> = new Set([
  'pods',
  'podtemplates',
  'replicationcontrollers',
  'cronjobs.batch',
  'daemonsets.apps',
  'deployments.apps',
  'jobs.batch',
  'replicasets.apps',
  'statefulsets.apps',
])

/** Groups of Kubernetes' own: those without a dot, which no CRD can have, and `….k8s.io`. */
const OWN_GROUP = /^[^.]*$|^(?:.+\.)?k8s\.io$/

/** May objects of the resource bear pods? Those of custom resources may. */
export const mayBearPods = (resource: GroupResource): boolean =>
  POD_BEARERS.has(qualified(resource)) || !OWN_GROUP.test(resource.group)
