import {
  type ResourceQuota,
  type ScopeRequirement,
  scopeRequirements,
} from '../../../kinds/resource-quota/resource-quota.ts'
import { qualified } from '../../../machinery/status.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { BudgetRule, Match } from '../../../charges/budget.ts'
import type { Evaluator, Evaluators } from '../../../charges/evaluator.ts'
import { matchingScopes } from '../../../charges/evaluators/scopes.ts'

const ALWAYS: Match = { counted: true, met: [] }

/**
 * The rule of a ResourceQuota as a budget. The evaluator of a kind says which limits count its objects. An object is
 * counted if it meets all scopes. The names for each kind are computed once and kept.
 */
export class QuotaRule implements BudgetRule {
  readonly evaluators: Evaluators
  /** The names of the limits, sorted. */
  readonly names: readonly string[]
  /** All must match; `spec.scopes` stand first, as `Exists`. */
  readonly scopes: readonly ScopeRequirement[]
  readonly #counted = new Map<string, readonly string[]>()

  constructor(names: Iterable<string>, scopes: readonly ScopeRequirement[], evaluators: Evaluators) {
    this.names = [...names].toSorted()
    this.scopes = scopes
    this.evaluators = evaluators
  }

  countedBy(evaluator: Evaluator): readonly string[] {
    const id = qualified(evaluator)
    const known = this.#counted.get(id)
    if (known !== undefined) return known
    const counted = this.names.filter((name) => evaluator.counts(name))
    this.#counted.set(id, counted)
    return counted
  }

  match(object: KubeObject, evaluator: Evaluator): Match {
    if (this.scopes.length === 0) return ALWAYS
    const met = matchingScopes(evaluator, this.scopes, object)
    return { counted: met.length === this.scopes.length, met }
  }
}

/** Returns the rule for counting a quota anew. It is the rule of the spec, which the status will follow. */
export function countingRule(quota: ResourceQuota, evaluators: Evaluators): QuotaRule {
  return new QuotaRule(Object.keys(quota.spec?.hard ?? {}), scopeRequirements(quota.spec), evaluators)
}
