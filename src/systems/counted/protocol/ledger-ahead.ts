import { Quantity } from '../../../quantity/quantity.ts'
import { withNamed, withoutAdvance } from './advance.ts'
import {
  type AheadState,
  beginWrite,
  failedAhead,
  fitAhead,
  lostAhead,
  NOT_AHEAD,
  takeAhead,
  withoutRequest,
  writtenAhead,
} from './ahead-state.ts'
import type { LedgerViews } from './kind-view.ts'
import { sizeOfRequest } from './ledger-size.ts'
import type { LedgerState } from './ledger-state.ts'
import type { ChargeRequest } from './reserve.ts'

/** The dependencies of advances. */
export interface AheadOptions {
  /** Names this process among all replicas of all times. */
  readonly owner: string
  /** Resolves after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>
  /** How advances are measured; `MEASURE` unless set. */
  readonly measure?: AheadMeasure
}

/** How much a replica reserves ahead. */
export interface AheadMeasure {
  /** Fewer requests within the last seconds are worth no advance. */
  readonly leastRequests: number
  /** An advance holds at most such a part of the room that is left, so that others hardly notice it. */
  readonly partOfRoom: bigint
}

const MEASURE: AheadMeasure = { leastRequests: 8, partOfRoom: 16n }

/**
 * The milliseconds for which a replica allows requests on an advance, counted from before its write. Other replicas let
 * it lapse like a reservation, after the time of requests and a margin. This value must be shorter than that margin.
 */
export const ADVANCE_MS = 1_000
/** The most requests on an advance, so that the write that names them stays small. */
const MOST_REQUESTS = 128
/** An advance holds the cost of at most so many requests. */
const MOST_AHEAD = 512

/** Requests within a second. */
interface Demand {
  readonly count: number
  /** The most that one of them raised. */
  readonly largest: Quantity
}

const NO_DEMAND: Demand = { count: 0, largest: Quantity.zero }

/**
 * The advances of one replica in one ledger (docs/decisions/016). A request that fits the advance is allowed at once.
 * The next write of the ledger names it there. That write also renews the advance, by the demand and the room that is
 * left.
 */
export class LedgerAhead {
  readonly #options: AheadOptions & { readonly clock: () => number }
  #state: AheadState = NOT_AHEAD
  #size = 0
  #writing: PromiseWithResolvers<void> | undefined
  /** Until when the advance may be used, and the one of a write in flight. */
  #until = 0
  #next = 0
  #grants = 0
  #isEnded = false
  /** The demand of the second that began then, and of the one before. */
  #demand = { from: 0, now: NO_DEMAND, before: NO_DEMAND }

  constructor(options: AheadOptions & { readonly clock: () => number }) {
    this.#options = options
  }

  /** Reports whether requests may be allowed on the advance now. */
  get isUsable(): boolean {
    const { granted, entries } = this.#state
    return granted !== undefined && entries.length < MOST_REQUESTS && this.#options.clock() < this.#until
  }

