import { decideBatch } from '../../charges/decide-batch.ts'
import type { LimitedResource } from '../../api/resource-quota/resource-quota-configuration.ts'
import type { Attributes, Evaluator } from '../../charges/evaluator.ts'
import { evaluatorFor } from '../../charges/evaluators/evaluator-table.ts'
import { changesUsage } from '../../charges/resource-quota/recount.ts'
import type { Replacement } from '../../charges/usage-shift.ts'
import { refusalError, type Wording } from '../../charges/refusal-text.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { StoredRecord } from '../../store/record.ts'
import type { Store } from '../../store/store.ts'
import { StoreConflict, StoreTooLarge } from '../../store/store-error.ts'
import type { Write } from '../../store/write.ts'
import { putOf, type QuotaAccessor } from './quota-accessor.ts'
import type { Review, WriteReview } from '../storing/review.ts'

/** What is written, and the object that quotas judge: as it will be, or for a deletion as it was. */
export type QuotaReview = Review & { readonly object: KubeObject }

const QUOTAS = 'resourcequotas'

interface Waiting {
  readonly review: QuotaReview
  readonly attributes: Attributes
  readonly evaluator: Evaluator
  readonly write: Write
  readonly resolve: (records: readonly StoredRecord[]) => void
  readonly reject: (error: unknown) => void
}

export interface QuotaAdmissionOptions {
  readonly store: Store
  readonly accessor: QuotaAccessor
  readonly wording: Wording
  readonly limitedResources: readonly LimitedResource[]
  /** Told of each request that quotas decided. */
  readonly onVerdict: (verdict: 'admitted' | 'denied') => void
  /** Told of namespaces whose quotas must be counted anew: what a write changed cannot be told, or a foreign status stands. */
  readonly onUncertain: (namespace: string) => void
  /** Throws when what admission found for an object to be stored does not hold any more. */
  readonly recheck: (review: WriteReview) => void
}

/**
 * ResourceQuota, the last step of every write: an object and what it charges to its namespace's quotas, or gives back to
 * them, are stored in one transaction, or neither is. So a create that fails leaves no charge, no retry can clear a
 * refusal (there is none), usage is right at every revision, and nothing has to be counted again when an object goes.
 *
 * While the transaction of a namespace is being made durable, further requests for that namespace wait; then they are
 * decided together, in order, against a running copy of the quotas, and each changed quota is written once.
 */
export class QuotaAdmission {
  readonly #options: QuotaAdmissionOptions
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #busy = new Set<string>()

  constructor(options: QuotaAdmissionOptions) {
    this.#options = options
  }

  /**
   * Stores `write`, if the quotas of its namespace admit it. Gives the stored records, none for a dry run. Rejects with the
   * refusal (403), with StoreConflict when the write's expectation does not hold, or with 504 when the time of the request is over
   * before it is stored, in all cases without any effect.
   */
  async commit(review: QuotaReview, write: Write): Promise<readonly StoredRecord[]> {
    const { namespace } = review
    review.deadline?.demand()
    const chargeable = this.#chargeable(review, write)
    if (chargeable === undefined) {
      this.#recheck(review, write)
      return await this.#store(review, write)
    }
    const { attributes, evaluator } = chargeable
    this.#countForeign(namespace)
    return await new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(namespace)
      const entry = { review, attributes, evaluator, write, resolve, reject }
      if (waiting === undefined) this.#waiting.set(namespace, [entry])
      else waiting.push(entry)
      if (this.#busy.has(namespace)) return
      this.#busy.add(namespace)
      queueMicrotask(() => this.#next(namespace))
    })
  }

