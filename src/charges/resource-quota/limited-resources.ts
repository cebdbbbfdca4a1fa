import type { ScopeRequirement } from '../../api/resource-quota/resource-quota.ts'
import type { LimitedResource } from '../../api/resource-quota/resource-quota-configuration.ts'
import type { ResourceList } from '../../quantity/resource-list.ts'
import type { Refusal } from '../decide.ts'
import { type Attributes, type Evaluator, ScopeError } from '../evaluator.ts'
import type { Matches } from '../match-budgets.ts'
import { matchingScopes } from '../evaluators/scopes.ts'

/** What an object uses, and the configuration that may forbid to use it without a quota. */
export interface Consumption {
  readonly limitedResources: readonly LimitedResource[]
  readonly evaluator: Evaluator
  readonly attributes: Attributes
  readonly usage: ResourceList
}

/** What the configuration limits and no quota of the namespace covers. */
export function uncovered(
  { covered, metScopes }: Pick<Matches, 'covered' | 'metScopes'>,
  { limitedResources, evaluator, attributes, usage }: Consumption,
): readonly Refusal[] {
  if (limitedResources.length === 0) return []
  const refusals: Refusal[] = []
  const parts = limitedResources
    .filter((entry) => entry.resource === attributes.resource && (entry.apiGroup ?? '') === attributes.group)
    .flatMap((entry) => entry.matchContains ?? [])
  // What evaluators report with 0, such as the load balancers of a service that is none, is not consumed.
  const resources = Object.entries(usage)
    .filter(([, amount]) => amount.sign() > 0)
    .map(([name]) => name)
    .filter((name) => parts.some((part) => name.includes(part)) && !covered.has(name))
    .toSorted()
  if (resources.length > 0) refusals.push({ reason: 'insufficient-quota', code: 403, resources })
  const scopes = limitedScopes(evaluator, limitedResources, attributes).filter(
    ({ scopeName }) => !metScopes.has(scopeName),
  )
  if (scopes.length > 0) refusals.push({ reason: 'insufficient-scopes', code: 500, scopes })
  return refusals
}

/** The limited scopes that the object has; none where the configuration cannot be evaluated (upstream then checks nothing at all). */
function limitedScopes(
  evaluator: Evaluator,
  limitedResources: readonly LimitedResource[],
  { object }: Attributes,
): readonly ScopeRequirement[] {
  try {
    return limitedResources.flatMap((entry) => matchingScopes(evaluator, entry.matchScopes ?? [], object))
  } catch (error) {
    if (error instanceof ScopeError) return []
    throw error
  }
}
