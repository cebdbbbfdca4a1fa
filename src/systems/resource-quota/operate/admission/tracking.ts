import { type ResourceQuota, scopeRequirements } from '../../../../kinds/resource-quota/resource-quota.ts'
import { type Evaluator, type Measuring, ScopeError } from '../../../../charges/evaluator.ts'
import { QUOTA_EVALUATORS } from '../../../../charges/evaluators/table.ts'
import { resourceClaimEvaluator } from '../../../../charges/evaluators/resource-claim.ts'
import { jsonEqual } from '../../../../machinery/json-value.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { qualified } from '../../../../machinery/status.ts'
import { QuantityError } from '../../../../quantity/quantity.ts'
import type { ServerResource } from '../../../../kube/client/server-resources.ts'
import { WorkQueue } from '../../../../runtime/tasks/work-queue.ts'
import type { QuotaTracking, TrackedQuotas } from '../../../counted/adapter.ts'
import type { Measured, QuotaPart } from '../../../counted/count/kind-counts.ts'
import type { FoundKind } from '../../../counted/kind-finder.ts'
import { keepQuota, RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import type { CacheView } from '../../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../../operator/system.ts'
import { partOf } from '../../decide/ledger-amounts.ts'
import { countsClaims, isClaims, ResourceClaimDependencies } from './resource-claim-dependencies.ts'
import { hardOf, TrackedResourceQuota } from './tracked-quota.ts'

export interface ResourceQuotaTrackingOptions {
  readonly context: Pick<OperatorContext, 'caches' | 'client' | 'clock' | 'logger'>
  /** Is this a quota that nobody should enforce? */
  readonly isIgnored: (quota: ResourceQuota) => boolean
}

/** The state that is followed besides quotas and the objects that they count. */
interface Followed {
  readonly tracker: TrackedQuotas<TrackedResourceQuota>
  /** The objects that the costs of ResourceClaims depend on. */
  readonly dependencies: ResourceClaimDependencies
  /** Counts the objects of a resource in a namespace again, whose costs change with time. */
  readonly expiring: WorkQueue
}

/** How ResourceQuotas count: by the evaluators of the API server, at costs that change with time and with other objects. */
export class ResourceQuotaTracking implements QuotaTracking<TrackedResourceQuota> {
  readonly quotas: ReadonlyMap<string, CacheView<ResourceQuota>>
  readonly isIgnored: (quota: ResourceQuota) => boolean
  readonly #context: ResourceQuotaTrackingOptions['context']
  #followed: Followed | undefined

  constructor({ context, isIgnored }: ResourceQuotaTrackingOptions) {
    this.#context = context
    this.isIgnored = isIgnored
    // A replica is ready when it knows them: API servers ask every one that is.
    this.quotas = new Map([[RESOURCE_QUOTAS.kind, context.caches.view({ kind: RESOURCE_QUOTAS, keep: keepQuota })]])
  }

  compile(quota: ResourceQuota): TrackedResourceQuota {
    return new TrackedResourceQuota(quota)
  }

  update(tracked: TrackedResourceQuota, quota: ResourceQuota): void {
    tracked.hard = hardOf(quota)
  }

  countsAlike(old: ResourceQuota, quota: ResourceQuota): boolean {
    return (
      jsonEqual(Object.keys(hardOf(old)).toSorted(), Object.keys(hardOf(quota)).toSorted()) &&
      jsonEqual(scopeRequirements(old.spec), scopeRequirements(quota.spec))
    )
  }

  succeed(former: TrackedResourceQuota, tracked: TrackedResourceQuota): void {
    const isWidened = tracked.rule.names.some((name) => !former.rule.names.includes(name))
    tracked.widenedBy = isWidened ? (tracked.quota.metadata.resourceVersion ?? '') : former.widenedBy
  }

  /** No object exists of a kind that the API server does not serve. */
  problemOf(_: TrackedResourceQuota, { error }: FoundKind): string | undefined {
    return error === undefined ? undefined : 'the API server does not say what it serves'
  }

  partsOf({ rule }: TrackedResourceQuota, resource: ServerResource): readonly QuotaPart[] {
    const evaluator = QUOTA_EVALUATORS.of(resource)
    return evaluator === undefined
      ? []
      : rule.countedBy(evaluator).map((limit) => ({ name: partOf(evaluator, limit), amount: limit }))
  }

  measure(object: KubeObject, resource: ServerResource): (tracked: TrackedResourceQuota) => Measured | undefined {
    const evaluator = QUOTA_EVALUATORS.of(resource)
    if (evaluator === undefined) return () => undefined
    this.#noteExpiry(evaluator, object)
    const measuring = this.measuring()
    return ({ rule }) => {
      try {
        return rule.match(object, evaluator).counted ? { amounts: evaluator.usage(object, measuring) } : undefined
      } catch (error) {
        if (!(error instanceof ScopeError) && !(error instanceof QuantityError)) throw error
        return { problem: error.message }
      }
    }
  }

  /** Returns the inputs with which objects are measured now. */
  measuring(): Measuring {
    return { now: this.#context.clock.now(), lookup: this.#followed?.dependencies.lookup }
  }

  begun(tracker: TrackedQuotas<TrackedResourceQuota>): void {
    const { logger } = this.#context
    const expiring = new WorkQueue({
      work: (place) => this.#countAgain(place),
      onError: (place, error) => logger.warn({ place, error }, 'the objects of a quota could not be counted again'),
    })
    const dependencies = new ResourceClaimDependencies({
      context: this.#context,
      onChange: (namespace) => expiring.add(`${qualified(resourceClaimEvaluator)}/${namespace}`),
      onState: () => {
        for (const tracked of tracker.all) if (countsClaims(tracked)) tracker.resolve(tracked.key)
      },
    })
    this.#followed = { tracker, dependencies, expiring }
  }

  async ended(): Promise<void> {
    const followed = this.#followed
    this.#followed = undefined
    followed?.dependencies.stop()
    await followed?.expiring.stop()
  }

  added(tracked: TrackedResourceQuota): void {
    this.#followed?.dependencies.want(tracked)
  }

  dropped(tracked: TrackedResourceQuota): void {
    this.#followed?.dependencies.release(tracked)
  }

  /** Claims are measured when it is known what their costs depend on, which says so when it is listed. */
  mustWait(found: readonly FoundKind[]): boolean {
    const isWaiting = this.#followed?.dependencies.isListed === false
    return isWaiting && found.some(({ resource }) => resource !== undefined && isClaims(resource))
  }

  #noteExpiry(evaluator: Evaluator, object: KubeObject): void {
    const at = evaluator.expiry?.(object)
    const now = this.#context.clock.now()
    if (at === undefined || at < now) return
    this.#followed?.expiring.addAfter(`${qualified(evaluator)}/${object.metadata.namespace ?? ''}`, at - now + 1)
  }

  async #countAgain(place: string): Promise<void> {
    const slash = place.indexOf('/')
    const namespace = place.slice(slash + 1)
    for (const { resource, counted, inNamespace } of this.#followed?.tracker.kinds.all ?? []) {
      if (qualified(resource) !== place.slice(0, slash)) continue
      if (namespace === '') await counted.list()
      else if (inNamespace.has(namespace)) await counted.list(namespace)
    }
  }
}
