import type { ScopeRequirement } from '../../kinds/resource-quota/resource-quota.ts'
import { type Evaluator, ScopeError } from '../evaluator.ts'
import { matchingScopes } from '../evaluators/scopes.ts'

/** More values of scopes than these are not tried: then an object is taken to be possible. */
const MOST_VALUES = 16

/** A name of a class that no requirement mentions. */
const OTHER = 'other'

/** Reports whether one object of the evaluator can meet all scope requirements of a quota. */
export function canBeMetTogether(evaluator: Evaluator, requirements: readonly ScopeRequirement[]): boolean {
  const { scopes, scopeExamples } = evaluator
  if (scopes === undefined || scopeExamples === undefined) return requirements.length === 0
  if (!requirements.every(({ scopeName }) => scopes.has(scopeName))) return false
  const named = new Set(requirements.flatMap(({ values = [] }) => values))
  if (named.size > MOST_VALUES) return true
  return scopeExamples([...named, unusedAmong(named)]).some((object) => {
    try {
      return matchingScopes(evaluator, requirements, object).length === requirements.length
    } catch (error) {
      // The validation that refuses the requirement says more about it.
      if (error instanceof ScopeError) return true
      throw error
    }
  })
}

function unusedAmong(names: ReadonlySet<string>): string {
  let name = OTHER
  while (names.has(name)) name += `-${OTHER}`
  return name
}