  /** A write that quotas may refuse, or that changes what is used of them. */
  #chargeable(review: QuotaReview, write: Write): Pick<Waiting, 'attributes' | 'evaluator'> | undefined {
    const { accessor, limitedResources } = this.#options
    const { namespace, resource, object, oldObject, dryRun } = review
    if (namespace === '' || (limitedResources.length === 0 && !accessor.has(namespace))) return undefined
    const evaluator = evaluatorFor(resource.id)
    if (evaluator === undefined) return undefined
    const attributes = attributesOf(review)
    if (write.type === 'put' && evaluator.handles(attributes)) return { attributes, evaluator }
    if (dryRun) return undefined
    const changes =
      write.type === 'delete' ||
      (oldObject !== undefined && changesUsage(resource.id, oldObject, object, accessor.measuring(namespace)))
    return changes ? { attributes, evaluator } : undefined
  }

  async #store(
    { namespace, resource, subresource, object, dryRun, deadline }: QuotaReview,
    write: Write,
  ): Promise<readonly StoredRecord[]> {
    const { store, accessor } = this.#options
    if (dryRun) {
      const conflict = conflictOf(store, write)
      if (conflict !== undefined) throw conflict
      return []
    }
    deadline?.beginCommit()
    if (resource.bucket === QUOTAS && subresource === 'status') accessor.noteForeignStatus(namespace)
    else this.#countForeign(namespace)
    if (write.type === 'put') accessor.noteExpiry(namespace, evaluatorFor(resource.id)?.expiry?.(object))
    return await store.commit([write])
  }

  /** A status that somebody else wrote is decided on once more, and then counted anew. */
  #countForeign(namespace: string): void {
    const { accessor, onUncertain } = this.#options
    if (accessor.hasForeignStatus(namespace)) queueMicrotask(() => onUncertain(namespace))
  }

  #next(namespace: string): void {
    const waiting = this.#waiting.get(namespace)
    if (waiting === undefined) {
      this.#busy.delete(namespace)
      return
    }
    this.#waiting.delete(namespace)
    const { ready, later } = byKey(waiting)
    if (later.length > 0) this.#waiting.set(namespace, [...later])
    let committing: Promise<unknown>
    try {
      committing = this.#settle(namespace, ready)
    } catch (error) {
      for (const { reject } of ready) reject(error)
      committing = Promise.resolve()
    }
    void committing.then(() => this.#next(namespace))
  }

  /** In the turn in which the object is stored: what webhooks and other requests did meanwhile counts. */
  #recheck(review: QuotaReview, write: Write): void {
    const { operation } = review
    if (write.type === 'put' && operation !== 'DELETE') this.#options.recheck({ ...review, operation })
  }

  /** What time alone has changed is stored ahead of the batch, so that the batch charges and gives back as of one time. */
  #keepTime(namespace: string): void {
    const { store, accessor } = this.#options
    // A status that somebody else wrote is decided on as it stands.
    if (store.full !== undefined || accessor.hasForeignStatus(namespace) || !accessor.hasExpired(namespace)) return
    const { changed } = accessor.recountAll(namespace)
    // The batch rests on it and fails with it.
    store.commit(changed.map(({ quota }) => putOf(quota))).catch(() => accessor.forgetTime(namespace))
  }

  /** Decides a batch on the newest accepted state and hands what is admitted to the store, all in one tick. */
  #settle(namespace: string, batch: readonly Waiting[]): Promise<unknown> {
    const { store, accessor, wording, limitedResources, onVerdict, onUncertain } = this.#options
    const current = batch.filter(({ review, write, reject }) => {
      try {
        const conflict = conflictOf(store, write)
        if (conflict !== undefined) throw conflict
        this.#recheck(review, write)
        // A deletion in the same batch must not be refused with what needs room.
        const full = review.dryRun ? undefined : store.refusalFor([write])
        if (full !== undefined) throw full
        if (review.dryRun) review.deadline?.demand()
        else review.deadline?.beginCommit()
        return true
      } catch (error) {
        reject(error)
        return false
      }
    })
    if (current.length === 0) return Promise.resolve()
    this.#keepTime(namespace)
    const open = accessor.open(namespace, current)
    const { decisions, changed, uncertain } = decideBatch({
      quotas: open.quotas,
      requests: current.map(({ attributes }) => attributes),
      replacements: current.map((entry) => replacementOf(store, entry)),
      limitedResources,
      ...accessor.measuring(namespace),
    })
    const allowed = current.filter(({ attributes, resolve, reject }, index) => {
      const decision = decisions[index]
      if (decision !== undefined && attributes.operation !== 'DELETE') onVerdict(decision.verdict)
      if (decision?.verdict === 'denied') reject(refusalError(attributes, decision, wording))
      else if (attributes.dryRun) resolve([])
      else return true
      return false
    })
    // A quota made in this batch holds from its revision on, so what was decided without it must come before it.
    const admitted = allowed.toSorted((a, b) => Number(makesQuota(a)) - Number(makesQuota(b)))
    const writes = admitted.map(({ write }) => write)
    if (writes.length === 0) return Promise.resolve()
    // A quota that goes in this batch must not come back with what the batch gives back to it.
    const going = new Set(writes.filter(({ bucket }) => bucket === QUOTAS).map(({ key }) => key))
    const charged = accessor.close(namespace, changed, open).filter(({ key }) => !going.has(key))
    if (uncertain) onUncertain(namespace)
    for (const { evaluator, write } of admitted)
      if (write.type === 'put') accessor.noteExpiry(namespace, evaluator.expiry?.(write.object))
    return store.commit([...writes, ...charged]).then(
      (records) => {
        for (const [index, { resolve }] of admitted.entries()) resolve(records.slice(index, index + 1))
      },
      (error: unknown) => {
        const culprit = error instanceof StoreTooLarge ? admitted[error.index] : undefined
        for (const entry of culprit === undefined ? admitted : [culprit]) entry.reject(error)
        // The others of the batch are decided on again, without the one that is too large.
        const others = culprit === undefined ? [] : admitted.filter((entry) => entry !== culprit)
        if (others.length > 0) this.#waiting.set(namespace, [...others, ...(this.#waiting.get(namespace) ?? [])])
      },
    )
  }
}

/** At most one request for each object goes into a batch; the others see in the next one what became of it. */
function byKey(waiting: readonly Waiting[]): {
  readonly ready: readonly Waiting[]
  readonly later: readonly Waiting[]
} {
  const seen = new Map<string, Set<string>>()
  const ready: Waiting[] = []
  const later: Waiting[] = []
  for (const entry of waiting) {
    const { bucket, key } = entry.write
    const keys = seen.get(bucket)
    ;(keys?.has(key) === true ? later : ready).push(entry)
    if (keys === undefined) seen.set(bucket, new Set([key]))
    else keys.add(key)
  }
  return { ready, later }
}

const makesQuota = ({ write }: Waiting): boolean => write.bucket === QUOTAS

/** Of a write whose expectation holds. */
const replacementOf = (store: Store, { evaluator, write }: Waiting): Replacement => ({
  evaluator,
  object: write.type === 'put' ? write.object : undefined,
  oldObject: write.expect === 'absent' ? undefined : store.latest(write.bucket, write.key)?.object,
})

function conflictOf(store: Store, { bucket, key, expect }: Write): StoreConflict | undefined {
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
