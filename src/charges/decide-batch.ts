import type { ResourceList } from '../quantity/resource-list.ts'
import { type Budget, withUsed } from './budget.ts'
import { type Charge, type Coverage, decide, type Decision } from './decide.ts'
import type { Attributes, Measuring } from './evaluator.ts'
import { type Replacement, type Shift, shiftUsage } from './usage-shift.ts'

/** The budgets that a batch is decided on, as of one moment. */
export interface BudgetSnapshot extends Measuring {
  /** All budgets that may count the objects, as last read; their order decides which refusal comes first. */
  readonly budgets: readonly Budget[]
  readonly coverage?: Coverage | undefined
}

export interface BatchInput extends BudgetSnapshot {
  /** In the order in which the requests came. */
  readonly requests: readonly Attributes[]
  /**
   * The objects that each request stores and replaces. A caller that stores objects and usage in one transaction passes
   * them in. Usage then follows the objects up and down. Without them usage only rises, and a new count lowers it.
   */
  readonly replacements?: readonly (Replacement | undefined)[] | undefined
}

/** A budget whose usage changes. */
export interface BudgetChange {
  /** As it was read. */
  readonly budget: Budget
  readonly used: ResourceList
}

/** The decision on a batch. The decisions are final once all its changes are written, together with what was admitted. */
export interface Batch {
  /** One for each request, in their order. */
  readonly decisions: readonly Decision[]
  /** At most one for each budget. */
  readonly changed: readonly BudgetChange[]
  /** Did a replacement change usage by an amount that cannot be computed? Then the budgets must be counted anew. */
  readonly uncertain: boolean
}

/**
 * Decides requests one after another against a running copy of the budgets (docs/concepts/charging.md), so
 * that all requests admitted together fit together. A dry run is decided alike but does not raise the running copy.
 */
export function decideBatch({ budgets, requests, coverage, replacements = [], ...measuring }: BatchInput): Batch {
  const running = [...budgets]
  let uncertain = false
  const decisions = requests.map((attributes, index) => {
    const decision = decide({ budgets: running, attributes, coverage, ...measuring })
    if (decision.verdict === 'denied' || attributes.dryRun) return decision
    const replacement = replacements[index]
    // A create changes usage by its charges.
    const shifts = replacement?.oldObject === undefined ? decision.charges : shiftUsage(running, replacement, measuring)
    if (shifts === undefined) uncertain = true
    charge(running, shifts ?? decision.charges)
    return decision
  })
  const changed = budgets.flatMap((budget, index) => {
    const { used } = running[index] ?? budget
    return used === budget.used ? [] : [{ budget, used }]
  })
  return { decisions, changed, uncertain }
}

function charge(running: Budget[], charges: readonly (Charge | Shift)[]): void {
  for (const { budget: ref, used } of charges) {
    const index = running.findIndex((budget) => budget.ref === ref)
    const budget = running[index]
    if (budget !== undefined) running[index] = withUsed(budget, used)
  }
}
