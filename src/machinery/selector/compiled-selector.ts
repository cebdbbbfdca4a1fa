import { compileLabelSelector, type LabelSelector } from './label-selector.ts'
import type { LabelMatcher } from './requirement.ts'

const COMPILED = new WeakMap<LabelSelector, LabelMatcher>()

/**
 * As `compileLabelSelector`, for a selector that never changes, such as that of a stored object: it is compiled once and not
 * each time that somebody looks at it.
 * @throws SelectorError if it is not well formed.
 */
export function compiledSelector(selector: LabelSelector): LabelMatcher {
  const known = COMPILED.get(selector)
  if (known !== undefined) return known
  const matches = compileLabelSelector(selector)
  COMPILED.set(selector, matches)
  return matches
}
