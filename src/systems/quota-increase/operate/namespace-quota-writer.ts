import { Counter, type Registry } from '@prometheus-io/client'
import { withProgress } from '../../../api/progress.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { type QuotaIncrease, quotaIncrease } from '../api/quota-increase.ts'
import { isResourceQuota, type ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import type { IncreaseOutcome, IncreasesOutcome } from '../decide/apply-increases.ts'
import { isKeptBy, isLeaving } from '../decide/generated-quota.ts'
import {
  type IncreaseChange,
  isNone,
  type NamespaceChange,
  type NamespacePlan,
  planNamespace,
  refusedChange,
  refusedIncreases,
} from '../decide/namespace-plan.ts'
import { cutText, inOneLine } from '../../../machinery/text/shown.ts'
import { ApiError, conflict, isNotFound } from '../../../machinery/status.ts'
import { inParallel } from '../../../runtime/tasks/in-parallel.ts'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import { NAMESPACES } from '../../../operator/cluster/keep-namespace.ts'
import { isEndingNamespace, isPassing, obstacleIn } from '../../generated-quota/operate/write-error.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { BaseQuotaWriter, QuotaTakenError } from './base-quota-writer.ts'
import { NAMESPACE_QUOTAS } from './increase-controllers.ts'
import { UnselectedIncreases } from './unselected-increases.ts'
import type { FollowedDefinitions } from './definitions-controller.ts'
import { type IncreaseCaches, keepIncrease, keepState } from './increase-caches.ts'

export interface NamespaceWriterOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'logger' | 'recorder'>
  readonly caches: IncreaseCaches
  readonly followed: FollowedDefinitions
  readonly provider: string
  readonly deleted: Counter
}

/** How many increases of one namespace are written at a time. */
const WRITES = 4
/** How soon an increase is written again that has no room for what is written on it. */
const WRITE_AGAIN_MS = 60_000
/** So much of the reason stands on a namespace. */
const MOST_REASON = 1_000

/** Makes the counter of the increases that were deleted because they contribute nothing. */
export const deletedIncreases = (registry: Registry): Counter =>
  new Counter({
    name: 'allot_quota_increases_deleted_total',
    help: 'Quota increases that were deleted because they contribute nothing',
    registers: [registry],
  })

/** Writes what was planned for namespaces, in the order of the plan. */
export class NamespaceWriter {
  readonly #options: NamespaceWriterOptions
  readonly #quotas: BaseQuotaWriter
  readonly #unselected: UnselectedIncreases

  constructor(options: NamespaceWriterOptions) {
    this.#options = options
    this.#quotas = new BaseQuotaWriter(options)
    this.#unselected = new UnselectedIncreases(options.context.recorder)
  }

  /** Somebody else has changed what a quota allows. */
  sawChange(namespace: string, name: string): void {
    this.#quotas.sawChange(namespace, name)
  }

