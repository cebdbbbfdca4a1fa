import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { enforcesItsLimits } from '../decide/enforced-limits.ts'
import { mergeDiff } from '../../../schema/patch/merge-diff.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { isNotFound } from '../../../machinery/status.ts'
import {
  type Controller,
  type ControllerSource,
  type ReconcileRequest,
  type ReconcileResult,
  watches,
} from '../../../operator/shell/controller.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'
import { RESOURCE_QUOTAS } from './resource-quotas.ts'

export interface QuotaStatusKeeperOptions {
  /** Of the controller. */
  readonly name: string
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'logger'>
  /** Those that the system keeps. */
  readonly quotas: Pick<CacheView<ResourceQuota>, 'get' | 'onChange' | 'observeWrite'>
}

/** How long the cluster's controller may take to bring a new limit into force, before it is done for it. */
const PATIENCE_MS = 5_000

/**
 * Puts back what somebody wrote to the status of a generated ResourceQuota, which is what admission goes by. The cluster's own
 * controller does so only when it counts anew, minutes later. Writing a limit that `spec.hard` has is always safe: it is what
 * that controller would write.
 */
export class QuotaStatusKeeper implements Controller {
  readonly name: string
  readonly sources: readonly ControllerSource[]
  readonly #options: QuotaStatusKeeperOptions
  /** Until when the controller has time for a quota, of the monotonic clock. */
  readonly #deadlines = new Map<string, number>()
  /** Those that are looked at again anyway, when their time may be over. */
  readonly #awaited = new Set<string>()
  /** Those that somebody was seen to change. */
  readonly #changed = new Set<string>()

  constructor(options: QuotaStatusKeeperOptions) {
    this.#options = options
    this.name = options.name
    this.sources = [
      watches(options.quotas, (old, quota, { namespace, name }) => this.#requests(`${namespace}/${name}`, old, quota)),
    ]
  }

  /** `key`: `namespace/name` of the quota. */
  async reconcile(key: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { quotas, context } = this.#options
    const [namespace = '', name = ''] = key.split('/')
    const quota = quotas.get(namespace, name)
    const now = context.clock.monotonic()
    if (quota === undefined || isInForce(quota)) this.#forget(key)
    else if (this.#changed.has(key) || (this.#deadlines.get(key) ?? Infinity) <= now) {
      await this.#restore(key, quota, signal)
      this.#forget(key)
    } else {
      this.#awaited.add(key)
      return { requeueAfter: this.#deadlineOf(key) - now }
    }
    return {}
  }

  #requests(
    key: string,
    old: ResourceQuota | undefined,
    quota: ResourceQuota | undefined,
  ): readonly ReconcileRequest[] {
    if (quota === undefined || isInForce(quota)) {
      this.#deadlines.delete(key)
      return []
    }
    this.#deadlineOf(key)
    // The controller changes no limit that is in force: it was somebody else.
    const isChanged = old !== undefined && isInForce(old) && isSameLimit(old, quota)
    if (isChanged) this.#changed.add(key)
    return isChanged || !this.#awaited.has(key) ? [{ key }] : []
  }

  /** The controller has its time from the moment on at which a limit is seen that is not in force. */
  #deadlineOf(key: string): number {
    const known = this.#deadlines.get(key)
    const deadline = known ?? this.#options.context.clock.monotonic() + PATIENCE_MS
    if (known === undefined) this.#deadlines.set(key, deadline)
    return deadline
  }

  #forget(key: string): void {
    this.#deadlines.delete(key)
    this.#awaited.delete(key)
    this.#changed.delete(key)
  }

  async #restore(key: string, quota: ResourceQuota, signal: AbortSignal): Promise<void> {
    const { context, quotas } = this.#options
    const { namespace = '', name = '' } = quota.metadata
    const patch = mergeDiff(asJson(quota.status), { ...asJson(quota.status), hard: restored(quota) })
    if (patch === undefined) return
    const metadata = { resourceVersion: quota.metadata.resourceVersion }
    try {
      const body = { metadata, status: patch }
      await quotas.observeWrite({ namespace, name }, this.name, () =>
        context.client.patch(
          RESOURCE_QUOTAS,
          { namespace, name },
          { type: 'merge', body },
          { subresource: 'status', signal },
        ),
      )
    } catch (error) {
      if (isNotFound(error)) return
      throw error
    }
    if (this.#changed.has(key))
      context.logger.warn({ namespace, name }, 'the status of a quota was changed by somebody else and is put back')
    else
      context.logger.info(
        { namespace, name },
        'the limit of a quota was brought into force for a controller that is late',
      )
  }
}

/** One that nobody has counted yet is the controller's business. */
const isInForce = (quota: ResourceQuota): boolean => enforcesItsLimits(quota) ?? true

/** The limits to enforce. A resource that was never counted is not limited before it is. */
function restored({ spec, status }: ResourceQuota): JsonObject {
  const used = status?.used ?? {}
  const hard = status?.hard ?? {}
  return Object.fromEntries(
    Object.entries(spec?.hard ?? {}).flatMap(([name, amount]) => {
      const kept = Object.hasOwn(used, name) ? amount : hard[name]
      return kept === undefined ? [] : [[name, kept]]
    }),
  )
}

const isSameLimit = (old: ResourceQuota, { metadata, spec }: ResourceQuota): boolean =>
  old.metadata.uid === metadata.uid && JSON.stringify(old.spec) === JSON.stringify(spec)

const asJson = (value: object | undefined): JsonObject => (value ?? {}) as JsonObject
