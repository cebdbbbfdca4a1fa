import type { CustomQuotaSpec } from '../api/custom-quota.ts'
import type { GlobalCustomQuotaSpec } from '../api/global-custom-quota.ts'
import type { QuotaSource } from '../api/source.ts'
import { type FieldError, tooMany } from '../../../machinery/field-error.ts'
import type { LabelSelector } from '../../../machinery/selector/label.ts'
import { MAX_LABEL_CONDITIONS, type QuotaBounds } from './quota-bounds.ts'

type Spec = CustomQuotaSpec & Pick<GlobalCustomQuotaSpec, 'namespaceSelectors'>

/** Returns the errors for the parts of a spec that exceed the bounds, because each object would take too long to measure. */
export function sizeProblems(
  { sources, scopeSelectors = [], namespaceSelectors = [] }: Spec,
  bounds: QuotaBounds,
): FieldError[] {
  const expressions = sources.reduce((sum, source) => sum + expressionsOf(source), 0)
  const counted: readonly (readonly [string, number, number])[] = [
    ['spec.sources', sources.length, bounds.sources],
    ['spec.scopeSelectors', scopeSelectors.length, bounds.selectors],
    ['spec.namespaceSelectors', namespaceSelectors.length, bounds.selectors],
    ...sources
      .slice(0, bounds.sources)
      .map(
        ({ selectors = [] }, index) =>
          [`spec.sources[${index}].selectors`, selectors.length, bounds.selectors] as const,
      ),
  ]
  const problems = counted.flatMap(([path, actual, max]) => (actual > max ? [tooMany(path, actual, max)] : []))
  if (expressions > bounds.expressions)
    problems.push(together('spec.sources', expressions, bounds.expressions, 'field selectors and CEL expressions'))
  const selectors = [...scopeSelectors, ...namespaceSelectors, ...sources.flatMap(({ selectors: own = [] }) => own)]
  const conditions = selectors.reduce((sum, selector) => sum + conditionsOf(selector), 0)
  if (conditions > MAX_LABEL_CONDITIONS)
    problems.push(together('spec', conditions, MAX_LABEL_CONDITIONS, 'labels and values in its selectors'))
  return problems
}

function together(path: string, value: number, max: number, what: string): FieldError {
  return { code: 'FieldValueTooMany', path, value, detail: `must have at most ${max} ${what} together` }
}

function expressionsOf({ cel = '', selectors = [] }: QuotaSource): number {
  return selectors.reduce(
    (sum, { fieldSelectors = [], celExpressions = [] }) => sum + fieldSelectors.length + celExpressions.length,
    cel === '' ? 0 : 1,
  )
}

/** Returns the number of conditions that matching the labels of an object takes. */
function conditionsOf({ matchLabels, matchExpressions }: LabelSelector): number {
  return (matchExpressions ?? []).reduce(
    (sum, { values }) => sum + 1 + (values?.length ?? 0),
    Object.keys(matchLabels ?? {}).length,
  )
}
