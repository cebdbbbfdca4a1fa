import { Quantity } from '../../../quantity/quantity.ts'
import { lessThanOrEqual, max, quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import type { Budget, BudgetRule } from '../../../charges/budget.ts'
import type { Attributes } from '../../../charges/evaluator.ts'
import { isComparable, isCurrent, ownTotals } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import type { LedgerOptions } from './ledger-options.ts'
import { chargeOf, excessOf, type LedgerState, totalsOf } from './ledger-state.ts'
import { lowest } from './lowering.ts'
import { type ChargeRequest, isFree, type PreparedRequest, prepareRequest } from './reserve.ts'

/** The name of the amount of a ledger that keeps only one. */
export const LEDGER_AMOUNT = 'amount'

const ONE_AMOUNT = (): string => LEDGER_AMOUNT

/** A ledger's budget measures nothing: requests come with what they cost. */
const RULE: BudgetRule = {
  evaluators: { of: () => undefined },
  countedBy: () => [],
  match: () => ({ counted: false, met: [] }),
}

/** A request and the attributes by which `decide` knows it. */
export interface AttributedCharge {
  readonly attributes: Attributes
  /** One for each amount that the request raises. */
  readonly charges: readonly ChargeRequest[]
}

/** A ledger's budget for some requests, and what is known of their names at the same moment. */
export interface JudgedRequests {
  readonly budget: Budget
  readonly prepared: ReadonlyMap<Attributes, readonly PreparedRequest[]>
}

/** The budget of a ledger, for `decide` to judge these requests by. `state` is folded with the same views. */
export function ledgerBudget(
  { ref, limits, amountOf = ONE_AMOUNT }: Pick<LedgerOptions, 'ref' | 'limits' | 'amountOf'>,
  state: LedgerState,
  views: LedgerViews,
  requests: readonly AttributedCharge[],
): JudgedRequests {
  const prepared = new Map(
    requests.map(
      ({ attributes, charges }) => [attributes, charges.map((one) => prepareRequest(state, views, one))] as const,
    ),
  )
  const hard = hardOf(limits(), state)
  const budget: Budget = {
    ref,
    hard,
    used: usedOf(state, views, amountOf),
    rule: RULE,
    added: (attributes, before) => {
      const added: Record<string, Quantity> = {}
      for (const request of prepared.get(attributes) ?? []) {
        const name = amountOf(request.request.kind)
        const room = (quantityOf(hard, name) ?? Quantity.zero).sub(quantityOf(before, name) ?? Quantity.zero)
        added[name] = addedBy(request, room)
      }
      return added
    },
  }
  return { budget, prepared }
}

/** The limits that a ledger is decided by: also lower ones that no replica may have seen in the spec yet. */
export const hardOf = (limits: ResourceList, { lowering }: LedgerState): ResourceList =>
  lowest(limits, lowering?.limits ?? {})

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

/** Does a request fit where the total leaves so much room, possibly less than none? */
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
