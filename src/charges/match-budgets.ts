import { QuantityError } from '../quantity/quantity.ts'
import { quantityOf } from '../quantity/resource-list.ts'
import type { Budget, Match } from './budget.ts'
import { type Attributes, type Evaluator, type Evaluators, ScopeError } from './evaluator.ts'
import type { Refusal } from './refusal.ts'

/** The evaluators that charge a request, by the table that each comes from; most requests meet budgets of one table. */
export type RequestEvaluators = ReadonlyMap<Evaluators, Evaluator>

/** A budget that counts the object, and the names it counts it towards. */
export interface BudgetMatch {
  readonly budget: Budget
  readonly evaluator: Evaluator
  readonly names: readonly string[]
}

export interface BudgetMatches {
  /** Those that can be charged. */
  readonly matching: readonly BudgetMatch[]
  /** Names that some budget counts the object towards, also one that cannot be charged now. */
  readonly covered: ReadonlySet<string>
  /** Scope names of the requirements that the object meets, of all budgets, also of those that do not match. */
  readonly metScopes: ReadonlySet<string>
}

/**
 * Finds the budgets that count an object. Some budgets count the object and cannot be charged: they demand a value that
 * it lacks, or their usage is not known. Each of these adds a refusal instead.
 */
export function matchBudgets(
  budgets: readonly Budget[],
  evaluators: RequestEvaluators,
  { object }: Attributes,
  refusals: Refusal[],
): BudgetMatches {
  const matching: BudgetMatch[] = []
  const covered = new Set<string>()
  const metScopes = new Set<string>()
  for (const budget of budgets) {
    const evaluator = evaluators.get(budget.rule.evaluators)
    if (evaluator === undefined) continue
    let match: Match
    try {
      match = budget.rule.match(object, evaluator)
    } catch (error) {
      if (!(error instanceof ScopeError) && !(error instanceof QuantityError)) throw error
      refusals.push({ reason: 'scope-error', code: 500, budget: budget.ref, message: error.message })
      continue
    }
    for (const { scopeName } of match.met) metScopes.add(scopeName)
    if (!match.counted) continue
    const names = budget.rule.countedBy(evaluator)
    if (names.length === 0) continue
    for (const name of names) covered.add(name)
    const refusal = unusable(budget, names, evaluator, object)
    if (refusal === undefined) matching.push({ budget, evaluator, names })
    else refusals.push(refusal)
  }
  return { matching, covered, metScopes }
}

function unusable(
  budget: Budget,
  names: readonly string[],
  evaluator: Evaluator,
  object: Attributes['object'],
): Refusal | undefined {
  const missing = evaluator.missing?.(names, object) ?? []
  if (missing.length > 0) return { reason: 'missing-values', code: 403, budget: budget.ref, missing }
  if (names.every((name) => quantityOf(budget.used, name) !== undefined)) return undefined
  return { reason: 'status-unknown', code: 403, budget: budget.ref, resources: names }
}
