import type { LimitedResource } from '../../systems/resource-quota/api/configuration.ts'
import type { Attributes, Evaluators } from '../../charges/evaluator.ts'
import type { Batch } from '../../charges/decide-batch.ts'
import { GroupCommit } from '../../charges/group-commit.ts'
import type { Wording } from '../../charges/refusal-text.ts'
import { limitedTo } from '../../systems/resource-quota/decide/limited-resources.ts'
import { changesUsage } from '../../systems/resource-quota/decide/count/recount.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { StoreWriter } from '../storing/store-writer.ts'
import { StoreConflict } from '../../store/record/store-error.ts'
import type { Write } from '../../store/record/write.ts'
import type { Review, WriteReview } from '../storing/review.ts'
import type { QuotaAccessor } from './quota-accessor.ts'
import { type ChargedCommit, type QuotaSnapshot, QuotaTransaction } from './quota-transaction.ts'

/** The write, and the object that quotas judge: as it will be, or for a deletion as it was. */
export type QuotaReview = Review & { readonly object: KubeObject }

const QUOTAS = 'resourcequotas'

export interface QuotaAdmissionOptions {
  readonly store: StoredObjects
  readonly writer: StoreWriter
  readonly accessor: QuotaAccessor
  /** Measures objects. */
  readonly evaluators: Evaluators
  readonly wording: Wording
  readonly limitedResources: readonly LimitedResource[]
  /** At which percentages of a limit clients are warned. */
  readonly warnAt: readonly number[]
  /** Reports each request that quotas decided. */
  readonly onVerdict: (verdict: 'admitted' | 'denied') => void
  /** Reports namespaces whose quotas must be counted anew: what a write changed cannot be computed, or a foreign status stands. */
  readonly onUncertain: (namespace: string) => void
  /** Reports namespaces in which somebody else has written the status of a quota. */
  readonly onForeignStatus: (namespace: string) => void
  /** Throws when what admission found for an object to be stored does not hold any more. */
  readonly recheck: (review: WriteReview) => void
}

/**
 * ResourceQuota, the last step of every write. An object is stored in one transaction with its charges to the quotas of
 * its namespace, or with the amounts that it gives back. Either all is stored or nothing. So a create that fails leaves
 * no charge, and usage is right at every revision. Nothing has to be counted again when an object goes. No retry can
 * clear a refusal, because there is none.
 *
 * While the transaction of a namespace becomes durable, further requests for that namespace wait. Group commit then
 * decides them together.
 */
export class QuotaAdmission {
  readonly #options: QuotaAdmissionOptions
  readonly #commits: GroupCommit<ChargedCommit, QuotaSnapshot, Batch, StoredRecord>
  readonly #limits: boolean

  constructor(options: QuotaAdmissionOptions) {
    const coverage = limitedTo(options.limitedResources, options.evaluators)
    this.#options = options
    this.#limits = coverage !== undefined
    this.#commits = new GroupCommit(new QuotaTransaction({ ...options, coverage }))
  }

  /**
   * Stores `write`, if the quotas of its namespace admit it. Gives the stored record, none for a dry run. Rejects with the
   * refusal (403), with StoreConflict when the write's expectation does not hold, or with 504 when the time of the request is over
   * before it is stored, in all cases without any effect.
   */
  async commit(review: QuotaReview, write: Write): Promise<StoredRecord | undefined> {
    review.deadline?.demand()
    const request = this.#chargeable(review, write)
    if (request === undefined) return await this.#store(review, write)
    this.#countForeign(review.namespace)
    return await this.#commits.commit(review.namespace, request)
  }

  /** Deletes what is stored of a kind that is not served: no quota counts it. Rejects with StoreConflict when there is nothing. */
  async discard(bucket: string, key: string): Promise<void> {
    await this.#options.writer.commit([{ type: 'delete', bucket, key }])
  }

  /** A write that quotas may refuse, or that changes what is used of them. */
  #chargeable(review: QuotaReview, write: Write): ChargedCommit | undefined {
    const { accessor, evaluators } = this.#options
    const { namespace, resource, object, oldObject, dryRun, warn } = review
    if (namespace === '' || (!this.#limits && !accessor.has(namespace))) return undefined
    const evaluator = evaluators.of(resource.id)
    if (evaluator === undefined) return undefined
    const attributes = attributesOf(review)
    const charged =
      (write.type === 'put' && evaluator.handles(attributes)) ||
      (!dryRun &&
        (write.type === 'delete' ||
          (oldObject !== undefined && changesUsage(evaluator, oldObject, object, accessor.measuring(namespace)))))
    if (!charged) return undefined
    const check = (): void => this.#check(review, write)
    return { attributes, dryRun, evaluator, target: write, check, warn, warnings: [] }
  }

  /** In the turn in which the object is stored, or would be: what webhooks and other requests did meanwhile counts. */
  #check(review: QuotaReview, write: Write): void {
    const { store } = this.#options
    const { dryRun, deadline } = review
    const conflict = conflictOf(store, write)
    if (conflict !== undefined) throw conflict
    if (write.type === 'put' && isWrite(review)) this.#options.recheck(review)
    // A deletion in the same batch must not be refused with what needs room.
    const full = dryRun ? undefined : store.refusalFor([write])
    if (full !== undefined) throw full
    if (dryRun) deadline?.demand()
    else deadline?.beginCommit()
  }

  async #store(review: QuotaReview, write: Write): Promise<StoredRecord | undefined> {
    const { writer, accessor, evaluators, onForeignStatus } = this.#options
    const { namespace, resource, subresource, object, dryRun } = review
    this.#check(review, write)
    if (dryRun) return undefined
    if (resource.bucket === QUOTAS && subresource === 'status') {
      accessor.noteForeignStatus(namespace)
      onForeignStatus(namespace)
    } else this.#countForeign(namespace)
    if (write.type === 'put') accessor.noteExpiry(namespace, evaluators.of(resource.id)?.expiry?.(object))
    const [record] = await writer.commit([write])
    return record
  }

  /** A status that somebody else wrote is decided on once more, and then counted anew. */
  #countForeign(namespace: string): void {
    const { accessor, onUncertain } = this.#options
    if (accessor.hasForeignStatus(namespace)) queueMicrotask(() => onUncertain(namespace))
  }
}

const isWrite = (review: QuotaReview): review is QuotaReview & WriteReview => review.operation !== 'DELETE'

function conflictOf(store: StoredObjects, { bucket, key, expect }: Write): StoreConflict | undefined {
  const current = store.latest(bucket, key)
  const met =
    expect === 'absent' ? current === undefined : typeof expect !== 'object' || current?.revision === expect.revision
  return met ? undefined : new StoreConflict(0, bucket, key, current)
}

function attributesOf(review: QuotaReview): Attributes {
  const { resource, subresource, operation, name, namespace, object, oldObject, dryRun } = review
  return {
    ...resource.id,
    subresource,
    kind: resource.served.kind,
    operation,
    name,
    namespace,
    object,
    dryRun,
    ...(oldObject === undefined ? {} : { oldObject }),
  }
}
