import { qualified, type GroupResource } from '../../machinery/status.ts'
import type { Evaluator, Evaluators } from '../evaluator.ts'
import { countedObject, countedResource } from './object-count.ts'
import { persistentVolumeClaimEvaluator } from './persistent-volume-claim.ts'
import { podEvaluator } from './pod.ts'
import { resourceClaimEvaluator } from './resource-claim.ts'
import { serviceEvaluator } from './service.ts'

/** Evaluators by resource. Any other resource is charged for its objects' number alone. */
export class EvaluatorTable implements Evaluators {
  /** The evaluators of the kinds that are known by more than their number. */
  readonly entries: readonly Evaluator[]
  readonly #byResource: ReadonlyMap<string, Evaluator>
  readonly #neverCharged: ReadonlySet<string>

  /** `neverCharged`: resources as `pods` or `deployments.apps`. */
  constructor(entries: readonly Evaluator[], neverCharged: ReadonlySet<string>) {
    this.entries = entries
    this.#byResource = new Map(entries.map((entry) => [qualified(entry), entry]))
    this.#neverCharged = neverCharged
  }

  /**
   * Returns the evaluator of a namespaced resource: its own, or one that counts objects. Returns undefined for a
   * resource that is never charged.
   */
  of(resource: GroupResource): Evaluator | undefined {
    const id = qualified(resource)
    const own = this.#byResource.get(id)
    if (own !== undefined) return own
    return this.#neverCharged.has(id) ? undefined : countedObject(resource)
  }

  /** The evaluators that count towards some of these names. A `count/…` name stands for its resource, served or not. */
  countingTowards(names: readonly string[]): readonly Evaluator[] {
    const found = new Map<string, Evaluator>()
    for (const [id, evaluator] of this.#byResource)
      if (names.some((name) => evaluator.counts(name))) found.set(id, evaluator)
    for (const name of names) {
      const resource = countedResource(name)
      const evaluator = resource === undefined ? undefined : this.of(resource)
      if (evaluator?.counts(name) === true) found.set(qualified(evaluator), evaluator)
    }
    return [...found.values()]
  }
}

/**
 * The evaluators that charge Kubernetes' objects to ResourceQuotas (upstream `pkg/quota/v1/evaluator/core`). Cluster-scoped objects
 * are not charged either; the caller knows the scope of a resource.
 */
export const QUOTA_EVALUATORS = new EvaluatorTable(
  [
    podEvaluator,
    serviceEvaluator,
    persistentVolumeClaimEvaluator,
    resourceClaimEvaluator,
    countedObject({ group: '', resource: 'configmaps' }, 'configmaps'),
    countedObject({ group: '', resource: 'secrets' }, 'secrets'),
    countedObject({ group: '', resource: 'replicationcontrollers' }, 'replicationcontrollers'),
    countedObject({ group: '', resource: 'resourcequotas' }, 'resourcequotas'),
  ],
  new Set([
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
  ]),
)
