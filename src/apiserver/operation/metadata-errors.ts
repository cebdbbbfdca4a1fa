import type { FieldError } from '../../machinery/field-error.ts'
import { pathSegmentName } from '../../machinery/names.ts'
import type { ObjectMeta } from '../../machinery/object.ts'
import { validateCoreFinalizers, validateObjectMeta, validateObjectMetaUpdate } from '../../machinery/object-meta.ts'
import type { Resource } from '../resource/registry.ts'

/**
 * Kinds that take any qualified name for a finalizer. The other built-in kinds follow the stricter rule of the core
 * group: a name without a domain must be a standard one.
 */
const FREE_FINALIZERS: ReadonlySet<string> = new Set([
  'apiservices.apiregistration.k8s.io',
  'customresourcedefinitions.apiextensions.k8s.io',
  'events',
  'leases.coordination.k8s.io',
  'mutatingwebhookconfigurations.admissionregistration.k8s.io',
  'poddisruptionbudgets.policy',
  'runtimeclasses.node.k8s.io',
  'validatingwebhookconfigurations.admissionregistration.k8s.io',
])

/**
 * How often a kind's own rules for an update check the metadata, after the check for every kind. Usually they check it
 * once as an update and once as a whole. Each time tells the same mistakes again.
 */
const ROUNDS: Readonly<Record<string, number>> = {
  'clusterrolebindings.rbac.authorization.k8s.io': 3,
  'clusterroles.rbac.authorization.k8s.io': 3,
  'cronjobs.batch': 1,
  'csidrivers.storage.k8s.io': 1,
  'customresourcedefinitions.apiextensions.k8s.io': 1,
  'deployments.apps': 1,
  'endpointslices.discovery.k8s.io': 1,
  events: 0,
  'horizontalpodautoscalers.autoscaling': 1,
  'leases.coordination.k8s.io': 1,
  limitranges: 1,
  'mutatingwebhookconfigurations.admissionregistration.k8s.io': 1,
  persistentvolumeclaims: 3,
  'poddisruptionbudgets.policy': 0,
  podtemplates: 1,
  'priorityclasses.scheduling.k8s.io': 1,
  'rolebindings.rbac.authorization.k8s.io': 3,
  'roles.rbac.authorization.k8s.io': 3,
  'validatingwebhookconfigurations.admissionregistration.k8s.io': 1,
}
const USUAL_ROUNDS = 2

/** Returns the errors of the stricter rule for finalizers, where the kind has it. */
export function finalizerErrors({ served, bucket }: Resource, { finalizers }: ObjectMeta): readonly FieldError[] {
  return served.custom === true || FREE_FINALIZERS.has(bucket)
    ? []
    : validateCoreFinalizers(finalizers, 'metadata.finalizers')
}

/** Kinds whose own rules for the change of other fields come before the check as a whole. */
const WHOLE_LAST: ReadonlySet<string> = new Set(['configmaps', 'secrets'])

/**
 * Returns the errors of the metadata of an update, as often as upstream reports them, around the errors of the rest by the
 * kind's own rules.
 */
export function metadataErrors(
  resource: Resource,
  subresource: string,
  updated: ObjectMeta,
  old: ObjectMeta,
  others: readonly FieldError[],
): readonly FieldError[] {
  const rules = { namespaced: resource.served.namespaced, nameRule: pathSegmentName }
  const whole = validateObjectMeta(updated, rules)
  const change = validateObjectMetaUpdate(updated, old)
  const own = finalizerErrors(resource, updated)
  if (whole.length + change.length + own.length === 0) return others
  const rounds = resource.served.custom === true || subresource !== '' ? 1 : (ROUNDS[resource.bucket] ?? USUAL_ROUNDS)
  const [first = [], ...more] = Array.from({ length: rounds }, (_, round) => [
    ...(round === 0 ? change : whole),
    ...own,
  ])
  const start = [...whole, ...change, ...first]
  return WHOLE_LAST.has(resource.bucket) ? [...start, ...others, ...more.flat()] : [...start, ...more.flat(), ...others]
}
