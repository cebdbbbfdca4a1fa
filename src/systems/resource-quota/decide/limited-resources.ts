import type { ScopeRequirement } from '../../../kinds/resource-quota/resource-quota.ts'
import type { LimitedResource } from '../api/configuration.ts'
import type { ResourceList } from '../../../quantity/resource-list.ts'
import type { Coverage } from '../../../charges/decide.ts'
import { type Attributes, type Evaluators, ScopeError } from '../../../charges/evaluator.ts'
import { matchingScopes } from '../../../charges/evaluators/scopes.ts'
import type { BudgetMatches } from '../../../charges/match-budgets.ts'
import type { Refusal } from '../../../charges/refusal.ts'

/**
 * Returns the resources that the configuration of ResourceQuota admission limits to namespaces with a covering quota; undefined where it limits
 * nothing.
 */
export function limitedTo(limitedResources: readonly LimitedResource[], evaluators: Evaluators): Coverage | undefined {
  if (limitedResources.length === 0) return undefined
  return {
    evaluators,
    uncovered: (attributes, usage, matches) => uncovered(limitedResources, evaluators, attributes, usage, matches),
  }
}

function uncovered(
  limitedResources: readonly LimitedResource[],
  evaluators: Evaluators,
  attributes: Attributes,
  usage: ResourceList,
  { covered, metScopes }: Pick<BudgetMatches, 'covered' | 'metScopes'>,
): readonly Refusal[] {
  const refusals: Refusal[] = []
  const parts = limitedResources
    .filter((entry) => entry.resource === attributes.resource && (entry.apiGroup ?? '') === attributes.group)
    .flatMap((entry) => entry.matchContains ?? [])
  // A resource that evaluators report with 0, such as the load balancers of a service that has none, is not consumed.
  const resources = Object.entries(usage)
    .filter(([, amount]) => amount.sign() > 0)
    .map(([name]) => name)
    .filter((name) => parts.some((part) => name.includes(part)) && !covered.has(name))
    .toSorted()
  if (resources.length > 0) refusals.push({ reason: 'insufficient-quota', code: 403, resources })
  const scopes = limitedScopes(evaluators, limitedResources, attributes).filter(
    ({ scopeName }) => !metScopes.has(scopeName),
  )
  if (scopes.length > 0) refusals.push({ reason: 'insufficient-scopes', code: 500, scopes })
  return refusals
}

/** The limited scopes that the object has; none where the configuration cannot be evaluated (upstream then checks nothing at all). */
function limitedScopes(
  evaluators: Evaluators,
  limitedResources: readonly LimitedResource[],
  attributes: Attributes,
): readonly ScopeRequirement[] {
  const evaluator = evaluators.of(attributes)
  if (evaluator === undefined) return []
  try {
    return limitedResources.flatMap((entry) => matchingScopes(evaluator, entry.matchScopes ?? [], attributes.object))
  } catch (error) {
    if (error instanceof ScopeError) return []
    throw error
  }
}
