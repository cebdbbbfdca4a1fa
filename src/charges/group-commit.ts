/** A request that waits to be decided and written. */
export interface CommitRequest {
  /** Whether the request is decided but never written. */
  readonly dryRun: boolean
  /** The object that the request writes. Requests for the same object are decided in batches of their own, one after another. */
  readonly target: { readonly bucket: string; readonly key: string }
}

/** Whether a request fits. */
interface Decision {
  readonly verdict: 'admitted' | 'denied'
}

/** The decisions on a batch, one for each request in their order. */
export interface DecidedBatch {
  readonly decisions: readonly Decision[]
}

/** The decision on a request that does not fit. */
type DeniedOf<Decided extends DecidedBatch> = Extract<Decided['decisions'][number], { readonly verdict: 'denied' }>

/** The outcome of writing a batch, which succeeds or fails as a whole. */
export type WriteOutcome<Result> =
  /** One result for each admitted request, in their order. */
  | { readonly type: 'written'; readonly results: readonly Result[] }
  /** Somebody else has written since the snapshot was read: the requests are decided anew on a new one. */
  | { readonly type: 'conflict' }
  /** `index`: the admitted request that alone is the reason; the others are decided anew without it. */
  | { readonly type: 'rejected'; readonly error: unknown; readonly index?: number | undefined }

/** Where the budgets of a group of requests are stored, and how they decide: everything that differs between stores. */
export interface CommitPort<Request extends CommitRequest, Snapshot, Decided extends DecidedBatch, Result> {
  /** The budgets of these requests as they are stored now. Gives no promise where the store is read in this very turn. */
  read(group: string, requests: readonly Request[]): Snapshot | Promise<Snapshot>
  /**
   * Throws the answer to a request that must not be decided any more: its precondition does not hold, or its deadline
   * has passed. Called before each decision, in the turn in which the batch is decided and handed to `write`.
   */
  check(request: Request): void
  /**
   * Decides the requests that passed `check`, one after another on a running copy of the budgets. So they fit together.
   */
  decide(snapshot: Snapshot, requests: readonly Request[]): Decided
  /** Reports the decision on a request, once: when it is refused, when it is written, or when its dry run ends. */
  report(request: Request, verdict: Decision['verdict']): void
  /** The answer to a refused request. */
  refusal(request: Request, decision: DeniedOf<Decided>): unknown
  /**
   * Writes the changes of a batch, and what the admitted requests store, in one write. Called in the turn of the decision.
   * Writing on another state than that of the snapshot must give a conflict. Rejects where nothing was written and no
   * request alone is the reason.
   */
  write(
    group: string,
    snapshot: Snapshot,
    admitted: readonly Request[],
    decided: Decided,
  ): Promise<WriteOutcome<Result>>
}

/** A request whose decision somebody waits for. */
export interface Waiting<Request, Result> {
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
 *
 * Each protected method is a step that an exploration of the group commit gets wrong on purpose.
 */
export class GroupCommit<Request extends CommitRequest, Snapshot, Decided extends DecidedBatch, Result> {
  readonly #port: CommitPort<Request, Snapshot, Decided, Result>
  readonly #waiting = new Map<string, Waiting<Request, Result>[]>()
  readonly #busy = new Set<string>()

  constructor(port: CommitPort<Request, Snapshot, Decided, Result>) {
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
      if (this.isBusy(group)) return
      this.#busy.add(group)
      // A microtask later: requests that come in one turn share a batch.
      queueMicrotask(() => void this.#run(group))
    })
  }

  /** Whether a batch of the group is under way. */
  protected isBusy(group: string): boolean {
    return this.#busy.has(group)
  }

