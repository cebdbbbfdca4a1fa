import { tooManyRequests } from '../../../machinery/status.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { Excess } from '../../../charges/refusal.ts'
import { quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import type { CommitPort, CommitRequest, WriteOutcome } from '../../../charges/group-commit.ts'
import type { UsageStep } from './admit-all.ts'
import { advancedIn } from './advance.ts'
import { fold, isDecidable } from './fold.ts'
import {
  addedAmounts,
  decideCharges,
  fits,
  isCertain,
  type JudgedRequest,
  type LedgerDecision,
  ledgerAmounts,
  type LedgerAmounts,
} from './ledger-budget.ts'
import {
  LedgerRefused,
  LedgerUnavailable,
  RoomHeldAhead,
  SETTLING_TEXT,
  WIDENED_TEXT,
  RETRY_SECONDS,
} from './ledger-errors.ts'
import type { LedgerOptions } from './ledger-options.ts'
import { isShort, LEDGER_BOUNDS, LedgerSize, sizeOf, sizeOfRequest } from './ledger-size.ts'
import { chargeOf, excessOf, type LedgerState, outstandingIn, reservedIn, reservedOf } from './ledger-state.ts'
import type { StoredLedger } from './ledger-store.ts'
import type { ReplicaLedger, SeenLedger } from './replica-ledger.ts'
import { mayHold, NAMESPACE_SHARE, shareOf } from './namespace-share.ts'
import { type ChargeRequest, type PreparedRequest, prepareRequest, reserve } from './reserve.ts'
import { isForWidening } from './widening.ts'

/** A request that waits for its ledger. */
export interface LedgerRequest extends CommitRequest {
  /** One for each amount that it raises, all with the same id. None where only the ledger is to be written. */
  readonly charges: readonly ChargeRequest[]
  /** When the API server stops to wait for the answer, by the clock of the options. */
  readonly deadline: number
}

/** The snapshot that a batch is decided on: a ledger, folded with the views of one moment. */
export interface LedgerSnapshot extends SeenLedger {
  readonly amounts: LedgerAmounts
  /** Requests with what was known of their names at that moment. */
  readonly judged: ReadonlyMap<LedgerRequest, JudgedRequest>
  /** The decisions on all of them, in their order. */
  readonly decisions: readonly LedgerDecision[]
}

/** The decisions on a batch of requests to a ledger. */
export interface LedgerBatch {
  readonly decisions: readonly LedgerDecision[]
}

/** How often the views are brought up to a ledger that others go on writing before a request has to be tried again. */
const MOST_LOOKS = 4

/**
 * Commits requests to one ledger by compare-and-swap. A request that fits is decided on the ledger as this replica last
 * saw it: a write on an old ledger fails. A request that does not fit is decided again on the stored ledger, with views
 * that contain all that was stored by then.
 */
export class LedgerPort implements CommitPort<LedgerRequest, LedgerSnapshot, LedgerBatch, UsageStep> {
  readonly #options: LedgerOptions
  readonly #ledger: ReplicaLedger
  /** How many reservations each namespace would have with the requests of the batch that were checked so far. */
  #counts = new Map<string, number>()
  /** How much of each amount they would have reserved, of those that wait. */
  #held = new Map<string, ResourceList>()
  /** The sizes of the ledger with them, where it is long. */
  #size: LedgerSize | undefined
  #isLong = false
  #snapshot: LedgerSnapshot | undefined
  #isConfirmed = false
  #mustReadLive = false

  constructor(options: LedgerOptions, ledger: ReplicaLedger) {
    this.#options = options
    this.#ledger = ledger
  }

  read(_group: string, requests: readonly LedgerRequest[]): LedgerSnapshot | Promise<LedgerSnapshot> {
    this.#isConfirmed = false
    const snapshot = this.#mustReadLive ? undefined : this.#look(requests)
    return snapshot instanceof LedgerUnavailable || snapshot === undefined || refuses(snapshot)
      ? this.#confirm(requests)
      : this.#begin(snapshot)
  }

  /**
   * Reads the ledger and brings the views up to date, until both together show the usage. Both then contain all that
   * was stored before the call. The ledger also contains what other replicas have seen since.
   */
  async #confirm(requests: readonly LedgerRequest[]): Promise<LedgerSnapshot> {
    const { store, views, ref, amountOf } = this.#options
    let snapshot: LedgerSnapshot | LedgerUnavailable | undefined
    try {
      if (this.#mustReadLive) {
        await store.readLive()
        this.#mustReadLive = false
        snapshot = this.#look(requests)
        // After a conflict most requests fit on the newer ledger too.
        if (!(snapshot instanceof LedgerUnavailable) && !refuses(snapshot)) return this.#begin(snapshot)
      }
      for (let looks = 0; looks < MOST_LOOKS; looks++) {
        await Promise.all([store.readLive(), views.catchUp(false)])
        snapshot = this.#look(requests)
        const now = views.current()
        if (snapshot instanceof LedgerUnavailable || now === undefined || !isCertain(snapshot.state, now, amountOf))
          continue
        this.#isConfirmed = true
        return this.#begin(snapshot)
      }
    } catch (error) {
      throw new LedgerUnavailable(
        ref,
        'unreachable',
        `the ledger, or the objects that the quota counts, cannot be read: ${String(error)}`,
        { cause: error },
      )
    }
    if (snapshot === undefined || snapshot instanceof LedgerUnavailable)
      throw snapshot ?? new LedgerUnavailable(ref, 'not counted', 'the ledger cannot be decided on')
    return this.#begin(snapshot)
  }

  /** The ledger as this replica has it, folded with its views. */
  #look(requests: readonly LedgerRequest[]): LedgerSnapshot | LedgerUnavailable {
    const { ref, views, amountOf } = this.#options
    const current = views.current()
    if (current === undefined)
      return new LedgerUnavailable(ref, 'not counted', 'the objects that the quota counts are being listed')
    const read = this.#ledger.read()
    if (read instanceof LedgerUnavailable) return read
    const seen = this.#ledger.seen(read.stored, fold(read.state, current), current)
    const { state } = seen
    if (state.settling !== '') return new LedgerUnavailable(ref, 'settling', settlingText(state))
    if (!isDecidable(state, current))
      return new LedgerUnavailable(ref, 'not counted', 'the objects are being counted by the latest spec of the quota')
    const amounts = ledgerAmounts(this.#options, state, current)
    const judged = new Map(
      requests.map((request) => {
        const prepared = request.charges.map((one) => prepareRequest(state, current, one))
        return [request, { prepared, dryRun: request.dryRun }] as const
      }),
    )
    const decisions = decideCharges(amounts, [...judged.values()], amountOf)
    this.#isLong = this.#mayBeLong(read.stored, requests)
    return { ...seen, amounts, judged, decisions }
  }

  /** Hardly ever is a ledger so long that it has to be measured. */
  #mayBeLong({ status }: StoredLedger, requests: readonly LedgerRequest[]): boolean {
    const { bounds = LEDGER_BOUNDS } = this.#options
    const added = requests.reduce((sum, { charges }) => charges.reduce((all, one) => all + sizeOfRequest(one), sum), 0)
    return !isShort((status?.outstanding ?? '').length + (this.#ledger.ahead?.size ?? 0) + added, bounds)
  }

  #begin(snapshot: LedgerSnapshot): LedgerSnapshot {
    this.#snapshot = snapshot
    this.#counts = new Map()
    this.#held = new Map()
    this.#size = undefined
    return snapshot
  }

  /** All requests were decided when the ledger was looked at. Without some of them, the others may fit. */
  decide({ amounts, judged, decisions }: LedgerSnapshot, requests: readonly LedgerRequest[]): LedgerBatch {
    if (requests.length === judged.size) return { decisions }
    const left = requests.map((request) => judged.get(request) ?? { prepared: [], dryRun: request.dryRun })
    return { decisions: decideCharges(amounts, left, this.#options.amountOf) }
  }

  check(request: LedgerRequest): void {
    const { charges, deadline, dryRun } = request
    const { clock, share = NAMESPACE_SHARE, ref } = this.#options
    if (clock() >= deadline)
      throw tooManyRequests(`${ref.kind} "${ref.name}" has too many requests to decide this one in time`, RETRY_SECONDS)
    if (dryRun || this.#snapshot === undefined) return
    const { state, amounts } = this.#snapshot
    const { prepared = [] } = this.#snapshot.judged.get(request) ?? {}
    const [first] = charges
    if (first === undefined) return
    const { namespace, name } = first
    if (this.#isRace(prepared))
      throw tooManyRequests(`another request to create ${JSON.stringify(name)} came a moment ago`, RETRY_SECONDS)
    const count = this.#counts.get(namespace) ?? outstandingIn(state, namespace)
    if (count >= shareOf(state.lapses, namespace, share))
      throw tooManyRequests(
        `${ref.kind} "${ref.name}" waits for ${count} requests of namespace "${namespace}" that were allowed and are not stored yet`,
        RETRY_SECONDS,
      )
    this.#hold(namespace, prepared, state, amounts)
    this.#fill(namespace, prepared, state)
    this.#counts.set(namespace, count + charges.length)
  }

  /**
   * Reports whether another create of the same name was allowed or stored a moment ago. Only one of the two can be
   * stored. The other would hold its reservation until its time is over, because nobody sees that it failed.
   */
  #isRace(all: readonly PreparedRequest[]): boolean {
    const { createMs = 0, clock } = this.#options
    if (createMs === 0) return false
    const young = clock() - createMs
    const isAhead = ({ before, isTaken, request: { operation, uid } }: PreparedRequest): boolean =>
      operation === 'CREATE' &&
      (isTaken ||
        before?.reservations.some(
          (one) => one.base === '' && one.uid !== uid && (this.#ledger.firstSeen.firstOf(one.id) ?? -Infinity) > young,
        ) === true)
    return all.some(isAhead)
  }

  /**
   * Throws an ApiError 429 if a waiting namespace would have more reserved than it may. Requests that do not fit at all
   * are refused as usual.
   */
  #hold(namespace: string, all: readonly PreparedRequest[], state: LedgerState, amounts: LedgerAmounts): void {
    const { ref, amountOf } = this.#options
    const wait = state.waits.get(namespace)
    if (wait === undefined || wait.rounds === 0) return
    const held: Record<string, Quantity> = { ...this.#held.get(namespace) }
    for (const [name, added] of Object.entries(addedAmounts(amounts, all, amountOf))) {
      const own = reservedIn(state, namespace, (kind) => amountOf === undefined || amountOf(kind) === name)
      const used = quantityOf(amounts.used, name) ?? Quantity.zero
      const free = (quantityOf(amounts.hard, name) ?? Quantity.zero).sub(used)
      const reserved = (held[name] ?? own).add(added)
      // A request for a name that has a reservation adds nothing and yet holds the room for longer.
      if (added.cmp(free) <= 0 && !mayHold(wait, reserved, free.add(own)))
        throw tooManyRequests(
          `${ref.kind} "${ref.name}" reserves only part of its room for namespace "${namespace}" for a while, because requests of this namespace were allowed and never stored`,
          RETRY_SECONDS,
        )
      held[name] = reserved
    }
    this.#held.set(namespace, held)
  }

  /** Throws an ApiError 429 where the reservations of a namespace would take more bytes of the ledger than they may. */
  #fill(namespace: string, all: readonly PreparedRequest[], state: LedgerState): void {
    const { ref, bounds = LEDGER_BOUNDS } = this.#options
    const size = this.#isLong ? (this.#size ??= new LedgerSize(state, bounds)) : undefined
    if (size === undefined) return
    const bytes = all.reduce(
      (sum, { before, after }) => sum + sizeOf(after) - (before === undefined ? 0 : sizeOf(before)),
      0,
    )
    if (!size.hasRoom(namespace, bytes))
      throw tooManyRequests(
        `the ledger of ${ref.kind} "${ref.name}" is full: ${size.in(namespace)} bytes of it are for requests of namespace "${namespace}" that were allowed and are not stored yet`,
        RETRY_SECONDS,
      )
    size.add(namespace, bytes)
  }

  report(): void {
    // Nobody counts the decisions of a ledger here.
  }

  refusal(request: LedgerRequest, { excesses }: Extract<LedgerDecision, { readonly verdict: 'denied' }>): unknown {
    const { ref, amountOf } = this.#options
    if (!this.#isConfirmed || this.#snapshot === undefined)
      return tooManyRequests(`${ref.kind} "${ref.name}" is written too often to refuse a request now`, RETRY_SECONDS)
    if (this.#snapshot.state.lowering !== undefined && excesses.some((one) => this.#fitsUnlowered(request, one)))
      return tooManyRequests(`a limit of ${ref.kind} "${ref.name}" is being lowered`, RETRY_SECONDS)
    if (excesses.some((one) => this.#fitsWithoutAdvances(request, one))) return new RoomHeldAhead(ref, RETRY_SECONDS)
    const [excess] = excesses
    const counts = (kind: string): boolean => amountOf === undefined || amountOf(kind) === excess.resource
    const { state, amounts } = this.#snapshot
    const prepared = this.#preparedFor(request, excess)
    if (prepared === undefined) return new Error('a refusal without an excess')
    const { before } = prepared
    // The cost of the object that has the name already stays used: nothing is replaced.
    const own = prepared.isTaken ? Quantity.zero : before === undefined ? prepared.after.contained : chargeOf(before)
    const ownReserved = prepared.isTaken || before === undefined ? Quantity.zero : excessOf(before)
    // Earlier requests of the batch are reserved with it.
    const usedBefore = quantityOf(amounts.used, excess.resource) ?? Quantity.zero
    const reserved = reservedOf(state, counts).add(excess.used.sub(usedBefore))
    return new LedgerRefused([
      {
        reason: 'exceeded',
        code: 403,
        budget: ref,
        excesses,
        requested: prepared.request.cost,
        used: excess.used,
        usedByOthers: excess.used.sub(own),
        reserved,
        reservedByOthers: reserved.sub(ownReserved),
        limit: excess.hard,
      },
    ])
  }

  /** Reports whether a request fits the limit of the stored spec, and only a limit that is being lowered refuses it. */
  #fitsUnlowered(request: LedgerRequest, excess: Excess): boolean {
    const limit = quantityOf(this.#options.limits(), excess.resource)
    const prepared = this.#preparedFor(request, excess)
    return limit === undefined || (prepared !== undefined && fits(prepared, limit.sub(excess.used)))
  }

  /** Reports whether a request fits without the advances of other replicas. */
  #fitsWithoutAdvances(request: LedgerRequest, excess: Excess): boolean {
    const prepared = this.#preparedFor(request, excess)
    if (this.#snapshot === undefined || prepared === undefined) return false
    const held = advancedIn(this.#snapshot.state)
    return held.sign() > 0 && fits(prepared, excess.hard.sub(excess.used.sub(held)))
  }

  #preparedFor(asked: LedgerRequest, { resource }: Excess): PreparedRequest | undefined {
    const { amountOf } = this.#options
    return this.#snapshot?.judged
      .get(asked)
      ?.prepared.find(({ request }) => amountOf === undefined || amountOf(request.kind) === resource)
  }

  async write(
    _group: string,
    snapshot: LedgerSnapshot,
    admitted: readonly LedgerRequest[],
  ): Promise<WriteOutcome<UsageStep>> {
    const { judged } = snapshot
    const before = this.#ledger.balanceIn(snapshot.stored)
    let { state } = snapshot
    for (const request of admitted) {
      for (const one of judged.get(request)?.prepared ?? []) {
        state = reserve(state, one)
        this.#ledger.ahead?.used(one.request)
      }
    }
    const written = await this.#ledger.write({ ...snapshot, state })
    if (written instanceof LedgerUnavailable) {
      this.#mustReadLive = true
      // Whether the reservations were written is not known: nothing was allowed on them, so they may go again.
      this.#ledger.release(admitted.flatMap(({ charges }) => charges.slice(0, 1).map(({ id }) => id)))
      return { type: 'rejected', error: written }
    }
    if (written === 'conflict') {
      this.#mustReadLive = true
      return { type: 'conflict' }
    }
    const usage = { before, after: this.#ledger.balanceIn(written) }
    return { type: 'written', results: admitted.map(() => usage) }
  }
}

const settlingText = ({ settling }: LedgerState): string => (isForWidening(settling) ? WIDENED_TEXT : SETTLING_TEXT)

const refuses = ({ decisions }: LedgerSnapshot): boolean => decisions.some(({ verdict }) => verdict === 'denied')
