import type { ResourcePool } from '../api/resource-pool.ts'
import { type ResourcePoolClaim, resourcePoolClaim } from '../api/claim.ts'
import { type ClaimChange, claimChange } from '../decide/apply-outcome.ts'
import type { ClaimOutcome } from '../decide/queue/pool-outcome.ts'
import { mergeDiff } from '../../../schema/patch/merge-diff.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import { isNotFound } from '../../../machinery/status.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { CLAIMS } from './pool-controllers.ts'
import type { PoolCaches } from './pool-caches.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { TOO_MANY_MANAGERS } from '../../generated-quota/decide/foreign-metadata.ts'
import { isTooLargeError, isUnfit } from '../../generated-quota/operate/write-error.ts'

/** A claim that is not yet as it was decided. */
export interface PendingClaim {
  readonly outcome: ClaimOutcome
  readonly change: ClaimChange
  readonly pool: ResourcePool | undefined
}

/** The parts of the operator that the writer uses. */
export interface ClaimWriterContext {
  readonly client: Pick<OperatorContext['client'], 'patch'>
  readonly clock: Pick<OperatorContext['clock'], 'now'>
  readonly recorder: Pick<OperatorContext['recorder'], 'record'>
  readonly logger: Pick<OperatorContext['logger'], 'debug'>
}

/** Where it looks claims up, and what takes its writes. */
export interface ClaimSight {
  readonly claims: Pick<PoolCaches['claims'], 'get' | 'observeWrite'>
}

/** Writes to claims what was decided about them. */
export class ClaimWriter {
  readonly #context: ClaimWriterContext
  readonly #caches: ClaimSight

  constructor(context: ClaimWriterContext, caches: ClaimSight) {
    this.#context = context
    this.#caches = caches
  }

  /** Returns the outcomes that change their claims. */
  pending(outcomes: readonly ClaimOutcome[], pool: ResourcePool | undefined): readonly PendingClaim[] {
    const now = timestamp(this.#context.clock.now())
    return outcomes.flatMap((outcome) => {
      const change = claimChange(outcome, pool, now)
      return change === undefined ? [] : [{ outcome, change, pool }]
    })
  }

  /**
   * Writes the changes of a claim, first its status and then the rest, and sends its events. Each write has the version
   * that was decided about. A claim that is gone needs no write. If its owner has filled the claim so that nothing can
   * be added, at least the rest is written. Rejects as `KubeClient` does.
   */
  async write({ outcome, change, pool }: PendingClaim, signal: AbortSignal): Promise<void> {
    const { claim, events } = outcome
    const { status, ownerReferences, removedAnnotation, specPool } = change
    try {
      let version = claim.metadata.resourceVersion
      const statusPatch = status === undefined ? undefined : mergeDiff(asJson(claim.status), asJson(status) ?? {})
      let unfit: unknown
      if (statusPatch !== undefined) {
        try {
          const written = await this.#patch(claim, { status: statusPatch }, version, 'status', signal)
          version = written.metadata.resourceVersion
        } catch (error) {
          if (!isUnfit(error)) throw error
          unfit = error
        }
      }
      const rest: JsonObject = {
        ...(ownerReferences === undefined && removedAnnotation === undefined
          ? {}
          : {
              metadata: {
                ...(ownerReferences === undefined ? {} : { ownerReferences }),
                ...(removedAnnotation === undefined ? {} : { annotations: { [removedAnnotation]: null } }),
              },
            }),
        ...(specPool === undefined ? {} : { spec: { pool: specPool } }),
      }
      if (Object.keys(rest).length > 0) await this.#patch(claim, rest, version, '', signal)
      if (unfit !== undefined) throw unfit
    } catch (error) {
      // A server that has just started finds no claims at all until it knows their CRD again.
      if (isNotFound(error) && !this.#isThere(claim)) return
      throw error
    }
    this.#sendEvents(outcome)
    const related = pool === undefined ? {} : { related: pool }
    for (const { type, reason, note } of events)
      this.#context.recorder.record({ regarding: claim, ...related, type, reason, action: 'Reconciled', note })
  }

  #sendEvents({ claim: { metadata }, decision, pool, waiting }: ClaimOutcome): void {
    const { namespace, name } = metadata
    const fields = { namespace, claim: name, pool: pool?.name }
    const { logger } = this.#context
    if (decision.verdict === 'allocated') logger.debug(fields, 'a claim was granted')
    else if (waiting !== null) logger.debug({ ...fields, ...waiting }, 'a claim waits')
  }

  /** Is another version of the claim seen by now than was decided about? */
  isOutdated({ metadata: { namespace = '', name = '', resourceVersion } }: ResourcePoolClaim): boolean {
    return this.#caches.claims.get(namespace, name)?.metadata.resourceVersion !== resourceVersion
  }

  #isThere({ metadata: { namespace = '', name = '', uid } }: ResourcePoolClaim): boolean {
    return this.#caches.claims.get(namespace, name)?.metadata.uid === uid
  }

  /** Where the claim is too large, the managed fields give way. */
  async #patch(
    claim: ResourcePoolClaim,
    body: JsonObject,
    resourceVersion: string | undefined,
    subresource: string,
    signal: AbortSignal,
  ): Promise<ResourcePoolClaim> {
    const { metadata } = body as { readonly metadata?: JsonObject }
    // With a version a merge patch is compare-and-swap.
    const whole = { ...body, metadata: { ...metadata, resourceVersion } }
    try {
      return await this.#send(claim, whole, subresource, signal)
    } catch (error) {
      if (!isTooLargeError(error)) throw error
      const managedFields = TOO_MANY_MANAGERS
      return await this.#send(claim, { ...whole, metadata: { ...whole.metadata, managedFields } }, subresource, signal)
    }
  }

  #send(
    { metadata: { namespace = '', name = '' } }: ResourcePoolClaim,
    body: JsonObject,
    subresource: string,
    signal: AbortSignal,
  ): Promise<ResourcePoolClaim> {
    return this.#caches.claims.observeWrite({ namespace, name }, CLAIMS, () =>
      this.#context.client.patch<ResourcePoolClaim>(
        resourcePoolClaim,
        { namespace, name },
        { type: 'merge', body },
        { subresource, signal },
      ),
    )
  }
}

const asJson = (value: object | undefined): JsonObject | undefined => value as JsonObject | undefined
