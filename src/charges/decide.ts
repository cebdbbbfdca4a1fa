import { QuantityError } from '../quantity/quantity.ts'
import { isNegative, removeZeros, subtractWithNonNegativeResult, type ResourceList } from '../quantity/resource-list.ts'
import type { Budget, BudgetRef } from './budget.ts'
import { type Attributes, type Evaluator, type Evaluators, type Measuring, ScopeError } from './evaluator.ts'
import { type BudgetMatch, type BudgetMatches, matchBudgets, type RequestEvaluators } from './match-budgets.ts'
import { fill, restricted } from './fill.ts'
import type { Refusal } from './refusal.ts'

/** The amounts that an admitted request takes from one budget. */
export interface Charge {
  readonly budget: BudgetRef
  /** The non-zero additions. */
  readonly requested: ResourceList
  /** The budget's whole usage with them. */
  readonly used: ResourceList
}

export interface Admitted {
  readonly verdict: 'admitted'
  /** One for each budget whose usage rises, in the order of the budgets; none for most requests. */
  readonly charges: readonly Charge[]
}

export interface Denied {
  readonly verdict: 'denied'
  /** Every reason; the first is the one that Kubernetes would give. */
  readonly refusals: readonly [Refusal, ...Refusal[]]
}

export type Decision = Admitted | Denied

/** The resources that may be used only where a budget covers them (upstream `LimitedResources`). */
export interface Coverage {
  /** They measure what a request uses. */
  readonly evaluators: Evaluators
  /** `usage`: what the object costs. `matches`: what the budgets cover of it. */
  readonly uncovered: (
    attributes: Attributes,
    usage: ResourceList,
    matches: Pick<BudgetMatches, 'covered' | 'metScopes'>,
  ) => readonly Refusal[]
}

export interface DecideInput extends Measuring {
  /** All budgets that may count the object; the order decides which refusal comes first. */
  readonly budgets: readonly Budget[]
  readonly attributes: Attributes
  readonly coverage?: Coverage | undefined
}

const NOT_CHARGED: Admitted = { verdict: 'admitted', charges: [] }

/**
 * Decides one request as upstream's `CheckRequest` does, except that it goes on after
 * the first failure to name every reason. A dry run is decided like any request: its charges must not be written.
 */
export function decide(input: DecideInput): Decision {
  const { budgets, attributes, coverage } = input
  if (budgets.length === 0 && coverage === undefined) return NOT_CHARGED
  const evaluators = evaluatorsOf(input)
  if (evaluators.size === 0) return NOT_CHARGED
  const refusals: Refusal[] = []
  const matches = matchBudgets(budgets, evaluators, attributes, refusals)
  const costs = measure(evaluators, input, refusals)
  const charges = chargeBudgets(matches, costs, evaluators, input, refusals)
  const [first, ...others] = refusals
  // A status only reports what has happened already: it is charged but cannot be refused.
  if (first === undefined || attributes.subresource === 'status') return { verdict: 'admitted', charges }
  return { verdict: 'denied', refusals: [first, ...others] }
}

/** The evaluators that handle the request. */
function evaluatorsOf({ budgets, attributes, coverage }: DecideInput): RequestEvaluators {
  const found = new Map<Evaluators, Evaluator>()
  let last: Evaluators | undefined
  const add = (evaluators: Evaluators): void => {
    if (evaluators === last || found.has(evaluators)) return
    last = evaluators
    const evaluator = evaluators.of(attributes)
    if (evaluator?.handles(attributes) === true) found.set(evaluators, evaluator)
  }
  for (const { rule } of budgets) add(rule.evaluators)
  if (coverage !== undefined) add(coverage.evaluators)
  return found
}

interface Costs {
  /** The cost of the object. */
  readonly whole: ResourceList
  /** The excess of this cost over that of the object it replaces; the whole cost for a new object. Without zeros. */
  readonly more: ResourceList
}

/** Returns the cost of the request by each evaluator; one that cannot measure it is left out, and the reason is a refusal. */
function measure(
  evaluators: RequestEvaluators,
  { attributes, now, lookup }: DecideInput,
  refusals: Refusal[],
): ReadonlyMap<Evaluator, Costs> {
  const { operation, object, oldObject } = attributes
  const costs = new Map<Evaluator, Costs>()
  for (const evaluator of evaluators.values()) {
    try {
      const whole = evaluator.usage(object, { now, lookup })
      const negative = isNegative(whole)
      if (negative.length > 0) refusals.push({ reason: 'negative-usage', code: 403, resources: negative })
      if (operation === 'UPDATE' && oldObject === undefined) {
        refusals.push({ reason: 'no-old-object', code: 403 })
        continue
      }
      const replaced = operation === 'UPDATE' && isStored(oldObject) ? oldObject : undefined
      const more =
        replaced === undefined
          ? whole
          : subtractWithNonNegativeResult(whole, evaluator.usage(replaced, { now, lookup }))
      costs.set(evaluator, { whole, more: removeZeros(more) })
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error
      refusals.push({ reason: 'unmeasurable', code: 500, message: error.message })
    }
  }
  return costs
}

/** An update that creates the object has an old one too, but no stored one. */
const isStored = (object: Attributes['oldObject']): object is Attributes['object'] =>
  (object?.metadata.resourceVersion ?? '') !== ''

function chargeBudgets(
  matches: BudgetMatches,
  costs: ReadonlyMap<Evaluator, Costs>,
  evaluators: RequestEvaluators,
  { attributes, coverage }: DecideInput,
  refusals: Refusal[],
): readonly Charge[] {
  const additions: { readonly budget: Budget; readonly requested: ResourceList }[] = []
  for (const match of matches.matching) {
    const requested = requestedOf(match, costs.get(match.evaluator), attributes)
    if (requested !== undefined) additions.push({ budget: match.budget, requested })
  }
  if (additions.length === 0 && [...costs.values()].every(({ more }) => Object.keys(more).length === 0)) return []
  if (coverage !== undefined) {
    const evaluator = evaluators.get(coverage.evaluators)
    const usage = evaluator === undefined ? undefined : costs.get(evaluator)?.whole
    if (usage !== undefined) refusals.push(...coverage.uncovered(attributes, usage, matches))
  }
  return additions.map(({ budget, requested }) => {
    const { used, excesses } = fill(budget, requested)
    if (excesses.length > 0) refusals.push({ reason: 'exceeded', code: 403, budget: budget.ref, excesses })
    return { budget: budget.ref, requested, used }
  })
}

/** Returns the amounts that the request adds to the budget; undefined where it adds nothing. */
function requestedOf(
  { budget, evaluator, names }: BudgetMatch,
  costs: Costs | undefined,
  attributes: Attributes,
): ResourceList | undefined {
  if (costs === undefined) return undefined
  return restricted(countedOld(budget, evaluator, attributes) ? costs.more : costs.whole, names)
}

/** A budget that did not count the stored object is charged the whole new one: an update may change the scopes it is in. */
function countedOld({ rule }: Budget, evaluator: Evaluator, { operation, oldObject }: Attributes): boolean {
  if (operation !== 'UPDATE' || !isStored(oldObject)) return true
  try {
    return rule.match(oldObject, evaluator).counted
  } catch (error) {
    if (error instanceof ScopeError || error instanceof QuantityError) return false
    throw error
  }
}
