import { qualified, type GroupResource } from '../../machinery/status.ts'
import type { Evaluator } from '../evaluator.ts'
import { countedObject } from './object-count.ts'
import { persistentVolumeClaimEvaluator } from './persistent-volume-claim.ts'
import { podEvaluator } from './pod.ts'
import { resourceClaimEvaluator } from './resource-claim.ts'
import { serviceEvaluator } from './service.ts'

const ENTRIES: readonly Evaluator[] = [
  podEvaluator,
  serviceEvaluator,
  persistentVolumeClaimEvaluator,
  resourceClaimEvaluator,
  countedObject({ group: '', resource: 'configmaps' }, 'configmaps'),
  countedObject({ group: '', resource: 'secrets' }, 'secrets'),
  countedObject({ group: '', resource: 'replicationcontrollers' }, 'replicationcontrollers'),
  countedObject({ group: '', resource: 'resourcequotas' }, 'resourcequotas'),
]

/** The evaluators of the kinds that quotas know by more than their count, by `resource[.group]`. */
export const EVALUATORS: ReadonlyMap<string, Evaluator> = new Map(ENTRIES.map((entry) => [qualified(entry), entry]))

/** Never charged to any quota (reference 2.6). Objects outside namespaces are not either; who asks knows the scope. */
export const NEVER_CHARGED: ReadonlySet<string> = new Set([
  'bindings',
  'componentstatuses',
  'events',
  'events.events.k8s.io',
  'tokenreviews.authentication.k8s.io',
  'selfsubjectreviews.authentication.k8s.io',
  'subjectaccessreviews.authorization.k8s.io',
  'selfsubjectaccessreviews.authorization.k8s.io',
  'localsubjectaccessreviews.authorization.k8s.io',
  'selfsubjectrulesreviews.authorization.k8s.io',
])

/** The evaluator of a namespaced resource: its own, or that which counts objects; undefined for what is never charged. */
export function evaluatorFor(of: GroupResource): Evaluator | undefined {
  const id = qualified(of)
  const own = EVALUATORS.get(id)
  if (own !== undefined) return own
  return NEVER_CHARGED.has(id) ? undefined : countedObject(of)
}
