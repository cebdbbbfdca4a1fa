import { Quantity } from '../../../quantity/quantity.ts'
import { lessThanOrEqual, max, quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import { fill, restricted } from '../../../charges/fill.ts'
import type { Excess } from '../../../charges/refusal.ts'
import { isComparable, isCurrent, ownTotals } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import type { LedgerOptions } from './ledger-options.ts'
import { chargeOf, excessOf, type LedgerState, totalsOf } from './ledger-state.ts'
import { lowest } from './lowering.ts'
import { isFree, type PreparedRequest } from './reserve.ts'

/** The name of the amount of a ledger that keeps only one. */
export const LEDGER_AMOUNT = 'amount'

const ONE_AMOUNT = (): string => LEDGER_AMOUNT

/** The decision on a request to a ledger. */
export type LedgerDecision =
  | { readonly verdict: 'admitted' }
  | {
      readonly verdict: 'denied'
      /** Of the amounts that would exceed their limits. */
      readonly excesses: readonly [Excess, ...Excess[]]
    }

/** The limits of a ledger, and the usage before some requests. */
export interface LedgerAmounts {
  readonly hard: ResourceList
  readonly used: ResourceList
}

/** The names of a request in a ledger, one for each amount that the request raises. */
export interface JudgedRequest {
  readonly prepared: readonly PreparedRequest[]
  readonly dryRun: boolean
}

/** The limits and the usage of a ledger. `state` is folded with the same views. */
export const ledgerAmounts = (
  { limits, amountOf = ONE_AMOUNT }: Pick<LedgerOptions, 'limits' | 'amountOf'>,
  state: LedgerState,
  views: LedgerViews,
): LedgerAmounts => ({ hard: hardOf(limits(), state), used: usedOf(state, views, amountOf) })

/**
 * Decides requests one after another on a running usage, so that all admitted ones fit together. A dry run is decided
 * alike and does not raise the usage.
 */
export function decideCharges(
  { hard, used }: LedgerAmounts,
  requests: readonly JudgedRequest[],
  amountOf: (kind: string) => string = ONE_AMOUNT,
): readonly LedgerDecision[] {
  let running = used
  return requests.map(({ prepared, dryRun }): LedgerDecision => {
    const amounts = { hard, used: running }
    const added = addedAmounts(amounts, prepared, amountOf)
    const filled = fill(amounts, restricted(added, Object.keys(added)) ?? {})
    const [first, ...others] = filled.excesses
    if (first !== undefined) return { verdict: 'denied', excesses: [first, ...others] }
    if (!dryRun) running = filled.used
    return { verdict: 'admitted' }
  })
}

/** Returns the amounts that a request adds to the usage, by their names; possibly none or less than nothing. */
export function addedAmounts(
  { hard, used }: LedgerAmounts,
  prepared: readonly PreparedRequest[],
  amountOf: (kind: string) => string = ONE_AMOUNT,
): ResourceList {
  const added: Record<string, Quantity> = {}
  for (const one of prepared) {
    const name = amountOf(one.request.kind)
    const room = (quantityOf(hard, name) ?? Quantity.zero).sub(quantityOf(used, name) ?? Quantity.zero)
    added[name] = addedBy(one, room)
  }
  return added
}

/** The limits that a ledger is decided by: also lower ones that no replica may have seen in the spec yet. */
const hardOf = (limits: ResourceList, { lowering }: LedgerState): ResourceList => lowest(limits, lowering?.limits ?? {})

/** How much room a ledger leaves that keeps one amount; possibly negative. `state` is folded with the same views. */
export function roomIn(state: LedgerState, views: LedgerViews, limits: ResourceList): Quantity {
  const hard = quantityOf(hardOf(limits, state), LEDGER_AMOUNT) ?? Quantity.zero
  return hard.sub(quantityOf(usedOf(state, views), LEDGER_AMOUNT) ?? Quantity.zero)
}

/**
 * Returns the usage before a request; it may be negative. The larger of the ledger's total and the total by the views
 * counts. `state` is folded with the same views.
 */
export function usedOf(
  state: LedgerState,
  views: LedgerViews,
  amountOf: (kind: string) => string = ONE_AMOUNT,
): ResourceList {
  const totals = totalsOf(state, amountOf)
  return isCurrent(state, views) ? totals : max(totals, ownTotals(state, views, amountOf))
}

/**
 * Reports whether the ledger's totals count as used, and contain all that views and ledger have seen. Then a request
 * may be refused by them, even if another replica has seen more than these views.
 */
export function isCertain(
  state: LedgerState,
  views: LedgerViews,
  amountOf: (kind: string) => string = ONE_AMOUNT,
): boolean {
  if (isCurrent(state, views)) return true
  return isComparable(state, views) && lessThanOrEqual(ownTotals(state, views, amountOf), totalsOf(state, amountOf)).ok
}

/** Reports whether a request fits into this room, which may be negative. */
export function fits(prepared: PreparedRequest, room: Quantity): boolean {
  const added = addedBy(prepared, room)
  return added.sign() <= 0 || added.cmp(room) <= 0
}

/**
 * Returns the amount that a request adds to the total: its cost beyond what its name is charged already.
 *
 * Two cases differ. A create for a name that another object has adds its whole cost if it does not fit beside that
 * object. A request that its name is charged for already may add nothing and still not fit, for example after the limit
 * was lowered. Then all that it raises is added.
 */
function addedBy({ request, before, after, isTaken }: PreparedRequest, room: Quantity): Quantity {
  if (isFree(request)) return Quantity.zero
  const { operation, cost, oldCost } = request
  if (operation === 'CREATE' && isTaken && cost.cmp(room) > 0) return cost
  const added = before === undefined ? excessOf(after) : excessOf(after).sub(excessOf(before))
  const charged = before === undefined ? after.contained : chargeOf(before)
  return added.sign() <= 0 && cost.sub(charged).cmp(room) > 0 ? cost.sub(oldCost) : added
}
