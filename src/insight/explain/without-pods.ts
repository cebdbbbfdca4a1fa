import { type Budget, withUsed } from '../../charges/budget.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { subtractWithNonNegativeResult } from '../../quantity/resource-list.ts'
import { outlook, type Outlook } from './budget-room.ts'
import type { Priced } from './costs.ts'
import type { Facts } from './facts.ts'
import { costTogether } from './measured.ts'

/** Does an object fit into all budgets once some pods are gone? */
export const fitsWithout = (
  gone: readonly KubeObject[],
  next: Priced,
  outlooks: readonly Outlook[],
  facts: Facts,
): boolean =>
  outlooks.every(
    ({ budget }) => outlook(without(budget, gone, next, facts), [{ ...next, missing: 1 }]).excesses.length === 0,
  )

/** A budget as if some pods were gone. */
export const without = (
  budget: Budget,
  gone: readonly KubeObject[],
  { demand: { resource } }: Priced,
  facts: Facts,
): Budget => withUsed(budget, subtractWithNonNegativeResult(budget.used, costTogether(budget, gone, resource, facts)))