  /** Returns the advance with the request on it, for `take` in the same turn. Returns undefined if it does not fit, whatever the ledger holds. */
  fitted(request: ChargeRequest): AheadState | undefined {
    return this.isUsable ? fitAhead(this.#state, request) : undefined
  }

  /** Allows a request that fits, if the ledger holds the advance. `ledger`: as this replica has it. */
  take(ledger: LedgerState, request: ChargeRequest, fitted: AheadState): boolean {
    const taken = takeAhead(this.#state, ledger, request, fitted)
    if (taken === undefined) return false
    this.#state = taken
    this.#size += sizeOfRequest(request)
    this.used(request)
    return true
  }

  /** How many requests of a namespace were allowed and are not named in the ledger. */
  countIn(namespace: string): number {
    let count = 0
    for (const { request } of this.#state.entries) if (request.namespace === namespace) count++
    return count
  }

  /** The bytes that the requests which are not named in the ledger add to it at most. */
  get size(): number {
    return this.#size
  }

  /** Counts a request, allowed on the advance or not, by which the next advance is measured. */
  used({ cost, oldCost }: Pick<ChargeRequest, 'cost' | 'oldCost'>): void {
    const { from, now, before } = this.#demandNow()
    const raised = cost.sub(oldCost)
    const largest = raised.cmp(now.largest) > 0 ? raised : now.largest
    this.#demand = { from, now: { count: now.count + 1, largest }, before }
  }

  #demandNow(): { readonly from: number; readonly now: Demand; readonly before: Demand } {
    const time = this.#options.clock()
    const past = time - this.#demand.from
    if (past < ADVANCE_MS) return this.#demand
    return { from: time, now: NO_DEMAND, before: past < 2 * ADVANCE_MS ? this.#demand.now : NO_DEMAND }
  }

  /** Reports whether a write is due that names the allowed requests and renews the advance. */
  get isDue(): boolean {
    const { granted, entries, spending } = this.#state
    if (granted === undefined || this.isWriting || entries.length === 0) return false
    return (
      entries.length >= MOST_REQUESTS / 2 ||
      spending.spent.add(spending.spent).cmp(granted.amount) >= 0 ||
      this.#options.clock() >= this.#until - ADVANCE_MS / 2
    )
  }

  get isWriting(): boolean {
    return this.#state.writing !== undefined
  }

  /** Resolves when the write in flight has ended. */
  idle(): Promise<void> {
    return this.#writing?.promise ?? Promise.resolve()
  }

  /** How much was allowed on the advance beside what the ledger says, less what the advance holds of it. */
  get balance(): Quantity {
    const { granted, spending } = this.#state
    return granted === undefined ? Quantity.zero : spending.spent.sub(granted.amount)
  }

  /** The ledger as this replica decides on it: its requests are named, and its advance is not held. `ledger` is folded with the views. */
  named(ledger: LedgerState, views: LedgerViews): { readonly state: LedgerState; readonly named: number } {
    const { entries, order } = this.#state
    const requests = entries.map(({ request }) => request)
    return { state: withNamed(withoutAdvance(ledger, this.#options.owner), views, requests), named: order }
  }

  /**
   * Begins a write. Returns the ledger to write, with the next advance, or undefined if the ledger must be read again.
   * `room`: returns what the ledger leaves free. `named`: as returned by `named`.
   */
  begin(ledger: LedgerState, room: () => Quantity, named: number): LedgerState | undefined {
    const { owner, clock } = this.#options
    const id = `${owner}+${(++this.#grants).toString(36)}`
    const begun = beginWrite(this.#state, ledger, named, { owner, id, amount: this.#wanted(ledger, room), room })
    if (begun === undefined) return undefined
    this.#change(begun.ahead)
    this.#next = clock() + ADVANCE_MS
    return begun.ledger
  }

  /** The write was stored. */
  written(): void {
    this.#change(writtenAhead(this.#state))
    this.#until = this.#next
  }

  /** The write was not stored, because the ledger is another by now. */
  failed(): void {
    this.#change(failedAhead(this.#state))
  }

  /** Whether the write was stored is not known. */
  lost(): void {
    this.#change(lostAhead(this.#state))
  }

  /** A request is not allowed in the end. */
  release(id: string): void {
    this.#keep(withoutRequest(this.#state, id))
  }

  /** Nothing more is reserved ahead; the process ends. Gives whether the ledger has to be written for that. */
  end(): boolean {
    this.#isEnded = true
    this.#until = 0
    const { granted, entries, writing } = this.#state
    return granted !== undefined || entries.length > 0 || writing !== undefined
  }

  #keep(state: AheadState): void {
    if (state.entries !== this.#state.entries)
      this.#size = state.entries.reduce((sum, { request }) => sum + sizeOfRequest(request), 0)
    this.#state = state
  }

  #change(state: AheadState): void {
    this.#keep(state)
    if (state.writing !== undefined) this.#writing ??= Promise.withResolvers()
    else {
      this.#writing?.resolve()
      this.#writing = undefined
    }
  }

  /** Returns the cost of the requests that are expected before the next write, at most the room. */
  #wanted({ waits, settling, lowering }: LedgerState, room: () => Quantity): Quantity {
    const isWaiting = waits.values().some(({ rounds }) => rounds > 0)
    if (this.#isEnded || settling !== '' || lowering !== undefined || isWaiting) return Quantity.zero
    const { leastRequests, partOfRoom } = this.#options.measure ?? MEASURE
    const { now, before } = this.#demandNow()
    const count = now.count + before.count
    if (count < leastRequests) return Quantity.zero
    const largest = now.largest.cmp(before.largest) > 0 ? now.largest : before.largest
    const most = room()
    for (let requests = MOST_AHEAD; requests >= 1; requests /= 2) {
      const amount = largest.mul(BigInt(requests))
      if (requests < 2 * count && amount.mul(partOfRoom).cmp(most) <= 0) return amount
    }
    return Quantity.zero
  }
}
