import { isConflict, isNotFound } from '../../../machinery/status.ts'
import type { ServerResource } from '../../../kube/client/server-resources.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { isUnfit } from '../../generated-quota/operate/write-error.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import type { QuotaTracker } from '../../counted/quota-tracker.ts'
import type { KarmadaQuotaTracking } from './tracking.ts'
import type { TrackedKarmadaQuota } from './tracked-quota.ts'
import { isWaiting, type WaitingBinding } from './waiting-bindings.ts'

/** So many bindings are rescheduled together, the oldest first; the others follow. */
const BATCH = 20
const NEXT_BATCH_MS = 500
/** So often a binding is read and written that somebody else writes at the same time. */
const MOST_TRIES = 4
/** A binding is not rescheduled more often: the scheduler may find again that it does not fit. */
const LEAST_BETWEEN_MS = 5_000

/**
 * Makes Karmada's scheduler try refused bindings again as soon as room comes back. By itself, the scheduler tries again
 * only after minutes. It ignores updates that leave the spec as it was, so `spec.rescheduleTriggeredAt` is written.
 * Only bindings that run nowhere are changed, because the scheduler could move others.
 */
export class BindingRescheduler {
  readonly #context: Pick<OperatorContext, 'client' | 'clock'>
  readonly #tracker: Pick<QuotaTracker<TrackedKarmadaQuota>, 'in'>
  readonly #tracking: Pick<KarmadaQuotaTracking, 'waiting' | 'resource'>
  /** How often each quota had been freed when it was last looked at. */
  readonly #freed = new WeakMap<TrackedKarmadaQuota, number>()
  /** When room last came back in each namespace, in milliseconds of the monotonic clock. */
  readonly #freedAt = new Map<string, number>()
  /** When waiting bindings were rescheduled, by namespace and uid. */
  readonly #rescheduledAt = new Map<string, Map<string, number>>()
  /** The bindings that waited in namespaces whose last quota went, and have not been rescheduled since. Nobody watches them. */
  readonly #unwatched = new Map<string, readonly WaitingBinding[]>()

  constructor(
    context: Pick<OperatorContext, 'client' | 'clock'>,
    tracker: Pick<QuotaTracker<TrackedKarmadaQuota>, 'in'>,
    tracking: Pick<KarmadaQuotaTracking, 'waiting' | 'resource'>,
  ) {
    this.#context = context
    this.#tracker = tracker
    this.#tracking = tracking
  }