  /**
   * Says whether all was written, or after how many milliseconds to go on. An increase that has no room for what is written on it is left out.
   * Rejects as `KubeClient` does, and with QuotaTakenError; the namespace says why then.
   */
  async write(name: string, plan: NamespacePlan, signal: AbortSignal): Promise<number | undefined> {
    let isComplete = true
    let isBlocked = true
    this.#unselected.report(name, plan.unselected)
    try {
      await this.#patchNamespace(name, plan.take, signal)
      if (plan.follows !== undefined) {
        const { definition, outcome } = plan.follows
        const again = await this.#quotas.write(name, definition, plan.quota, signal)
        if (again !== undefined) return again
        this.#reportUse(name, outcome)
      }
      isBlocked = false
      await this.#patchNamespace(name, plan.standing, signal)
      await inParallel(plan.increases, WRITES, async (change) => {
        isComplete = (await this.#writeIncrease(change, signal)) && isComplete
      })
      if (plan.deletions.length > 0) await this.#deleteIneffective(name, plan.deletions, signal)
      const orphans = await this.#confirmOrphans(name, plan.orphans, signal)
      await this.#patchNamespace(name, plan.release, signal)
      await inParallel(orphans, WRITES, (quota) => this.#quotas.deleteOrphan(quota, signal))
      return isComplete ? undefined : WRITE_AGAIN_MS
    } catch (error) {
      if (isEndingNamespace(error)) return undefined
      await this.#reportFailure(name, isBlocked ? plan : undefined, error, signal)
      throw error
    }
  }

  async #patchNamespace(name: string, change: NamespaceChange, signal: AbortSignal): Promise<void> {
    const { labels, annotations } = change
    if (isNone(labels) && isNone(annotations)) return
    const { context, caches } = this.#options
    const uid = caches.namespaces.get('', name)?.uid
    const metadata = { uid, ...(isNone(labels) ? {} : { labels }), ...(isNone(annotations) ? {} : { annotations }) }
    const body = { metadata }
    await caches.namespaces.observeWrite({ namespace: '', name }, NAMESPACE_QUOTAS, () =>
      context.client.patch(NAMESPACES, { namespace: '', name }, { type: 'merge', body }, { signal }),
    )
  }

  /**
   * False where the server refuses the write, for example because the annotations of the increase are full. Its author must not keep the
   * others from applying.
   */
  async #writeIncrease(
    { increase, labels, annotations, problem, status }: IncreaseChange,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { context, caches } = this.#options
    const { namespace = '', name = '', uid } = increase.metadata
    const metadata = { uid, ...(isNone(labels) ? {} : { labels }), ...(isNone(annotations) ? {} : { annotations }) }
    try {
      if (!isNone(labels) || !isNone(annotations)) await this.#patchIncrease(increase, { metadata }, '', signal)
      if (status !== undefined) {
        const { observedGeneration, progress } = status
        const known = increase.status?.conditions ?? []
        const conditions = withProgress(known, progress, timestamp(context.clock.now()))
        const body = { metadata: { uid }, status: { observedGeneration, conditions } }
        await this.#patchIncrease(increase, body, 'status', signal)
      }
    } catch (error) {
      // A deleted object needs no report.
      if (isNotFound(error) && caches.increases.get(namespace, name)?.metadata.uid !== uid) return true
      const obstacle = obstacleIn(error)
      if (obstacle === undefined) throw error
      const note = `the increase cannot say what it contributes: ${obstacle}`
      context.logger.warn({ namespace, name, error }, 'an increase cannot be written, and the others are')
      context.recorder.record({
        regarding: increase,
        type: 'Warning',
        reason: 'NotWritten',
        action: 'Reconciled',
        note,
      })
      return false
    }
    if (problem === undefined) return true
    const { reason, message } = problem
    const type = reason === 'Expired' ? 'Normal' : 'Warning'
    const note =
      reason === 'Expired' ? `the increase counts as absent: ${message}` : `the increase does not apply: ${message}`
    context.recorder.record({ regarding: increase, type, reason, action: 'Reconciled', note })
    return true
  }

