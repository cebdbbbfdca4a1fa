import { oncePerObject } from '../../../machinery/once-per-object.ts'
import { compileAnyLabelSelector, type LabelSelector } from '../../../machinery/selector/label-selector.ts'
import type { LabelMatcher } from '../../../machinery/selector/requirement.ts'

/** Whether labels fit one of the selectors of a pool; one that is not well formed selects nothing. */
export const matcherOf = oncePerObject((selectors: readonly LabelSelector[]): LabelMatcher =>
  compileAnyLabelSelector(selectors.filter(isSelector), { skipInvalid: true }),
)

/** Capsule takes an entry without any member for one that is absent, and so for one that selects nothing. */
function isSelector({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return (matchLabels ?? matchExpressions ?? undefined) !== undefined
}