  /** Decides and writes batch after batch until nothing waits. Never rejects. */
  async #run(group: string): Promise<void> {
    for (let batch = this.take(group); batch.length > 0; batch = this.take(group)) {
      try {
        const read = this.#port.read(
          group,
          batch.map(({ request }) => request),
        )
        await this.commitBatch(group, batch, read instanceof Promise ? await read : read)
      } catch (error) {
        this.fail(batch, error)
      }
    }
    this.rest(group)
  }

  protected fail(batch: readonly Waiting<Request, Result>[], error: unknown): void {
    for (const { reject } of batch) reject(error)
  }

  protected rest(group: string): void {
    this.#busy.delete(group)
  }

  /** Takes the requests that are to be decided together out of those that wait. */
  protected take(group: string): readonly Waiting<Request, Result>[] {
    const waiting = this.#waiting.get(group) ?? []
    this.#waiting.delete(group)
    if (waiting.length < 2) return waiting
    const { ready, later } = this.split(waiting)
    if (later.length > 0) this.#waiting.set(group, [...later])
    return ready
  }

  /** Finds one request for each target; further ones for the target are decided in the next batch, after the first. */
  protected split(waiting: readonly Waiting<Request, Result>[]): SplitBatch<Waiting<Request, Result>> {
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
    return { ready, later }
  }

  /** Up to the write everything happens in one turn. */
  protected async commitBatch(
    group: string,
    batch: readonly Waiting<Request, Result>[],
    snapshot: Snapshot,
  ): Promise<void> {
    const port = this.#port
    const open = batch.filter((entry) => this.isOpen(entry))
    if (open.length === 0) return
    const decided = port.decide(
      snapshot,
      open.map(({ request }) => request),
    )
    const admitted: Waiting<Request, Result>[] = []
    for (const [index, entry] of open.entries()) {
      const decision = decided.decisions[index]
      if (decision !== undefined && isDenied<Decided>(decision)) {
        port.report(entry.request, 'denied')
        entry.reject(port.refusal(entry.request, decision))
      } else if (entry.request.dryRun) {
        port.report(entry.request, 'admitted')
        entry.resolve(undefined)
      } else admitted.push(entry)
    }
    if (admitted.length > 0) this.conclude(group, admitted, await this.write(group, snapshot, admitted, decided))
  }

  /** Reports whether a request still waits for a decision. Otherwise it is answered here. */
  protected isOpen({ request, reject }: Waiting<Request, Result>): boolean {
    try {
      this.#port.check(request)
      return true
    } catch (error) {
      reject(error)
      return false
    }
  }

  protected write(
    group: string,
    snapshot: Snapshot,
    admitted: readonly Waiting<Request, Result>[],
    decided: Decided,
  ): Promise<WriteOutcome<Result>> {
    return this.#port.write(
      group,
      snapshot,
      admitted.map(({ request }) => request),
      decided,
    )
  }

  /** Answers the requests of a write, or has them decided again. */
  protected conclude(
    group: string,
    admitted: readonly Waiting<Request, Result>[],
    outcome: WriteOutcome<Result>,
  ): void {
    switch (outcome.type) {
      case 'written':
        for (const [index, { request, resolve }] of admitted.entries()) {
          this.#port.report(request, 'admitted')
          resolve(outcome.results[index])
        }
        return
      case 'conflict':
        this.decideAgain(group, admitted)
        return
      case 'rejected': {
        const culprit = outcome.index === undefined ? undefined : admitted[outcome.index]
        for (const entry of culprit === undefined ? admitted : [culprit]) entry.reject(outcome.error)
        if (culprit !== undefined)
          this.decideAgain(
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
  protected decideAgain(group: string, entries: readonly Waiting<Request, Result>[]): void {
    if (entries.length > 0) this.#waiting.set(group, [...entries, ...(this.#waiting.get(group) ?? [])])
  }
}

/** The requests of one batch, and those of the next. */
export interface SplitBatch<Entry> {
  readonly ready: readonly Entry[]
  readonly later: readonly Entry[]
}

const isDenied = <Decided extends DecidedBatch>(
  decision: Decided['decisions'][number],
): decision is DeniedOf<Decided> => decision.verdict === 'denied'