  async #patchIncrease(
    { metadata: { namespace = '', name = '' } }: QuotaIncrease,
    body: JsonObject,
    subresource: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { context, caches } = this.#options
    await caches.increases.observeWrite({ namespace, name }, NAMESPACE_QUOTAS, () =>
      context.client.patch(quotaIncrease, { namespace, name }, { type: 'merge', body }, { subresource, signal }),
    )
  }

  /**
   * Deletes increases that contribute nothing. The caches may be late, and a deleted increase is lost. So all that decides is read once
   * more. An increase goes only if it is as it was read.
   */
  async #deleteIneffective(name: string, found: readonly IncreaseOutcome[], signal: AbortSignal): Promise<void> {
    const { context, deleted } = this.#options
    const { client, logger, recorder } = context
    const plan = await this.#planAnew(name, signal)
    if (plan === undefined) return
    const known = new Set(found.map(({ increase }) => increase.metadata.uid))
    const sure = plan.deletions.filter(({ increase }) => known.has(increase.metadata.uid))
    await inParallel(sure, WRITES, async ({ increase }) => {
      const { namespace: of = '', name: increaseName = '', uid = '', resourceVersion = '' } = increase.metadata
      try {
        await client.delete(quotaIncrease, { namespace: of, name: increaseName }, { uid, resourceVersion, signal })
      } catch (error) {
        if (isNotFound(error)) return
        throw error
      }
      deleted.inc()
      logger.info({ namespace: of, name: increaseName }, 'an increase was deleted that contributes nothing')
      const note = `deleted, since it contributes nothing to the quota ${plan.follows?.definition.name ?? ''}`
      recorder.record({ regarding: increase, type: 'Normal', reason: 'Ineffective', action: 'Deleted', note })
    })
  }

  /**
   * Returns the quotas that are to go, as they are read after all of them were marked. Another replica may have begun to lead and keep one of them, for
   * which it need not write it. So each is marked first: a marked quota is kept only after the mark was taken away, and then the deletion fails.
   */
  async #confirmOrphans(
    name: string,
    found: readonly ResourceQuota[],
    signal: AbortSignal,
  ): Promise<readonly ResourceQuota[]> {
    const leaving = found.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    if (leaving.length === 0) return []
    await inParallel(leaving, WRITES, (quota) => this.#quotas.mark(quota, signal))
    const orphans = (await this.#planAnew(name, signal))?.orphans.filter(isLeaving) ?? []
    return leaving.map(({ metadata }) => {
      const sure = orphans.find(({ metadata: { uid } }) => uid === metadata.uid)
      if (sure === undefined) throw conflict(RESOURCE_QUOTAS, metadata.name ?? '', 'the quota is kept after all')
      return sure
    })
  }

  /** Plans from what the server has now; undefined if no definitions are known. */
  async #planAnew(name: string, signal: AbortSignal): Promise<NamespacePlan | undefined> {
    const { context, provider, followed } = this.#options
    const { client, clock } = context
    const definitions = followed.current
    if (definitions === undefined) return undefined
    const [namespace, { items }, quotas] = await Promise.all([
      client.get(NAMESPACES, { namespace: '', name }, { signal }),
      client.list(quotaIncrease, { namespace: name, signal }),
      client.list(RESOURCE_QUOTAS, { namespace: name, signal }),
    ])
    return planNamespace({
      definitions,
      provider,
      namespace: keepState(namespace, asIs, undefined),
      quotas: quotas.items.filter(isResourceQuota).filter((quota) => isKeptBy(quota, provider)),
      increases: items.map((item) => keepIncrease(item, asIs, undefined)),
      now: clock.now(),
    })
  }

  #reportUse(name: string, { missing }: IncreasesOutcome): void {
    if (missing === undefined) return
    const note = `the namespace names the increase ${JSON.stringify(missing)}, which does not exist; only the base quota applies`
    this.#report(name, 'UnknownIncrease', note)
  }

  /**
   * Says on the namespace, on its increases and in an Event why it cannot have its quota. The failure itself is what is thrown then, whatever comes
   * of this. `blocked`: the plan whose quota was not written, if that is what failed.
   */
  async #reportFailure(
    name: string,
    blocked: NamespacePlan | undefined,
    error: unknown,
    signal: AbortSignal,
  ): Promise<void> {
    const { caches, context } = this.#options
    const isLasting = error instanceof QuotaTakenError || (error instanceof ApiError && !isPassing(error))
    if (!isLasting) return
    this.#report(name, 'QuotaBlocked', error.message)
    const namespace = caches.namespaces.get('', name)
    if (namespace === undefined) return
    const why = cutText(inOneLine(error.message), MOST_REASON)
    try {
      await this.#patchNamespace(name, refusedChange(namespace, caches.quotasIn(name), why), signal)
      const increases = blocked === undefined ? [] : refusedIncreases(blocked, why)
      await inParallel(increases, WRITES, async (change) => void (await this.#writeIncrease(change, signal)))
    } catch (failure) {
      context.logger.warn({ namespace: name, error: failure }, 'a namespace cannot say why it lacks its quota')
    }
  }

  #report(name: string, reason: string, note: string): void {
    const uid = this.#options.caches.namespaces.get('', name)?.uid
    const regarding = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...(uid === undefined ? {} : { uid }) } }
    this.#options.context.recorder.record({ regarding, type: 'Warning', reason, action: 'Reconciled', note })
  }
}

const asIs = (text: string): string => text
