import { invalid, sentence } from '../field-error.ts'
import type { FieldError } from '../field-error.ts'
import { isValidLabelKey, isValidLabelValue } from '../names.ts'
import { INT64_MAX, INT64_MIN } from '../go/int64.ts'

/** The operators of the query form, as apimachinery's `selection.Operator` spells them. */
export type SelectionOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!'

/** One condition on one label; `values` is empty for `exists` and `!`, and has one value for all but `in` and `notin`. */
export interface Requirement {
  readonly key: string
  readonly operator: SelectionOperator
  readonly values: readonly string[]
}

export type Labels = Readonly<Record<string, string>>

/** Do these labels fit? No labels at all are the same as empty ones. */
export type LabelMatcher = (labels: Labels | undefined) => boolean

const OPERATORS: readonly string[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt', 'exists', '!']

/** The errors in a requirement, in the order of apimachinery's `NewRequirement`; paths are `key`, `operator`, `values…`. */
export function requirementErrors(
  key: string,
  operator: string,
  values: readonly string[] | null,
): readonly FieldError[] {
  const errors: FieldError[] = []
  const wrongKey = isValidLabelKey(key)
  if (wrongKey.length > 0) errors.push(invalid('key', key, wrongKey.join('; ')))
  errors.push(...arityErrors(operator, values))
  values?.forEach((value, index) => {
    const wrong = isValidLabelValue(value)
    if (wrong.length > 0) errors.push(invalid(`values[${index}][${key}]`, value, wrong.join('; ')))
  })
  return errors
}

function arityErrors(operator: string, values: readonly string[] | null): readonly FieldError[] {
  const count = values?.length ?? 0
  const wrong = (detail: string): FieldError => invalid('values', values, detail)
  switch (operator) {
    case 'in':
    case 'notin':
      return count === 0 ? [wrong("for 'in', 'notin' operators, values set can't be empty")] : []
    case '=':
    case '==':
    case '!=':
      return count === 1 ? [] : [wrong('exact-match compatibility requires one single value')]
    case 'exists':
    case '!':
      return count === 0 ? [] : [wrong('values set must be empty for exists and does not exist')]
    case 'gt':
    case 'lt': {
      const errors = count === 1 ? [] : [wrong("for 'Gt', 'Lt' operators, exactly one value is required")]
      values?.forEach((value, index) => {
        if (parsedInt64(value) !== undefined) return
        errors.push(invalid(`values[${index}]`, value, "for 'Gt', 'Lt' operators, the value must be an integer"))
      })
      return errors
    }
    default: {
      const detail = `supported values: ${OPERATORS.map((one) => `"${one}"`).join(', ')}`
      return [{ code: 'FieldValueNotSupported', path: 'operator', value: operator, detail }]
    }
  }
}

/** Several errors in one line, each sentence once: `a`, or `[a, b]` (apimachinery `Aggregate.Error`). */
export function aggregate(errors: readonly FieldError[]): string {
  const sentences = [...new Set(errors.map(sentence))]
  return sentences.length === 1 ? sentences.join('') : `[${sentences.join(', ')}]`
}

/** An integer of 64 bits as Go's `strconv.ParseInt` reads it in base 10. */
export function parsedInt64(text: string): bigint | undefined {
  if (!/^[-+]?[0-9]+$/.test(text)) return undefined
  const value = BigInt(text)
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['gt', '>'],
  ['lt', '<'],
])

/** The requirement as the query form writes it; the values of a set are sorted. */
export function requirementText({ key, operator, values }: Requirement): string {
  if (operator === 'exists') return key
  if (operator === '!') return `!${key}`
  const list = values.toSorted().join(',')
  if (operator === 'in' || operator === 'notin') return `${key} ${operator} (${list})`
  return `${key}${SIGNS.get(operator) ?? ''}${list}`
}
