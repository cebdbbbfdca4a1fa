import type { ScopeRequirement } from '../kinds/resource-quota/resource-quota.ts'
import type { Quantity } from '../quantity/quantity.ts'
import type { BudgetRef } from './budget.ts'
import type { MissingValue } from './evaluator.ts'

/** A resource that would exceed its limit. */
export interface Excess {
  readonly resource: string
  /** The amount that this request adds. */
  readonly requested: Quantity
  /** The usage without it, earlier requests of the same batch included. */
  readonly used: Quantity
  readonly hard: Quantity
}

/** A budget that has no room for a request, of whatever kind it is. */
export interface Exceeded {
  readonly reason: 'exceeded'
  readonly code: 403
  readonly budget: BudgetRef
  /** Sorted by resource. */
  readonly excesses: readonly Excess[]
}

/** Why a request is refused. `code` is that of the answer: 500 where upstream fails instead of denying. */
export type Refusal =
  | Exceeded
  | {
      readonly reason: 'missing-values'
      readonly code: 403
      readonly budget: BudgetRef
      readonly missing: readonly MissingValue[]
    }
  | {
      readonly reason: 'status-unknown'
      readonly code: 403
      readonly budget: BudgetRef
      readonly resources: readonly string[]
    }
  | { readonly reason: 'negative-usage'; readonly code: 403; readonly resources: readonly string[] }
  | { readonly reason: 'no-old-object'; readonly code: 403 }
  | { readonly reason: 'insufficient-quota'; readonly code: 403; readonly resources: readonly string[] }
  | { readonly reason: 'insufficient-scopes'; readonly code: 500; readonly scopes: readonly ScopeRequirement[] }
  | { readonly reason: 'scope-error'; readonly code: 500; readonly budget: BudgetRef; readonly message: string }
  | { readonly reason: 'unmeasurable'; readonly code: 500; readonly message: string }
