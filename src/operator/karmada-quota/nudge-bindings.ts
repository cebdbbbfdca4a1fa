import { isConflict, isNotFound } from '../../machinery/status.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import type { OperatorContext } from '../system.ts'
import type { KarmadaQuotaTracker } from './quota-tracker.ts'
import type { TrackedKarmadaQuota } from './tracked-quota.ts'
import type { WaitingBinding } from './waiting-bindings.ts'

/** So many bindings are nudged together, the oldest first; the others follow. */
const BATCH = 20
const NEXT_BATCH_MS = 500
/** A binding is not nudged more often: the scheduler may find again that it does not fit. */
const LEAST_BETWEEN_MS = 5_000

/**
 * Has Karmada's scheduler try bindings again that a quota refused, as soon as room comes back. The scheduler ignores updates that leave
 * the spec as it was, and tries bindings again by itself only after minutes; so `spec.rescheduleTriggeredAt` is written, and only on
 * bindings that run nowhere, since the scheduler could move others.
 */
export class BindingNudger {
  readonly #context: Pick<OperatorContext, 'client' | 'clock'>
  readonly #tracker: KarmadaQuotaTracker
  /** How often each quota had been freed when it was last looked at. */
  readonly #freed = new WeakMap<TrackedKarmadaQuota, number>()
  /** When room last came back in each namespace, in milliseconds of the monotonic clock. */
  readonly #freedAt = new Map<string, number>()
  /** When waiting bindings were nudged, by namespace and uid. */
  readonly #nudgedAt = new Map<string, Map<string, number>>()

  constructor(context: Pick<OperatorContext, 'client' | 'clock'>, tracker: KarmadaQuotaTracker) {
    this.#context = context
    this.#tracker = tracker
  }

  /**
   * Nudges the bindings of the quota's namespace that were not nudged since room came back, those among them that were refused a moment
   * before and say so only now. Returns the milliseconds until others are due.
   */
  async nudge(tracked: TrackedKarmadaQuota, signal: AbortSignal): Promise<number | undefined> {
    const { namespace } = tracked.ref
    const now = this.#context.clock.monotonic()
    if (this.#wasFreed(tracked)) this.#freedAt.set(namespace, now)
    const freedAt = this.#freedAt.get(namespace) ?? now
    const waiting = this.#tracker.waiting.in(namespace)
    const nudged = this.#nudgedAmong(namespace, waiting)
    const due = waiting.filter(({ uid }) => (nudged.get(uid) ?? -Infinity) < freedAt)
    const ready = due.filter(({ uid }) => now - (nudged.get(uid) ?? -Infinity) >= LEAST_BETWEEN_MS)
    const written = []
    for (const binding of ready.slice(0, BATCH)) {
      if (!(await this.#write(binding, signal))) continue
      nudged.set(binding.uid, now)
      written.push(binding)
    }
    return written.length < due.length ? NEXT_BATCH_MS : undefined
  }

  /** A replica that begins to lead does not know what was freed before. */
  #wasFreed(tracked: TrackedKarmadaQuota): boolean {
    const before = this.#freed.get(tracked)
    this.#freed.set(tracked, tracked.timesFreed)
    return before !== tracked.timesFreed
  }

  /** When those of these bindings were nudged that were. The others are forgotten. */
  #nudgedAmong(namespace: string, waiting: readonly WaitingBinding[]): Map<string, number> {
    const known = this.#nudgedAt.get(namespace)
    const kept = waiting.flatMap(({ uid }): [string, number][] => {
      const at = known?.get(uid)
      return at === undefined ? [] : [[uid, at]]
    })
    const nudged = new Map(kept)
    if (waiting.length === 0) this.#nudgedAt.delete(namespace)
    else this.#nudgedAt.set(namespace, nudged)
    return nudged
  }

  /** Says whether the binding was written: one that has changed since may run somewhere now. */
  async #write({ namespace, name, uid, version }: WaitingBinding, signal: AbortSignal): Promise<boolean> {
    const { client, clock } = this.#context
    const { watched } = this.#tracker.bindings
    if (watched === undefined) return false
    const body = {
      metadata: { uid, resourceVersion: version },
      spec: { rescheduleTriggeredAt: timestamp(clock.now()) },
    }
    try {
      await client.patch(watched.resource, { namespace, name }, { type: 'merge', body }, { signal })
      return true
    } catch (error) {
      if (isNotFound(error)) this.#tracker.waiting.forget(namespace, name)
      if (isNotFound(error) || isConflict(error)) return false
      throw error
    }
  }
}
