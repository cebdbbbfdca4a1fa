import type { ResourcePool } from '../../api/resource-pool.ts'
import { validateScopes, validateScopeSelector } from '../../../../kinds/resource-quota/validate-scopes.ts'
import { type FieldError, sentence } from '../../../../machinery/field-error.ts'
import { oncePerObject } from '../../../../machinery/once-per-object.ts'
import { validateLabelSelector } from '../../../../machinery/selector/label.ts'

/**
 * Why no ResourceQuota can be made of a pool, or undefined where one can: its scopes do not apply to its resources. Scopes
 * that are not known here are left to the server, which may be newer.
 */
export const poolProblem = ({ spec }: ResourcePool): string | undefined => problemOf(spec)

/** Each decision about a pool asks several times. The spec stays the same object until somebody changes it. */
const problemOf = oncePerObject(({ quota, defaults }: ResourcePool['spec']): string | undefined => {
  const { hard: _, ...withoutHard } = quota
  const names = [...new Set([...Object.keys(quota.hard ?? {}), ...Object.keys(defaults ?? {})])].toSorted()
  const errors = [
    ...validateScopes(quota.scopes ?? [], names, 'spec.quota.scopes'),
    ...validateScopeSelector(withoutHard, names, 'spec.quota.scopeSelector'),
  ].filter(({ detail }) => detail !== 'unsupported scope')
  return distinctSentences(errors)
})

/** Each mistake once, as API servers word them; undefined where there is none. */
export function distinctSentences(errors: readonly FieldError[]): string | undefined {
  return errors.length === 0 ? undefined : [...new Set(errors.map(sentence))].join('; ')
}

/** Returns the errors of the selectors of a pool: an invalid selector selects nothing. */
export function selectorErrors({ spec: { selectors = [] } }: ResourcePool): readonly FieldError[] {
  return selectors.flatMap((selector, at) => validateLabelSelector(selector, `spec.selectors[${at}]`))
}
