import { Counter, type Registry } from '@prometheus-io/client'
import { PROBLEM_ANNOTATION } from '../../api/quota-increase/increase-names.ts'
import { quotaIncrease } from '../../api/quota-increase/quota-increase.ts'
import { isResourceQuota, type ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { IncreaseOutcome, IncreasesOutcome } from '../../grants/increases/apply-increases.ts'
import { managersReset } from '../../grants/foreign-metadata.ts'
import { isKeptBy } from '../../grants/increases/generated-quota.ts'
import {
  type IncreaseChange,
  isNone,
  type MetadataChange,
  type NamespacePlan,
  planNamespace,
  type QuotaStep,
} from '../../grants/increases/namespace-plan.ts'
import { ApiError, isAlreadyExists, isNotFound } from '../../machinery/status.ts'
import { inParallel } from '../../runtime/tasks/in-parallel.ts'
import { RESOURCE_QUOTAS } from '../generated-quota/resource-quotas.ts'
import { NAMESPACES } from '../keep-namespace.ts'
import { isEndingNamespace, isPassing, isUnfit } from '../generated-quota/write-error.ts'
import type { OperatorContext } from '../system.ts'
import { NAMESPACE_QUOTAS } from './controllers.ts'
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

/** Makes the counter of the increases that were deleted because they contribute nothing. */
export const deletedIncreases = (registry: Registry): Counter =>
  new Counter({
    name: 'allot_quota_increases_deleted_total',
    help: 'Quota increases that were deleted because they contribute nothing',
    registers: [registry],
  })

/** Another object has the name of a quota and belongs to another controller. */
class QuotaTakenError extends Error {
  constructor(quota: string, owner: string) {
    super(`the ResourceQuota ${quota} belongs to ${owner}; rename the definition or delete the quota`)
    this.name = 'QuotaTakenError'
  }
}

/** Writes what was planned for namespaces, in the order of the plan. */
export class NamespaceWriter {
  readonly #options: NamespaceWriterOptions
  /** Quotas that somebody else was seen to change, as `namespace/name`. */
  readonly #changed = new Set<string>()

  constructor(options: NamespaceWriterOptions) {
    this.#options = options
  }

  /** Somebody else has changed what a quota allows. */
  sawChange(namespace: string, name: string): void {
    this.#changed.add(`${namespace}/${name}`)
  }

  /** Rejects as `KubeClient` does, and with QuotaTakenError; other parts that do not rest on what failed are written. */
  async write(name: string, plan: NamespacePlan, signal: AbortSignal): Promise<void> {
    try {
      await this.#patchNamespace(name, plan.claim, signal)
      await this.#writeQuota(name, plan.quota, signal)
      if (plan.follows !== undefined) {
        this.#changed.delete(`${name}/${plan.follows.definition.name}`)
        this.#reportUse(name, plan.follows.outcome)
      }
      await inParallel(plan.increases, WRITES, (change) => this.#writeIncrease(change, plan, signal))
      if (plan.deletions.length > 0) await this.#deleteIneffective(name, plan.deletions, signal)
      await this.#patchNamespace(name, plan.release, signal)
      await inParallel(plan.orphans, WRITES, (quota) => this.#deleteOrphan(quota, signal))
    } catch (error) {
      if (isEndingNamespace(error)) return
      this.#reportFailure(name, error)
      throw error
    }
  }

  async #patchNamespace(name: string, labels: MetadataChange, signal: AbortSignal): Promise<void> {
    if (isNone(labels)) return
    const { context, caches } = this.#options
    const uid = caches.namespaces.get('', name)?.uid
    const body = { metadata: { uid, labels } }
    const written = await context.client.patch(NAMESPACES, { namespace: '', name }, { type: 'merge', body }, { signal })
    caches.namespaces.observed(written, NAMESPACE_QUOTAS)
  }

  async #writeQuota(namespace: string, step: QuotaStep, signal: AbortSignal): Promise<void> {
    const { client } = this.#options.context
    switch (step.kind) {
      case 'none':
      case 'wait':
        return
      case 'create':
        return await this.#create(step.quota, signal)
      case 'update':
        this.#reportReverted(namespace, step.old, step.quota)
        return this.#observed(await client.update(RESOURCE_QUOTAS, step.quota, { signal }))
      case 'let-go':
        return void (await client.update(RESOURCE_QUOTAS, step.quota, { signal }))
      case 'replace':
        await this.#try(step.quota, signal)
        await this.#delete(step.old, signal)
        return await this.#create(step.quota, signal)
      default:
        return step satisfies never
    }
  }

  #observed(written: ResourceQuota): void {
    this.#options.caches.quotas.observed(written, NAMESPACE_QUOTAS)
  }

  async #create(quota: ResourceQuota, signal: AbortSignal): Promise<void> {
    const { client } = this.#options.context
    try {
      this.#observed(await client.create(RESOURCE_QUOTAS, quota, { signal }))
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
      await this.#takeOver(quota, signal)
    }
  }

  /** A quota of the name is there without the labels that are watched: made by somebody, or its labels were taken away. */
  async #takeOver(quota: ResourceQuota, signal: AbortSignal): Promise<void> {
    const { client } = this.#options.context
    const { namespace = '', name = '' } = quota.metadata
    const found = await client.get(RESOURCE_QUOTAS, { namespace, name }, { signal })
    if (!isResourceQuota(found)) return
    const [wanted] = quota.metadata.ownerReferences ?? []
    const owner = found.metadata.ownerReferences?.find(({ controller }) => controller === true)
    if (owner !== undefined && owner.uid !== wanted?.uid)
      throw new QuotaTakenError(`${namespace}/${name}`, `${owner.kind} ${owner.name}`)
    const { uid, resourceVersion, creationTimestamp } = found.metadata
    const over = {
      ...quota,
      metadata: {
        ...quota.metadata,
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
        ...managersReset(found),
      },
    }
    this.#observed(await client.update(RESOURCE_QUOTAS, over, { signal }))
  }

  /** Rejects as the server would reject the quota: only that there is one of its name already is no reason. */
  async #try(quota: ResourceQuota, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.context.client.create(RESOURCE_QUOTAS, quota, { dryRun: true, signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
  }

  async #delete({ metadata }: ResourceQuota, signal: AbortSignal): Promise<void> {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata
    const { client } = this.#options.context
    await client.delete(RESOURCE_QUOTAS, { namespace, name }, { uid, resourceVersion, signal })
  }

  async #deleteOrphan(quota: ResourceQuota, signal: AbortSignal): Promise<void> {
    if (quota.metadata.deletionTimestamp !== undefined) return
    await this.#delete(quota, signal)
    const { namespace, name } = quota.metadata
    this.#options.context.logger.info({ namespace, name }, 'a quota was deleted that no definition keeps any more')
  }

  async #writeIncrease(
    { increase, labels, annotations }: IncreaseChange,
    { follows }: NamespacePlan,
    signal: AbortSignal,
  ): Promise<void> {
    const { context, caches } = this.#options
    const { namespace = '', name = '', uid } = increase.metadata
    const metadata = { uid, ...(isNone(labels) ? {} : { labels }), ...(isNone(annotations) ? {} : { annotations }) }
    try {
      const patch = { type: 'merge', body: { metadata } } as const
      const written = await context.client.patch(quotaIncrease, { namespace, name }, patch, { signal })
      caches.increases.observed(written, NAMESPACE_QUOTAS)
    } catch (error) {
      // A deleted object needs no report.
      if (isNotFound(error) && caches.increases.get(namespace, name)?.metadata.uid !== uid) return
      if (!isUnfit(error)) throw error
      // Its owner has filled it, so that no note can be added. The rest of the plan must not wait for that.
      context.logger.warn({ namespace, name, error }, 'an increase cannot be written')
    }
    const outcome = follows?.outcome.increases.find((one) => one.increase === increase)
    if (outcome?.problem === undefined || annotations[PROBLEM_ANNOTATION] === undefined) return
    const { reason, message } = outcome.problem
    const type = reason === 'Expired' ? 'Normal' : 'Warning'
    const note =
      reason === 'Expired' ? `the increase counts as absent: ${message}` : `the increase does not apply: ${message}`
    context.recorder.record({ regarding: increase, type, reason, action: 'Reconciled', note })
  }

  /**
   * Deletes increases that contribute nothing. The caches may be late, and what is deleted is lost, so all that decides is read
   * once more, and each goes only as it was read.
   */
  async #deleteIneffective(name: string, found: readonly IncreaseOutcome[], signal: AbortSignal): Promise<void> {
    const { context, provider, followed, deleted } = this.#options
    const { client, clock, logger, recorder } = context
    const definitions = followed.current
    if (definitions === undefined) return
    const [namespace, { items }, quotas] = await Promise.all([
      client.get(NAMESPACES, { namespace: '', name }, { signal }),
      client.list(quotaIncrease, { namespace: name, signal }),
      client.list(RESOURCE_QUOTAS, { namespace: name, signal }),
    ])
    const plan = planNamespace({
      definitions,
      provider,
      namespace: keepState(namespace, asIs, undefined),
      quotas: quotas.items.filter(isResourceQuota).filter((quota) => isKeptBy(quota, provider)),
      increases: items.map((item) => keepIncrease(item, asIs, undefined)),
      now: clock.now(),
    })
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

  #reportReverted(namespace: string, old: ResourceQuota, quota: ResourceQuota): void {
    const { context } = this.#options
    const name = quota.metadata.name ?? ''
    if (!this.#changed.delete(`${namespace}/${name}`)) return
    context.logger.warn({ namespace, name }, 'a quota was changed by somebody else and is put back')
    const note =
      'the quota was changed by somebody else and is put back; change its definition or the increases instead'
    context.recorder.record({ regarding: old, type: 'Warning', reason: 'Reverted', action: 'Updated', note })
  }

  #reportUse(name: string, { missing }: IncreasesOutcome): void {
    if (missing === undefined) return
    const note = `the namespace names the increase ${JSON.stringify(missing)}, which does not exist; only the base quota applies`
    this.#report(name, 'UnknownIncrease', note)
  }

  #reportFailure(name: string, error: unknown): void {
    if (error instanceof QuotaTakenError) return this.#report(name, 'QuotaBlocked', error.message)
    if (error instanceof ApiError && !isPassing(error)) this.#report(name, 'QuotaBlocked', error.message)
  }

  #report(name: string, reason: string, note: string): void {
    const uid = this.#options.caches.namespaces.get('', name)?.uid
    const regarding = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...(uid === undefined ? {} : { uid }) } }
    this.#options.context.recorder.record({ regarding, type: 'Warning', reason, action: 'Reconciled', note })
  }
}

const asIs = (text: string): string => text
