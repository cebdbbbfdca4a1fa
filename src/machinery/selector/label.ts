import { forbidden, invalid, required } from '../field-error.ts'
import type { FieldError } from '../field-error.ts'
import { validateLabels } from '../label-map.ts'
import { isValidLabelKey, isValidLabelValue } from '../names.ts'
import { labelQueryOf } from './label-query.ts'
import type { LabelQuery } from './label-query.ts'
import { aggregate, requirementErrors } from './requirement.ts'
import type { LabelMatcher, Requirement, SelectionOperator } from './requirement.ts'
import { SelectorError } from './error.ts'

/** `metav1.LabelSelector`. An absent one selects nothing, an empty one everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | null
  readonly matchExpressions?: readonly LabelSelectorRequirement[] | null
}

export interface LabelSelectorRequirement {
  /** A manifest may lack it; that is an error to report. */
  readonly key?: string
  /** `In`, `NotIn`, `Exists` or `DoesNotExist`; anything else is an error. */
  readonly operator: string
  readonly values?: readonly string[] | null
}

const OPERATORS: ReadonlyMap<string, SelectionOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
])

/** The errors in a selector at `path` (apimachinery `ValidateLabelSelector`); none if it is well formed or absent. */
export function validateLabelSelector(selector: LabelSelector | null | undefined, path: string): FieldError[] {
  const expressions = selector?.matchExpressions ?? []
  return [
    ...validateLabels(selector?.matchLabels, `${path}.matchLabels`),
    ...expressions.flatMap((expression, index) => validateExpression(expression, `${path}.matchExpressions[${index}]`)),
  ]
}

function validateExpression({ key = '', operator, values }: LabelSelectorRequirement, path: string): FieldError[] {
  const errors: FieldError[] = []
  const count = values?.length ?? 0
  const kind = OPERATORS.get(operator)
  if (kind === undefined) errors.push(invalid(`${path}.operator`, operator, 'not a valid selector operator'))
  else if (kind === 'in' || kind === 'notin') {
    if (count === 0) errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"))
  } else if (count > 0) {
    errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
  }
  for (const text of isValidLabelKey(key)) errors.push(invalid(`${path}.key`, key, text))
  values?.forEach((value, index) => {
    for (const text of isValidLabelValue(value)) errors.push(invalid(`${path}.values[${index}]`, value, text))
  })
  return errors
}

/**
 * Compiles a selector to a closure (apimachinery `LabelSelectorAsSelector`).
 * @throws SelectorError if it is not well formed.
 */
export function compileLabelSelector(selector: LabelSelector | null | undefined): LabelMatcher {
  return labelSelectorQuery(selector).matches
}

/**
 * The selector as a query, for its text and its requirements.
 * @throws SelectorError if it is not well formed.
 */
export function labelSelectorQuery(selector: LabelSelector | null | undefined): LabelQuery {
  if (selector === null || selector === undefined) return NOTHING
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => requirement(key, '=', [value]))
  const expressions = (selector.matchExpressions ?? []).map(({ key = '', operator, values }) => {
    const kind = OPERATORS.get(operator)
    if (kind === undefined)
      throw new SelectorError(`${JSON.stringify(operator)} is not a valid label selector operator`)
    return requirement(key, kind, values ?? null)
  })
  return labelQueryOf([...labels, ...expressions])
}

/**
 * Fits everything that one of the selectors fits. A list without selectors fits nothing. A caller for whom it means
 * everything must check that first.
 * @throws SelectorError if one of them is not well formed, unless `skipInvalid`.
 */
export function compileAnyLabelSelector(
  selectors: readonly (LabelSelector | null | undefined)[],
  { skipInvalid = false }: { readonly skipInvalid?: boolean } = {},
): LabelMatcher {
  const matchers = selectors.flatMap((selector) => {
    try {
      return selector === null || selector === undefined ? [] : [compileLabelSelector(selector)]
    } catch (error) {
      if (skipInvalid && error instanceof SelectorError) return []
      throw error
    }
  })
  return (labels) => matchers.some((matches) => matches(labels))
}

function requirement(key: string, operator: SelectionOperator, values: readonly string[] | null): Requirement {
  const errors = requirementErrors(key, operator, values)
  if (errors.length > 0) throw new SelectorError(aggregate(errors))
  return { key, operator, values: values ?? [] }
}

const NOTHING: LabelQuery = Object.freeze({
  requirements: Object.freeze([]),
  isEverything: false,
  matches: () => false,
  exactValue: () => undefined,
  toString: () => '',
})
