import type { JsonPathOptions } from '../../../../machinery/jsonpath/json-path.ts'
import type { Allowance } from '../../../../machinery/jsonpath/limits.ts'
import { compileSourcePath } from './source-path.ts'
import { splitFieldSelectorEquals, splitFieldSelectorNotEquals } from './split-field-selector.ts'

/** A compiled field selector of a custom quota's source. */
export interface FieldSelector {
  readonly raw: string
  /**
   * `allowance` is shared with other evaluations.
   * @throws JsonPathError when the path cannot be read in this object, for instance an index out of bounds
   */
  matches(object: unknown, allowance?: Allowance): boolean
}

/**
 * Compiles `path!=value`, `path=value`, `path==value` or a bare `path`, tried in this order. Comparison is on the trimmed
 * text of the path; a missing path is the empty text, so it matches `!=`.
 * @throws JsonPathError when the path is not valid
 */
export function compileFieldSelector(raw: string, options: Pick<JsonPathOptions, 'scalarAsList'> = {}): FieldSelector {
  const unequal = splitFieldSelectorNotEquals(raw)
  const equal = unequal === undefined ? splitFieldSelectorEquals(raw) : undefined
  const sides = unequal ?? equal
  const path = compileSourcePath(sides?.path ?? raw, options)
  if (sides === undefined) {
    // An object or a list is a value, whatever is in it.
    return { raw, matches: (object, allowance) => isTruthy(path.scalarText(object, allowance) ?? 'true') }
  }
  const { value } = sides
  const wanted = unequal === undefined
  return { raw, matches: (object, allowance) => (path.text(object, allowance) === value) === wanted }
}

/** Is the text neither empty, nor `false` in any case, nor `0`? Spaces around it do not count. */
export function isTruthy(text: string): boolean {
  const trimmed = text.trim()
  return trimmed !== '' && trimmed !== '0' && trimmed.toLowerCase() !== 'false'
}
