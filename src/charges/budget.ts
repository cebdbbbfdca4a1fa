import type { ScopeRequirement } from '../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../machinery/object.ts'
import type { ResourceList } from '../quantity/resource-list.ts'
import type { Evaluator, Evaluators } from './evaluator.ts'

/** Names a budget among all objects: the group and kind that it is written as, and where it stands. */
export interface BudgetRef {
  /** Empty for the core group. */
  readonly group: string
  readonly kind: string
  /** Empty for a budget outside namespaces. */
  readonly namespace: string
  readonly name: string
}

/** Whether a budget counts an object. */
export interface Match {
  readonly counted: boolean
  /** The scope requirements that the object meets, also where it does not meet all of them. */
  readonly met: readonly ScopeRequirement[]
}

/** The rule of a budget: the objects that it counts, the limits that they count towards, and their costs. It is replaced when the limits change. */
export interface BudgetRule {
  /** The costs of objects. Budgets that share their evaluators share the measuring of an object. */
  readonly evaluators: Evaluators
  /** The names of the budget's limits, sorted, that objects of the evaluator's kind count towards. */
  countedBy(evaluator: Evaluator): readonly string[]
  /** Throws ScopeError and QuantityError where that cannot be evaluated. */
  match(object: KubeObject, evaluator: Evaluator): Match
}

/**
 * A limit on what objects use together (docs/decisions/010). `decide` judges budgets and nothing else: a
 * ResourceQuota is one kind of them. A value; `withUsed` gives the same budget with another usage.
 */
export interface Budget {
  readonly ref: BudgetRef
  /** The limits in force, by resource name. */
  readonly hard: ResourceList
  /** The usage of the limits. A name without an amount has not been counted yet. */
  readonly used: ResourceList
  readonly rule: BudgetRule
}

/** The same budget with another usage. It keeps the `ref` itself, by which the states of one budget are found. */
export function withUsed<B extends Budget>(budget: B, used: ResourceList): B {
  return { ...budget, used }
}
