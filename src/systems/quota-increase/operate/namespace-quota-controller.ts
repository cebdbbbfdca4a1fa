import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { type NamespacePlan, planNamespace } from '../decide/namespace-plan.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import {
  type Controller,
  type ControllerSource,
  reconciles,
  type ReconcileResult,
  watches,
} from '../../../operator/shell/controller.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { NAMESPACE_QUOTAS } from './increase-controllers.ts'
import type { FollowedDefinitions } from './definitions-controller.ts'
import type { IncreaseCaches } from './increase-caches.ts'
import type { NamespaceWriter } from './namespace-quota-writer.ts'

export interface NamespaceQuotaControllerOptions {
  readonly context: Pick<OperatorContext, 'clock'>
  readonly caches: IncreaseCaches
  readonly followed: FollowedDefinitions
  readonly writer: NamespaceWriter
  readonly provider: string
  readonly workers: number
}

/** Timers reach no further than 24 days; expiries that are later are looked at again on the way. */
const LONGEST_MS = 24 * 3600_000
/** While a quota waits until another is enforced, which some servers never say. */
const WAIT_MS = 61_000
/** A namespace with very many increases takes at most a tenth of the time of this process, however often they change. */
const REST_FACTOR = 9
const MOST_REST_MS = 5_000

/** Gives each namespace the quota of its definition, raised by its increases, and says on these what they contribute. */
export class NamespaceQuotaController implements Controller {
  readonly name = NAMESPACE_QUOTAS
  readonly workers: number
  readonly sources: readonly ControllerSource[]
  readonly #options: NamespaceQuotaControllerOptions

  constructor(options: NamespaceQuotaControllerOptions) {
    const { caches, workers } = options
    this.#options = options
    this.workers = workers
    this.sources = [
      reconciles(caches.namespaces),
      watches(caches.increases, (_, __, { namespace }) => [{ key: namespace }]),
      watches(caches.quotas, (old, quota, { namespace, name }) => {
        if (old !== undefined && quota !== undefined && isSameLimit(old, quota)) return []
        if (old !== undefined && quota !== undefined && !jsonEqual(old.spec, quota.spec))
          options.writer.sawChange(namespace, name)
        return [{ key: namespace }]
      }),
    ]
  }

  /** `name`: of the namespace. Rejects as `KubeClient` does, after everything else that could be done was done. */
  async reconcile(name: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { writer, context } = this.#options
    const began = context.clock.monotonic()
    const plan = this.plan(name)
    const tookMs = context.clock.monotonic() - began
    if (plan === undefined) return {}
    const again = await writer.write(name, plan, signal)
    const restFor = Math.min(tookMs * REST_FACTOR, MOST_REST_MS)
    const next = this.#next(name, plan, again)
    if (!(restFor > 0)) return next
    const { requeueAfter } = next
    return { ...(requeueAfter === undefined ? {} : { requeueAfter: Math.max(requeueAfter, restFor) }), restFor }
  }

  /** Returns the plan of a namespace; undefined if the namespace is gone or no definitions are known. */
  plan(name: string): NamespacePlan | undefined {
    const { caches, followed, provider, context } = this.#options
    const namespace = caches.namespaces.get('', name)
    const definitions = followed.current
    if (namespace === undefined || definitions === undefined) return undefined
    const quotas = caches.quotasIn(name)
    return planNamespace({
      definitions,
      provider,
      namespace,
      quotas,
      increases: caches.increases.list(name),
      now: context.clock.now(),
    })
  }

  #next(name: string, { follows, quota, orphans }: NamespacePlan, again: number | undefined): ReconcileResult {
    const { caches, context } = this.#options
    const expiry = follows?.outcome.nextExpiry
    const isWaiting = follows !== undefined && orphans.length === 0 && caches.quotasIn(name).length > 1
    const waits = [
      ...(expiry === undefined ? [] : [Math.max(expiry - context.clock.now(), 1)]),
      // The last write may be enforced already; the controller gets no events of its own writes.
      ...(isWaiting && again === undefined ? [quota.kind === 'none' ? WAIT_MS : 0] : []),
      ...(again === undefined ? [] : [again]),
    ]
    return waits.length === 0 ? {} : { requeueAfter: Math.min(...waits, LONGEST_MS) }
  }
}

/** Does only the usage of a quota change? Caches keep the very parts that did not change. */
const isSameLimit = (old: ResourceQuota, quota: ResourceQuota): boolean =>
  old.spec === quota.spec &&
  old.status?.hard === quota.status?.hard &&
  old.metadata.uid === quota.metadata.uid &&
  old.metadata.labels === quota.metadata.labels &&
  old.metadata.annotations === quota.metadata.annotations &&
  old.metadata.ownerReferences === quota.metadata.ownerReferences &&
  old.metadata.finalizers === quota.metadata.finalizers &&
  old.metadata.deletionTimestamp === quota.metadata.deletionTimestamp
