import { invalid, sentence } from '../field-error.ts'
import type { FieldError } from '../field-error.ts'
import { isValidLabelKey, isValidLabelValue } from '../names.ts'

/** The operators of the query form, as apimachinery's `selection.Operator` spells them. */
export type Operator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!'

/** One condition on one label; `values` is empty for `exists` and `!`, and has one value for all but `in` and `notin`. */
export interface Requirement {
  readonly key: string
  readonly operator: Operator
  readonly values: readonly string[]
}

export type Labels = Readonly<Record<string, string>>

/** Do these labels fit? No labels at all are the same as empty ones. */
export type LabelMatcher = (labels: Labels | undefined) => boolean

const OPERATORS: readonly string[] = ['in', 'notin', '=', '==', '!=', 'gt', 'lt', 'exists', '!']
const INT64_MAX = 2n ** 63n - 1n
const INT64_MIN = -(2n ** 63n)
const NO_LABELS: Labels = Object.freeze({})

/** What is wrong with a requirement, in the order of apimachinery's `NewRequirement`; paths are `key`, `operator`, `values…`. */
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
        if (int64(value) !== undefined) return
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

/** Compiles requirements, all of which must hold, to one closure. */
export function matcherOf(requirements: readonly Requirement[]): LabelMatcher {
  const tests = requirements.map(testOf)
  const [only] = tests
  if (only === undefined) return () => true
  if (tests.length === 1) return (labels) => only(labels ?? NO_LABELS)
  return (labels = NO_LABELS) => {
    for (const test of tests) if (!test(labels)) return false
    return true
  }
}

/** A label is there iff it is a text: so a key like `constructor` does not find what every object inherits. */
function testOf({ key, operator, values }: Requirement): (labels: Labels) => boolean {
  switch (operator) {
    case '=':
    case '==':
    case 'in':
      return isOneOf(key, values)
    case '!=':
    case 'notin': {
      const isListed = isOneOf(key, values)
      return (labels) => !isListed(labels)
    }
    case 'exists':
      return (labels) => typeof labels[key] === 'string'
    case '!':
      return (labels) => typeof labels[key] !== 'string'
    case 'gt':
      return isInteger(key, values, (label, bound) => label > bound)
    case 'lt':
      return isInteger(key, values, (label, bound) => label < bound)
    default:
      return () => false
  }
}

function isOneOf(key: string, values: readonly string[]): (labels: Labels) => boolean {
  const [only] = values
  if (values.length === 1) return (labels) => labels[key] === only
  const set: ReadonlySet<unknown> = new Set(values)
  return (labels) => set.has(labels[key])
}

function isInteger(
  key: string,
  values: readonly string[],
  compare: (label: bigint, bound: bigint) => boolean,
): (labels: Labels) => boolean {
  const bound = int64(values[0] ?? '')
  if (bound === undefined) return () => false
  return (labels) => {
    const label = labels[key]
    if (typeof label !== 'string') return false
    const number = int64(label)
    return number !== undefined && compare(number, bound)
  }
}

/** An integer of 64 bits as Go's `strconv.ParseInt` reads it in base 10. */
function int64(text: string): bigint | undefined {
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
