import { invalid, type FieldError } from '../../machinery/field-error.ts'
import { isObject } from '../../machinery/object.ts'
import { labelSelectorQuery, type LabelSelector } from '../../machinery/selector/label.ts'
import type { LabelQuery } from '../../machinery/selector/label-query.ts'
import { SelectorError } from '../../machinery/selector/error.ts'
import { isEmptyMap, listOf, textEntries } from '../../machinery/read.ts'

/** Trusts the schema, which decoding has checked: any object there is a label selector. */
const isLabelSelector = (value: unknown): value is LabelSelector => isObject(value)

/** The label selector at a field, undefined if there is none. */
export const labelSelectorOf = (value: unknown): LabelSelector | undefined =>
  isLabelSelector(value) ? value : undefined

/** The compiled selector, undefined if it is not well formed; an absent one fits nothing. */
export function queryOf(selector: unknown): LabelQuery | undefined {
  try {
    return labelSelectorQuery(labelSelectorOf(selector))
  } catch (error) {
    if (error instanceof SelectorError) return undefined
    throw error
  }
}

/** The selector as `labelSelector=` would carry it; '' if absent or not well formed. */
export const selectorText = (selector: unknown): string => queryOf(selector)?.toString() ?? ''

/** Labels as a record of texts. */
export const labelsOf = (value: unknown): Readonly<Record<string, string>> => Object.fromEntries(textEntries(value))

/** A map selector, such as a Service's, as text: keys sorted, `a=b,c=d`. */
export const mapText = (value: unknown): string =>
  textEntries(value)
    .map(([key, text]) => `${key}=${text}`)
    .toSorted()
    .join(',')

/** Does the selector ask for nothing at all (`{}`)? */
export function isEmptySelector(value: unknown): boolean {
  return isObject(value) && isEmptyMap(value.matchLabels) && listOf(value.matchExpressions).length === 0
}

/** The template's labels must be what the selector looks for, which without a selector is nothing; `path` is the template's. */
export function templateMatches(selector: unknown, labels: unknown, path: string): readonly FieldError[] {
  const query = queryOf(selector)
  if (query === undefined || query.isEverything || query.matches(labelsOf(labels))) return []
  return [
    invalid(
      `${path}.metadata.labels`,
      isEmptyMap(labels) ? null : labels,
      '`selector` does not match template `labels`',
    ),
  ]
}
