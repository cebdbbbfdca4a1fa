import type { ScopeRequirement } from '../api/resource-quota/resource-quota.ts'
import { QuantityError } from '../quantity/quantity.ts'
import { quantityOf } from '../quantity/resource-list.ts'
import type { Refusal } from './decide.ts'
import { type Attributes, type Evaluator, ScopeError } from './evaluator.ts'
import type { QuotaState } from './resource-quota/quota-budget.ts'
import { matchingScopes } from './evaluators/scopes.ts'

/** A quota that counts the object, and the names it counts it towards. */
export interface Match {
  readonly quota: QuotaState
  readonly names: readonly string[]
}

export interface Matches {
  /** Those that can be charged. */
  readonly matching: readonly Match[]
  /** Names that some quota counts the object towards, were it one that cannot be charged now. */
  readonly covered: ReadonlySet<string>
  /** Scope names of the requirements that the object meets, of all quotas, also of those that do not match. */
  readonly metScopes: ReadonlySet<string>
}

/**
 * Finds the quotas that count an object. Those that do but cannot be charged, because they demand a value that the object
 * lacks or do not know their usage, are added to the refusals instead.
 */
export function matchQuotas(
  quotas: readonly QuotaState[],
  evaluator: Evaluator,
  { object }: Attributes,
  refusals: Refusal[],
): Matches {
  const matching: Match[] = []
  const covered = new Set<string>()
  const metScopes = new Set<string>()
  for (const quota of quotas) {
    let met: readonly ScopeRequirement[]
    try {
      met = matchingScopes(evaluator, quota.scopes, object)
    } catch (error) {
      if (!(error instanceof ScopeError) && !(error instanceof QuantityError)) throw error
      refusals.push({ reason: 'scope-error', code: 500, quota: quota.name, message: error.message })
      continue
    }
    for (const { scopeName } of met) metScopes.add(scopeName)
    if (met.length < quota.scopes.length) continue
    const names = quota.limits.countedBy(evaluator)
    if (names.length === 0) continue
    for (const name of names) covered.add(name)
    const refusal = unusable(quota, names, evaluator, object)
    if (refusal === undefined) matching.push({ quota, names })
    else refusals.push(refusal)
  }
  return { matching, covered, metScopes }
}

function unusable(
  quota: QuotaState,
  names: readonly string[],
  evaluator: Evaluator,
  object: Attributes['object'],
): Refusal | undefined {
  const missing = evaluator.missing?.(names, object) ?? []
  if (missing.length > 0) return { reason: 'missing-values', code: 403, quota: quota.name, missing }
  if (names.every((name) => quantityOf(quota.used, name) !== undefined)) return undefined
  return { reason: 'status-unknown', code: 403, quota: quota.name, resources: names }
}
