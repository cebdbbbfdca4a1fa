import { Quantity } from '../../quantity/quantity.ts'
import { quantityOf } from '../../quantity/resource-list.ts'
import type { Budget, BudgetRef, BudgetRule } from '../budget.ts'
import type { Attributes } from '../evaluator.ts'
import { isComparable, isCurrent, ownTotal } from './fold.ts'
import type { LedgerViews } from './kind-view.ts'
import { excessOf, type LedgerState, totalOf } from './ledger-state.ts'
import { type ChargeRequest, isFree, prepare, type PreparedRequest } from './reserve.ts'

/** The only name among the limits of a budget that a ledger keeps. */
export const LEDGER_AMOUNT = 'amount'

/** A ledger's budget measures nothing: requests come with what they cost. */
const RULE: BudgetRule = {
  evaluators: { of: () => undefined },
  countedBy: () => [],
  match: () => ({ counted: false, met: [] }),
}

/** A request and the attributes by which `decide` knows it. */
export interface AttributedCharge {
  readonly attributes: Attributes
  readonly charge: ChargeRequest
}

/** A ledger's budget for some requests, and what is known of their names at the same moment. */
export interface JudgedRequests {
  readonly budget: Budget
  readonly prepared: ReadonlyMap<Attributes, PreparedRequest>
}

/** The budget of a ledger, for `decide` to judge these requests by. `state` is folded with the same views. */
export function ledgerBudget(
  ref: BudgetRef,
  limit: Quantity,
  state: LedgerState,
  views: LedgerViews,
  requests: readonly AttributedCharge[],
): JudgedRequests {
  const prepared = new Map(
    requests.map(({ attributes, charge }) => [attributes, prepare(state, views, charge)] as const),
  )
  const budget: Budget = {
    ref,
    hard: { [LEDGER_AMOUNT]: limit },
    used: { [LEDGER_AMOUNT]: usedOf(state, views) },
    rule: RULE,
    added: (attributes, before) => {
      const request = prepared.get(attributes)
      const room = limit.sub(quantityOf(before, LEDGER_AMOUNT) ?? Quantity.zero)
      return request === undefined ? {} : { [LEDGER_AMOUNT]: addedBy(request, room) }
    },
  }
  return { budget, prepared }
}

/**
 * Returns the usage before a request, possibly negative: the larger of the ledger's total and the total by the views.
 * `state` is folded with the same views.
 */
function usedOf(state: LedgerState, views: LedgerViews): Quantity {
  const total = totalOf(state)
  if (isCurrent(state, views)) return total
  const own = ownTotal(state, views)
  return own.cmp(total) > 0 ? own : total
}

/**
 * Is what counts as used the ledger's own total, of all that views and ledger have seen? Then it may be refused on, also where
 * another replica has seen more than these views.
 */
export function isCertain(state: LedgerState, views: LedgerViews): boolean {
  if (isCurrent(state, views)) return true
  return isComparable(state, views) && ownTotal(state, views).cmp(totalOf(state)) <= 0
}

/**
 * How much a request adds to the total: as much as its cost exceeds what its name is charged. A create whose name another object
 * has can be stored only after that one went; where it would not fit beside that one it is refused, before the API server finds
 * the name taken.
 */
function addedBy({ request, before, after, isTaken }: PreparedRequest, room: Quantity): Quantity {
  if (isFree(request)) return Quantity.zero
  const { operation, cost } = request
  if (operation === 'CREATE' && isTaken && cost.cmp(room) > 0) return cost
  return before === undefined ? excessOf(after) : excessOf(after).sub(excessOf(before))
}
