import { type LabelQuery, parseLabelQuery } from '../machinery/selector/label-query.ts'
import {
  compileLabelSelector,
  type LabelSelector as Selector,
  validateLabelSelector,
} from '../machinery/selector/label.ts'
import type { LabelMatcher } from '../machinery/selector/requirement.ts'
import type { FieldError } from '../machinery/field-error.ts'

/** `metav1.LabelSelector`: an absent one selects nothing, an empty one everything. */
export type LabelSelector = Selector

/** Both forms of label selectors. */
export const LabelSelector = {
  /** Reads the form of `kubectl get -l`, such as `app in (a,b),!old`. Throws SelectorError. */
  parse: (text: string): LabelQuery => parseLabelQuery(text),
  /** Compiles the form of manifests to a function of labels. Throws SelectorError. */
  compile: (selector: Selector | null | undefined): LabelMatcher => compileLabelSelector(selector),
  /** The errors in the form of manifests, with field paths below `path`; none for a proper one. */
  validate: (selector: Selector | null | undefined, path: string): readonly FieldError[] =>
    validateLabelSelector(selector, path),
} as const
