import type { Budget } from '../../src/charges/budget.ts'
import type { Coverage, Decision, Denied } from '../../src/charges/decide.ts'
import { type Batch, type BudgetChange, type BudgetSnapshot, decideBatch } from '../../src/charges/decide-batch.ts'
import { withUsed } from '../../src/charges/budget.ts'
import type { Attributes } from '../../src/charges/evaluator.ts'
import type { CommitPort, CommitRequest, WriteOutcome } from '../../src/charges/group-commit.ts'
import { refusalError } from '../../src/charges/refusal-text.ts'

export type Snapshot = BudgetSnapshot & { readonly version: number }

/** A request for an object. */
interface BudgetRequest extends CommitRequest {
  readonly attributes: Attributes
}

/** A request for an object of its own. */
export const requestOf = (attributes: Attributes, key = attributes.name): BudgetRequest => ({
  attributes,
  dryRun: attributes.dryRun,
  target: { bucket: attributes.resource, key },
})

export interface StoredBudgetsOptions {
  readonly budgets: readonly Budget[]
  readonly coverage?: Coverage | undefined
  /** Asked before each write: does somebody else write first? */
  readonly conflicts?: (changed: readonly BudgetChange[], attempt: number) => boolean
  /** After so many attempts a request is answered with a conflict. */
  readonly attempts?: number
}

/** Budgets in memory, written by compare-and-swap on one version; what other writers do is handed in. */
export class StoredBudgets implements CommitPort<BudgetRequest, Snapshot, Batch, string> {
  budgets: readonly Budget[]
  readonly verdicts = new Map<CommitRequest, Decision['verdict']>()
  readonly stored: BudgetRequest[] = []
  readonly #options: StoredBudgetsOptions
  readonly #attempts = new Map<CommitRequest, number>()
  #version = 0
  #writes = 0

  constructor(options: StoredBudgetsOptions) {
    this.#options = options
    this.budgets = options.budgets
  }

  /** Another writer's change. */
  change(budgets: readonly Budget[]): void {
    this.budgets = budgets
    this.#version++
  }

  async read(): Promise<Snapshot> {
    const { coverage } = this.#options
    return await Promise.resolve({ budgets: this.budgets, coverage, now: 0, version: this.#version })
  }

  check(request: CommitRequest): void {
    const attempts = (this.#attempts.get(request) ?? 0) + 1
    this.#attempts.set(request, attempts)
    if (attempts > (this.#options.attempts ?? Infinity)) throw new Error('conflict')
  }

  decide(snapshot: Snapshot, requests: readonly BudgetRequest[]): Batch {
    return decideBatch({ ...snapshot, requests: requests.map(({ attributes }) => attributes) })
  }

  report(request: CommitRequest, verdict: Decision['verdict']): void {
    this.verdicts.set(request, verdict)
  }

  refusal({ attributes }: BudgetRequest, decision: Denied): Error {
    return refusalError(attributes, decision, 'first')
  }

  async write(
    _group: string,
    { version }: Snapshot,
    admitted: readonly BudgetRequest[],
    { changed }: Batch,
  ): Promise<WriteOutcome<string>> {
    await Promise.resolve()
    if (this.#options.conflicts?.(changed, this.#writes++) === true) this.#version++
    if (version !== this.#version) return { type: 'conflict' }
    const used = new Map(changed.map((change) => [change.budget.ref, change.used]))
    this.change(this.budgets.map((budget) => withUsed(budget, used.get(budget.ref) ?? budget.used)))
    this.stored.push(...admitted)
    return { type: 'written', results: admitted.map(({ attributes }) => attributes.name) }
  }
}
