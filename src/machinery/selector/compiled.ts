import { oncePerObject } from '../once-per-object.ts'
import { compileLabelSelector, type LabelSelector } from './label.ts'
import type { LabelMatcher } from './requirement.ts'

/**
 * As `compileLabelSelector`, for a selector that never changes, such as that of a stored object. It is compiled once.
 * @throws SelectorError if it is not well formed.
 */
export const compiledSelector = oncePerObject((selector: LabelSelector): LabelMatcher => compileLabelSelector(selector))