  /** To be called when a quota of a namespace goes, while it is known which bindings wait there. */
  quotaGone(namespace: string): void {
    this.#freedAt.set(namespace, this.#context.clock.monotonic())
    if (this.#tracker.in(namespace).length > 0) return
    const waiting = this.#tracking.waiting.in(namespace)
    if (waiting.length > 0) this.#unwatched.set(namespace, waiting)
  }

  /**
   * Reschedules the bindings that waited when a quota of the namespace went. Where other quotas are left these may refuse them again. Returns the
   * milliseconds until others are due.
   */
  async rescheduleAfterDeletion(namespace: string, signal: AbortSignal): Promise<number | undefined> {
    const [other] = this.#tracker.in(namespace)
    if (other !== undefined) return await this.reschedule(other, signal)
    const { resource } = this.#tracking
    const waiting = this.#unwatched.get(namespace) ?? []
    const ready = new Set(this.#ready(namespace, waiting).slice(0, BATCH))
    if (resource !== undefined) for (const one of ready) await this.#rescheduleUnwatched(resource, one, signal)
    // More may wait by now: another quota came and went.
    const left = (this.#unwatched.get(namespace) ?? []).filter((one) => !ready.has(one))
    if (left.length > 0 && resource !== undefined) {
      this.#unwatched.set(namespace, left)
      return NEXT_BATCH_MS
    }
    for (const known of [this.#unwatched, this.#freedAt, this.#rescheduledAt]) known.delete(namespace)
    return undefined
  }

  /**
   * Reschedules the bindings of the quota's namespace that were not rescheduled since room came back. Among them are bindings that were
   * refused a moment before and say so only now. Returns the milliseconds until others are due.
   */
  async reschedule(tracked: TrackedKarmadaQuota, signal: AbortSignal): Promise<number | undefined> {
    const { namespace } = tracked.ref
    // The quota may have gone during the reconcile: `rescheduleAfterDeletion` is next, and needs what is known of its bindings.
    const quotas = this.#tracker.in(namespace)
    if (!quotas.includes(tracked)) return undefined
    // No write of a binding is allowed before the spec is mended, which brings another look.
    if (quotas.some(({ problems }) => problems.length > 0)) return undefined
    // They are watched again.
    this.#unwatched.delete(namespace)
    const now = this.#context.clock.monotonic()
    if (this.#wasFreed(tracked)) this.#freedAt.set(namespace, now)
    const freedAt = this.#freedAt.get(namespace) ?? now
    const waiting = this.#tracking.waiting.in(namespace)
    const rescheduled = this.#rescheduledAmong(namespace, waiting)
    const due = waiting.filter(({ uid }) => (rescheduled.get(uid) ?? -Infinity) < freedAt)
    const ready = this.#ready(namespace, due)
    const written = []
    const { resource } = this.#tracking
    for (const binding of ready.slice(0, BATCH)) {
      if (resource === undefined) break
      // Room may come back while it is written, which other reconciles must compare with now.
      const before = rescheduled.get(binding.uid)
      rescheduled.set(binding.uid, now)
      let isWritten = false
      try {
        isWritten = await this.#write(resource, binding, signal)
      } finally {
        if (!isWritten) restore(rescheduled, binding.uid, before)
      }
      if (isWritten) written.push(binding)
    }
    return written.length < due.length ? NEXT_BATCH_MS : undefined
  }

  /** Those that may be rescheduled again. */
  #ready(namespace: string, bindings: readonly WaitingBinding[]): readonly WaitingBinding[] {
    const rescheduled = this.#rescheduledAt.get(namespace)
    const until = this.#context.clock.monotonic() - LEAST_BETWEEN_MS
    return bindings.filter(({ uid }) => (rescheduled?.get(uid) ?? -Infinity) <= until)
  }

  /** A replica that begins to lead does not know what was freed before. */
  #wasFreed(tracked: TrackedKarmadaQuota): boolean {
    const before = this.#freed.get(tracked)
    this.#freed.set(tracked, tracked.timesFreed)
    return before !== tracked.timesFreed
  }

  /** When those of these bindings were rescheduled that were. The others are forgotten. */
  #rescheduledAmong(namespace: string, waiting: readonly WaitingBinding[]): Map<string, number> {
    const rescheduled = this.#rescheduledAt.get(namespace) ?? new Map<string, number>()
    const uids = new Set(waiting.map(({ uid }) => uid))
    for (const uid of rescheduled.keys()) if (!uids.has(uid)) rescheduled.delete(uid)
    if (waiting.length === 0) this.#rescheduledAt.delete(namespace)
    else this.#rescheduledAt.set(namespace, rescheduled)
    return rescheduled
  }

  /** It may have changed since it was last seen, and may do so again. */
  async #rescheduleUnwatched(resource: ServerResource, binding: WaitingBinding, signal: AbortSignal): Promise<void> {
    const { namespace, name, uid } = binding
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      try {
        const object = await this.#context.client.get(resource, { namespace, name }, { signal })
        const { resourceVersion: version = '' } = object.metadata
        if (object.metadata.uid !== uid || !isWaiting(object)) return
        if (await this.#write(resource, { ...binding, version }, signal)) return
      } catch (error) {
        if (isNotFound(error)) return
        throw error
      }
    }
  }

  /**
   * Says whether the binding was written: one that has changed since may run somewhere now. One that the server takes no write of
   * counts as written, since another try would keep the others waiting.
   */
  async #write(
    resource: ServerResource,
    { namespace, name, uid, version }: WaitingBinding,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { client, clock } = this.#context
    const body = {
      metadata: { uid, resourceVersion: version },
      spec: { rescheduleTriggeredAt: timestamp(clock.now()) },
    }
    try {
      await client.patch(resource, { namespace, name }, { type: 'merge', body }, { signal })
      return true
    } catch (error) {
      if (isNotFound(error)) this.#tracking.waiting.forget(namespace, name)
      if (isNotFound(error) || isConflict(error)) return false
      if (isUnfit(error)) return true
      throw error
    }
  }
}

function restore(times: Map<string, number>, uid: string, before: number | undefined): void {
  if (before === undefined) times.delete(uid)
  else times.set(uid, before)
}
