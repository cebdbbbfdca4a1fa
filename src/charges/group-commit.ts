import type { Budget } from './budget.ts'
import { type Batch, decideBatch } from './decide-batch.ts'
import type { Coverage, Decision, Denied } from './decide.ts'
import type { Attributes, Measuring } from './evaluator.ts'
import type { Replacement } from './usage-shift.ts'

/** A request that waits to be decided and written. */
export interface CommitRequest {
  readonly attributes: Attributes
  /** The object that the request writes. Requests for the same object are decided in batches of their own, one after another. */
  readonly target: { readonly bucket: string; readonly key: string }
}

/** The budgets that a batch is decided on, as of one moment. */
export interface BudgetSnapshot extends Measuring {
  readonly budgets: readonly Budget[]
  readonly coverage?: Coverage | undefined
}

/** The outcome of writing a batch, which succeeds or fails as a whole. */
export type WriteOutcome<Result> =
  /** One result for each admitted request, in their order. */
  | { readonly type: 'written'; readonly results: readonly Result[] }
  /** Somebody else has written since the snapshot was read: the requests are decided anew on a new one. */
  | { readonly type: 'conflict' }
  /** `index`: the admitted request that alone is the reason; the others are decided anew without it. */
  | { readonly type: 'rejected'; readonly error: unknown; readonly index?: number | undefined }

/** Where the budgets of a group of requests are stored, and how: everything that differs between stores. */
export interface CommitPort<Request extends CommitRequest, Snapshot extends BudgetSnapshot, Result> {
  /** The budgets of these requests as they are stored now. Gives no promise where the store is read in this very turn. */
  read(group: string, requests: readonly Request[]): Snapshot | Promise<Snapshot>
  /**
   * Throws the answer to a request that must not be decided any more: its precondition does not hold, or its deadline
   * has passed. Called before each decision, in the turn in which the batch is decided and handed to `write`.
   */
  check(request: Request): void
  /** Where a request stores its object together with its charge: what it replaces, at the moment of the decision. */
  replacement?(request: Request): Replacement
  /** Reports the decision on a request, once: when it is refused, when it is written, or when its dry run ends. */
  settled(request: Request, verdict: Decision['verdict']): void
  /** The answer to a refused request. */
  refusal(request: Request, decision: Denied): unknown
  /**
   * Writes the changes of a batch, and what the admitted requests store, in one write. Called in the turn of the decision.
   * Writing on another state than that of the snapshot must give a conflict. Rejects where nothing was written and no
   * request alone is the reason.
   */
  write(group: string, snapshot: Snapshot, admitted: readonly Request[], batch: Batch): Promise<WriteOutcome<Result>>
}

