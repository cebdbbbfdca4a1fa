import type { QuotaDefinition } from '../api/quota-definition.ts'
import { isResourceQuota, type ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { type QuotaStep, stepOver } from '../decide/namespace-plan.ts'
import { isKeptBy, isLeaving, markedLeaving } from '../decide/generated-quota.ts'
import { otherKeeper, poolOf } from '../decide/quota-keeper.ts'
import { roomForQuota } from '../../generated-quota/decide/room-for-quota.ts'
import { isAlreadyExists, isForbidden, isNotFound } from '../../../machinery/status.ts'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { NAMESPACE_QUOTAS } from './increase-controllers.ts'
import type { IncreaseCaches } from './increase-caches.ts'

export interface BaseQuotaWriterOptions {
  readonly context: Pick<OperatorContext, 'client' | 'logger' | 'recorder'>
  readonly caches: Pick<IncreaseCaches, 'quotas'>
  /** The manager of the quotas, as their label names it. */
  readonly provider: string
}

/** How often another quota may come into the place of one that was made free before somebody else has to be waited for. */
const MOST_TRIES = 4
/** How soon it is looked whether raised limits are in force: twice as late each time. */
const AGAIN_MS = { first: 100, last: 30_000 } as const

/** Another object has the name of a quota and belongs to another keeper. */
export class QuotaTakenError extends Error {
  constructor(quota: string, keeper: string) {
    super(`the ResourceQuota ${quota} belongs to ${keeper}; rename the definition or delete the quota`)
    this.name = 'QuotaTakenError'
  }
}

/** Writes the ResourceQuotas of definitions. */
export class BaseQuotaWriter {
  readonly #options: BaseQuotaWriterOptions
  /** Quotas that somebody else was seen to change, as `namespace/name`. */
  readonly #changed = new Set<string>()
  /** How often in a row room was waited for, by namespace. */
  readonly #waits = new Map<string, number>()

  constructor(options: BaseQuotaWriterOptions) {
    this.#options = options
  }

  /** Somebody else has changed what a quota allows. */
  sawChange(namespace: string, name: string): void {
    this.#changed.add(`${namespace}/${name}`)
  }

  /**
   * Returns after how many milliseconds to try again where room for the quota is being made; undefined: it is written. Rejects as `KubeClient`
   * does, and with QuotaTakenError.
   */
  async write(
    namespace: string,
    definition: QuotaDefinition,
    step: QuotaStep,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    try {
      await this.#write(definition, step, signal)
    } catch (error) {
      const isMaking = 'quota' in step && isForbidden(error) && (await this.#makeRoom(step.quota, signal))
      if (!isMaking) throw error
      const tries = this.#waits.get(namespace) ?? 0
      this.#waits.set(namespace, tries + 1)
      return Math.min(AGAIN_MS.first * 2 ** tries, AGAIN_MS.last)
    }
    this.#waits.delete(namespace)
    this.#changed.delete(`${namespace}/${definition.name}`)
    return undefined
  }

  /** Raises the limits on the number of quotas that keep one out. Says whether it will have room, once these are in force. */
  async #makeRoom(quota: ResourceQuota, signal: AbortSignal): Promise<boolean> {
    const { context, provider } = this.#options
    const { client, logger, recorder } = context
    const { namespace = '', name = '' } = quota.metadata
    const { items } = await client.list(RESOURCE_QUOTAS, { namespace, signal })
    const { raises, isAwaited, obstacles } = roomForQuota(items.filter(isResourceQuota), poolOf)
    if (obstacles.length > 0) return false
    for (const raised of raises) {
      await client.update(RESOURCE_QUOTAS, raised, { signal })
      logger.info({ namespace, name: raised.metadata.name, for: name }, 'a limit was raised to make room for a quota')
      if (isKeptBy(raised, provider)) continue
      const note = `the limit on the number of quotas is raised, so that the base quota ${name} has room`
      recorder.record({ regarding: raised, type: 'Normal', reason: 'Raised', action: 'Updated', note })
    }
    return isAwaited || raises.length > 0
  }

  /** Marks a quota that is about to be deleted. A writer that keeps the quota has to write it first, and then its deletion fails. */
  async mark(quota: ResourceQuota, signal: AbortSignal): Promise<void> {
    if (isLeaving(quota)) return
    const marked = markedLeaving(quota)
    await this.#observeWrite(marked, () => this.#options.context.client.update(RESOURCE_QUOTAS, marked, { signal }))
  }

  async deleteOrphan(quota: ResourceQuota, signal: AbortSignal): Promise<void> {
    await this.#delete(quota, signal)
    const { namespace, name } = quota.metadata
    this.#options.context.logger.info({ namespace, name }, 'a quota was deleted that no definition keeps any more')
  }

  async #write(definition: QuotaDefinition, step: QuotaStep, signal: AbortSignal): Promise<void> {
    const { client } = this.#options.context
    switch (step.kind) {
      case 'none':
      case 'wait':
        return
      case 'update':
        this.#reportReverted(step.old, step.quota)
        return await this.#observeWrite(step.quota, () => client.update(RESOURCE_QUOTAS, step.quota, { signal }))
      case 'let-go':
        return await this.#letGo(step.quota, signal)
      case 'replace':
        await this.#makeWay(step.old, step.quota, signal)
        return await this.#create(step.quota, definition, signal)
      case 'create':
        return await this.#create(step.quota, definition, signal)
      default:
        return step satisfies never
    }
  }

  async #observeWrite({ metadata }: ResourceQuota, write: () => Promise<ResourceQuota>): Promise<void> {
    const { namespace = '', name = '' } = metadata
    await this.#options.caches.quotas.observeWrite({ namespace, name }, NAMESPACE_QUOTAS, write)
  }

  /** A client that makes quotas of the name all the time may be faster than one try. */
  async #create(quota: ResourceQuota, definition: QuotaDefinition, signal: AbortSignal): Promise<void> {
    const { client } = this.#options.context
    for (let tries = 1; ; tries++)
      try {
        return await this.#observeWrite(quota, () => client.create(RESOURCE_QUOTAS, quota, { signal }))
      } catch (error) {
        if (!isAlreadyExists(error) || tries === MOST_TRIES) throw error
        if (await this.#takeOver(quota, definition, signal)) return
      }
  }

  /**
   * A quota of the name is there without the labels that are watched: made by somebody, or its labels were taken away. Says whether it has become
   * the wanted one; else its place is free or becomes so.
   */
  async #takeOver(quota: ResourceQuota, definition: QuotaDefinition, signal: AbortSignal): Promise<boolean> {
    const found = await this.#find(quota, signal)
    if (found === undefined) return false
    const keeper = otherKeeper(found, quota)
    if (keeper !== undefined) throw new QuotaTakenError(`${quota.metadata.namespace ?? ''}/${definition.name}`, keeper)
    const step = stepOver(found, quota, definition)
    switch (step.kind) {
      case 'none':
        this.#options.caches.quotas.observed(found, NAMESPACE_QUOTAS)
        return true
      case 'update':
        await this.#observeWrite(step.quota, () =>
          this.#options.context.client.update(RESOURCE_QUOTAS, step.quota, { signal }),
        )
        return true
      case 'replace':
        await this.#makeWay(found, quota, signal)
        return false
      case 'let-go':
        await this.#letGo(step.quota, signal)
        return false
      case 'wait':
        return false
      default:
        return step satisfies never
    }
  }

  async #find({ metadata }: ResourceQuota, signal: AbortSignal): Promise<ResourceQuota | undefined> {
    const { namespace = '', name = '' } = metadata
    try {
      const found = await this.#options.context.client.get(RESOURCE_QUOTAS, { namespace, name }, { signal })
      return isResourceQuota(found) ? found : undefined
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** Deletes a quota whose scopes cannot become those of another, unless the server would not take the other one. */
  async #makeWay(old: ResourceQuota, quota: ResourceQuota, signal: AbortSignal): Promise<void> {
    const { client } = this.#options.context
    try {
      await client.create(RESOURCE_QUOTAS, quota, { dryRun: true, signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
    const { finalizers = [], ...metadata } = old.metadata
    // Nobody but the operator takes away the finalizers of its quotas.
    const free = finalizers.length === 0 ? old : await client.update(RESOURCE_QUOTAS, { ...old, metadata }, { signal })
    await this.#delete(free, signal)
  }

  /** The answer shows a quota that is gone, which caches must not take for one that is there. */
  async #letGo(quota: ResourceQuota, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.context.client.update(RESOURCE_QUOTAS, quota, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  /** Only as it was seen: somebody may have made it another's meanwhile. */
  async #delete({ metadata }: ResourceQuota, signal: AbortSignal): Promise<void> {
    const { namespace = '', name = '', uid = '', resourceVersion = '' } = metadata
    try {
      await this.#options.context.client.delete(RESOURCE_QUOTAS, { namespace, name }, { uid, resourceVersion, signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }

  #reportReverted(old: ResourceQuota, { metadata: { namespace = '', name = '' } }: ResourceQuota): void {
    const { logger, recorder } = this.#options.context
    if (!this.#changed.delete(`${namespace}/${name}`)) return
    logger.warn({ namespace, name }, 'a quota was changed by somebody else and is put back')
    const note =
      'the quota was changed by somebody else and is put back; change its definition or the increases instead'
    recorder.record({ regarding: old, type: 'Warning', reason: 'Reverted', action: 'Updated', note })
  }
}
