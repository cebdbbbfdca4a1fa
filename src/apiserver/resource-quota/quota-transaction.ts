import type { Budget } from '../../charges/budget.ts'
import type { Coverage, Decision, Denied } from '../../charges/decide.ts'
import { type Batch, type BudgetSnapshot, decideBatch } from '../../charges/decide-batch.ts'
import type { Attributes, Evaluator } from '../../charges/evaluator.ts'
import type { CommitPort, CommitRequest, WriteOutcome } from '../../charges/group-commit.ts'
import { refusalError, type Wording } from '../../charges/refusal-text.ts'
import { chargeWarnings } from '../../charges/usage-warnings.ts'
import type { Replacement } from '../../charges/usage-shift.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { StoreWriter } from '../storing/store-writer.ts'
import { StoreTooLarge } from '../../store/record/store-error.ts'
import type { Write } from '../../store/record/write.ts'
import { type NamespaceQuotas, putOf, type QuotaAccessor } from './quota-accessor.ts'

const QUOTAS = 'resourcequotas'

/** A request that is charged to the quotas of its namespace. */
export interface ChargedCommit extends CommitRequest {
  readonly attributes: Attributes
  readonly evaluator: Evaluator
  /** The write that it stores. */
  readonly target: Write
  /** Throws where the write must not happen any more. */
  readonly check: () => void
  /** Takes what the client should be warned of; undefined where nobody reads it. */
  readonly warn: ((message: string) => void) | undefined
  /** What the newest decision warns of. It is said when that decision is final. */
  warnings: readonly string[]
}

/** The quotas of a namespace as of one revision and one time. */
export type QuotaSnapshot = BudgetSnapshot & NamespaceQuotas

export interface QuotaTransactionOptions {
  readonly store: StoredObjects
  readonly writer: StoreWriter
  readonly accessor: QuotaAccessor
  readonly wording: Wording
  readonly coverage: Coverage | undefined
  /** At which percentages of a limit clients are warned. */
  readonly warnAt: readonly number[]
  /** Reports each request that quotas decided. */
  readonly onVerdict: (verdict: Decision['verdict']) => void
  /** Reports namespaces whose quotas must be counted anew: what a write changed cannot be computed. */
  readonly onUncertain: (namespace: string) => void
}

/**
 * The quotas of a namespace in the embedded store: a group is a namespace, and objects are stored in one transaction with
 * what they charge or give back. The newest accepted state is read in the turn of the decision, so nothing can come between
 * and no write conflicts on a quota.
 */
export class QuotaTransaction implements CommitPort<ChargedCommit, QuotaSnapshot, Batch, StoredRecord> {
  readonly #options: QuotaTransactionOptions

  constructor(options: QuotaTransactionOptions) {
    this.#options = options
  }

  read(namespace: string, requests: readonly ChargedCommit[]): QuotaSnapshot {
    const { accessor, coverage } = this.#options
    this.#keepTime(namespace)
    return { ...accessor.quotasFor(namespace, requests), coverage, ...accessor.measuring(namespace) }
  }

  check({ check }: ChargedCommit): void {
    check()
  }

  decide({ budgets, coverage, now, lookup }: QuotaSnapshot, requests: readonly ChargedCommit[]): Batch {
    const batch = decideBatch({
      budgets,
      coverage,
      now,
      lookup,
      requests: requests.map(({ attributes }) => attributes),
      replacements: requests.map((request) => this.#replacement(request)),
    })
    this.#noteWarnings(budgets, requests, batch)
    return batch
  }

  #noteWarnings(budgets: readonly Budget[], requests: readonly ChargedCommit[], { decisions }: Batch): void {
    for (const [index, request] of requests.entries()) {
      if (request.warn === undefined) continue
      const decision = decisions[index]
      request.warnings =
        decision?.verdict === 'admitted' ? chargeWarnings(budgets, decision.charges, this.#options.warnAt) : []
    }
  }

  #replacement({ attributes, target }: ChargedCommit): Replacement {
    const { store } = this.#options
    return {
      of: attributes,
      object: target.type === 'put' ? target.object : undefined,
      oldObject: target.expect === 'absent' ? undefined : store.latest(target.bucket, target.key)?.object,
    }
  }

  report({ attributes, warn, warnings }: ChargedCommit, verdict: Decision['verdict']): void {
    for (const warning of warnings) warn?.(warning)
    if (attributes.operation !== 'DELETE') this.#options.onVerdict(verdict)
  }

  refusal({ attributes }: ChargedCommit, decision: Denied): Error {
    return refusalError(attributes, decision, this.#options.wording)
  }

  async write(
    namespace: string,
    snapshot: QuotaSnapshot,
    admitted: readonly ChargedCommit[],
    { changed, uncertain }: Batch,
  ): Promise<WriteOutcome<StoredRecord>> {
    const { writer, accessor, onUncertain } = this.#options
    // A quota made in this batch holds from its revision on, so what was decided without it must come before it.
    const ordered = admitted.some(makesQuota)
      ? admitted.toSorted((a, b) => Number(makesQuota(a)) - Number(makesQuota(b)))
      : admitted
    const writes = ordered.map(({ target }) => target)
    // A quota that goes in this batch must not come back with what the batch gives back to it.
    const going = new Set(writes.filter(({ bucket }) => bucket === QUOTAS).map(({ key }) => key))
    const charges = accessor.charges(namespace, changed, snapshot).filter(({ key }) => !going.has(key))
    if (uncertain) onUncertain(namespace)
    for (const { evaluator, target } of admitted)
      if (target.type === 'put') accessor.noteExpiry(namespace, evaluator.expiry?.(target.object))
    try {
      const records = await writer.commit([...writes, ...charges])
      if (ordered === admitted) return { type: 'written', results: records }
      return { type: 'written', results: admitted.flatMap((request) => records[ordered.indexOf(request)] ?? []) }
    } catch (error) {
      const culprit = error instanceof StoreTooLarge ? ordered[error.index] : undefined
      return { type: 'rejected', error, index: culprit && admitted.indexOf(culprit) }
    }
  }

  /** Stores changes by time alone ahead of the batch, so that the batch charges and gives back as of one time. */
  #keepTime(namespace: string): void {
    const { store, writer, accessor } = this.#options
    // A status that somebody else wrote is decided on as it stands.
    if (store.full !== undefined || accessor.hasForeignStatus(namespace) || !accessor.hasExpired(namespace)) return
    const { changed } = accessor.recountAll(namespace)
    // The batch rests on it and fails with it.
    writer.commit(changed.map(({ quota }) => putOf(quota))).catch(() => accessor.forgetTime(namespace))
  }
}

const makesQuota = ({ target }: ChargedCommit): boolean => target.bucket === QUOTAS
