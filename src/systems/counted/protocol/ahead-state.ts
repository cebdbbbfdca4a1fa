import { Quantity } from '../../../quantity/quantity.ts'
import { holdsAdvance, NOTHING_SPENT, spend, type Spending, withAdvance } from './advance.ts'
import type { Advance, LedgerState } from './ledger-state.ts'
import type { ChargeRequest } from './reserve.ts'

/** A request that was allowed on an advance. */
interface Entry {
  readonly order: number
  readonly request: ChargeRequest
}

/** The requests that one replica allowed on its advance in one ledger and has yet to name there. A value. */
export interface AheadState {
  /** The usable part of the advance in the ledger. Undefined if no request may be allowed on it. */
  readonly granted: Advance | undefined
  /** In the order in which they were allowed. */
  readonly entries: readonly Entry[]
  /** Of all entries. */
  readonly spending: Spending
  /**
   * The write in flight: the advance that it brings, the last entry that it names, and the spending of later entries.
   */
  readonly writing:
    | { readonly advance: Advance | undefined; readonly named: number; readonly later: Spending }
    | undefined
  /** The number of the last entry. */
  readonly order: number
}

export const NOT_AHEAD: AheadState = {
  granted: undefined,
  entries: [],
  spending: NOTHING_SPENT,
  writing: undefined,
  order: 0,
}

/**
 * Allows a request if it fits; returns undefined if it does not. `ledger` is the ledger as this replica has it. While a
 * write is in flight, the ledger may hold the old or the new advance. Then the request must fit both.
 */
export function takeAhead(
  ahead: AheadState,
  ledger: LedgerState,
  request: ChargeRequest,
  fitted = fitAhead(ahead, request),
): AheadState | undefined {
  const { granted } = ahead
  return granted !== undefined && holdsAdvance(ledger, granted) ? fitted : undefined
}

/** The part of `takeAhead` that needs no ledger: returns undefined if the request does not fit, whatever the ledger holds. */
export function fitAhead(ahead: AheadState, request: ChargeRequest): AheadState | undefined {
  const { granted, writing, entries } = ahead
  if (granted === undefined) return undefined
  const spending = spend(ahead.spending, request)
  if (spending.spent.cmp(granted.amount) > 0) return undefined
  const later = writing && spend(writing.later, request)
  if (later !== undefined && later.spent.cmp(writing?.advance?.amount ?? Quantity.zero) > 0) return undefined
  const order = ahead.order + 1
  return {
    granted,
    entries: [...entries, { order, request }],
    spending,
    writing: writing && later && { ...writing, later },
    order,
  }
}

/** The next advance that a write is to bring. */
export interface WantedAdvance extends Advance {
  /** Returns the amount that the ledger leaves free once it is written, without the advance. Hardly any write needs to know. */
  readonly room: () => Quantity
}

/**
 * Begins a write of a ledger that names the requests up to `named`. Returns the ledger to write. The advance covers at
 * least what was allowed after `named`. Returns undefined if that exceeds `room`; then the ledger must be read again.
 */
export function beginWrite(
  ahead: AheadState,
  ledger: LedgerState,
  named: number,
  { room, ...wanted }: WantedAdvance,
): { readonly ahead: AheadState; readonly ledger: LedgerState } | undefined {
  const later = spendingOf(ahead.entries.filter(({ order }) => order > named))
  if (later.spent.sign() > 0 && later.spent.cmp(room()) > 0) return undefined
  const amount = wanted.amount.cmp(later.spent) < 0 ? later.spent : wanted.amount
  const advance = amount.sign() <= 0 ? undefined : { ...wanted, amount }
  return {
    ahead: { ...ahead, writing: { advance, named, later } },
    ledger: advance === undefined ? ledger : withAdvance(ledger, advance),
  }
}

/** The write was stored: the ledger holds its advance and names its requests. */
export function writtenAhead(ahead: AheadState): AheadState {
  if (ahead.writing === undefined) return ahead
  const { advance, named } = ahead.writing
  return { ...kept(ahead, ({ order }) => order > named), granted: advance, writing: undefined }
}

/** The write was not stored: the ledger holds what it held. */
export const failedAhead = (ahead: AheadState): AheadState => ({ ...ahead, writing: undefined })

/** Whether the write was stored is not known, or the time of the advance is over: nothing more is allowed on it. */
export const lostAhead = (ahead: AheadState): AheadState => ({ ...ahead, granted: undefined, writing: undefined })

/** A request is not allowed in the end. */
export function withoutRequest(ahead: AheadState, id: string): AheadState {
  return ahead.entries.some(({ request }) => request.id === id)
    ? kept(ahead, ({ request }) => request.id !== id)
    : ahead
}

function kept(ahead: AheadState, isKept: (entry: Entry) => boolean): AheadState {
  const entries = ahead.entries.filter(isKept)
  return { ...ahead, entries, spending: spendingOf(entries) }
}

const spendingOf = (entries: readonly Entry[]): Spending =>
  entries.reduce((spending, { request }) => spend(spending, request), NOTHING_SPENT)