interface Waiting<Request, Result> {
  readonly request: Request
  readonly resolve: (result: Result | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Group commit (docs/decisions/010): while the write of a group is in flight, further requests of that
 * group wait. Then they are decided together, in their order, against a running copy of the newest budgets, and everything
 * is written once. After a conflict the batch is read and decided again, so that no client sees one.
 *
 * A refusal is final when it is made: no retry decides a refused request again. An admission is final when it is written.
 */
export class GroupCommit<Request extends CommitRequest, Snapshot extends BudgetSnapshot, Result> {
  readonly #port: CommitPort<Request, Snapshot, Result>
  readonly #waiting = new Map<string, Waiting<Request, Result>[]>()
  readonly #busy = new Set<string>()

  constructor(port: CommitPort<Request, Snapshot, Result>) {
    this.#port = port
  }

  /**
   * Decides and writes the request with others of its group. Gives the result of its write, undefined for a dry run. Rejects
   * with the refusal, with what `check` threw, or with the error of the write; then the request has had no effect.
   */
  commit(group: string, request: Request): Promise<Result | undefined> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(group)
      if (waiting === undefined) this.#waiting.set(group, [{ request, resolve, reject }])
      else waiting.push({ request, resolve, reject })
      if (this.#busy.has(group)) return
      this.#busy.add(group)
      // A microtask later: requests that come in one turn share a batch.
      queueMicrotask(() => void this.#run(group))
    })
  }

  /** Decides and writes batch after batch until nothing waits. Never rejects. */
  async #run(group: string): Promise<void> {
    for (let batch = this.#take(group); batch.length > 0; batch = this.#take(group)) {
      try {
        const read = this.#port.read(
          group,
          batch.map(({ request }) => request),
        )
        await this.#settle(group, batch, read instanceof Promise ? await read : read)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#busy.delete(group)
  }

  /** Takes the waiting requests, one for each target; further requests for the target are decided in the next batch, after the first. */
  #take(group: string): readonly Waiting<Request, Result>[] {
    const waiting = this.#waiting.get(group) ?? []
    this.#waiting.delete(group)
    if (waiting.length < 2) return waiting
    const seen = new Map<string, Set<string>>()
    const ready: Waiting<Request, Result>[] = []
    const later: Waiting<Request, Result>[] = []
    for (const entry of waiting) {
      const { bucket, key } = entry.request.target
      const keys = seen.get(bucket)
      ;(keys?.has(key) === true ? later : ready).push(entry)
      if (keys === undefined) seen.set(bucket, new Set([key]))
      else keys.add(key)
    }
    if (later.length > 0) this.#waiting.set(group, later)
    return ready
  }

  /** Up to the write everything happens in one turn. */
  async #settle(group: string, batch: readonly Waiting<Request, Result>[], snapshot: Snapshot): Promise<void> {
    const port = this.#port
    const open = batch.filter((entry) => this.#isOpen(entry))
    if (open.length === 0) return
    const { budgets, coverage, now, lookup } = snapshot
    const requests = open.map(({ request }) => request.attributes)
    const replacements = port.replacement && open.map(({ request }) => port.replacement?.(request))
    const decided = decideBatch({ budgets, coverage, now, lookup, requests, replacements })
    const admitted: Waiting<Request, Result>[] = []
    for (const [index, entry] of open.entries()) {
      const decision = decided.decisions[index]
      if (decision?.verdict === 'denied') {
        port.settled(entry.request, 'denied')
        entry.reject(port.refusal(entry.request, decision))
      } else if (entry.request.attributes.dryRun) {
        port.settled(entry.request, 'admitted')
        entry.resolve(undefined)
      } else admitted.push(entry)
    }
    if (admitted.length === 0) return
    const writing = port.write(
      group,
      snapshot,
      admitted.map(({ request }) => request),
      decided,
    )
    this.#conclude(group, admitted, await writing)
  }

  #isOpen({ request, reject }: Waiting<Request, Result>): boolean {
    try {
      this.#port.check(request)
      return true
    } catch (error) {
      reject(error)
      return false
    }
  }

  #conclude(group: string, admitted: readonly Waiting<Request, Result>[], outcome: WriteOutcome<Result>): void {
    switch (outcome.type) {
      case 'written':
        for (const [index, { request, resolve }] of admitted.entries()) {
          this.#port.settled(request, 'admitted')
          resolve(outcome.results[index])
        }
        return
      case 'conflict':
        this.#decideAgain(group, admitted)
        return
      case 'rejected': {
        const culprit = outcome.index === undefined ? undefined : admitted[outcome.index]
        for (const entry of culprit === undefined ? admitted : [culprit]) entry.reject(outcome.error)
        if (culprit !== undefined)
          this.#decideAgain(
            group,
            admitted.filter((entry) => entry !== culprit),
          )
        return
      }
      default:
        outcome satisfies never
    }
  }

  /** Ahead of whatever has come meanwhile. */
  #decideAgain(group: string, entries: readonly Waiting<Request, Result>[]): void {
    if (entries.length > 0) this.#waiting.set(group, [...entries, ...(this.#waiting.get(group) ?? [])])
  }
}
