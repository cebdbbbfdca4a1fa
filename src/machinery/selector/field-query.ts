import { SelectorError } from './error.ts'

export interface FieldTerm {
  readonly field: string
  readonly operator: '=' | '!='
  readonly value: string
}

/** A field selector, as `fieldSelector=` carries it: all terms must hold. */
export interface FieldQuery {
  readonly terms: readonly FieldTerm[]
  /** Asks for nothing, so that every object fits. */
  readonly isEverything: boolean
  /** `valueOf` gives a field's text; a field that is absent is the empty text. */
  matches(valueOf: (field: string) => string | undefined): boolean
  /** The one value that the field must have, if the query says so (upstream's `RequiresExactMatch`). */
  exactValue(field: string): string | undefined
  /** The query in its normal form, values escaped. */
  toString(): string
}

const OPERATORS = ['!=', '==', '='] as const

/**
 * Reads a field selector such as `metadata.name=a,status.phase!=Running`; grammar and messages are apimachinery's
 * (apimachinery `fields.ParseSelector`). Blanks count; terms without text are skipped; the terms come sorted.
 * @throws SelectorError with upstream's text if it is not well formed.
 */
export function parseFieldQuery(text: string): FieldQuery {
  const parts = splitTerms(text).filter((part) => part !== '')
  return fieldQueryOf(parts.toSorted().map((part) => fieldTerm(part, text)))
}

/** The query that asks for all of these terms. */
export function fieldQueryOf(terms: readonly FieldTerm[]): FieldQuery {
  let tests: ReadonlyMap<string, ValueTest> | undefined
  return {
    terms,
    isEverything: terms.length === 0,
    matches: (valueOf) => {
      for (const [field, test] of (tests ??= valueTests(terms))) if (!test(valueOf(field) ?? '')) return false
      return true
    },
    exactValue: (field) => terms.find((term) => term.field === field && term.operator === '=')?.value,
    toString: () => terms.map(({ field, operator, value }) => `${field}${operator}${escapeValue(value)}`).join(','),
  }
}

export type ValueTest = (value: string) => boolean

/** Returns one test per field for all terms: it costs the same however many terms it stands for. */
export function valueTests(terms: readonly FieldTerm[]): ReadonlyMap<string, ValueTest> {
  const tests = new Map<string, ValueTest>()
  for (const [field, group] of Map.groupBy(terms, (term) => term.field)) {
    const wanted = new Set(group.flatMap(({ operator, value }) => (operator === '=' ? [value] : [])))
    const barred = new Set(group.flatMap(({ operator, value }) => (operator === '!=' ? [value] : [])))
    const [only] = wanted
    if (wanted.size > 1) tests.set(field, () => false)
    else tests.set(field, (value) => (only === undefined || value === only) && !barred.has(value))
  }
  return tests
}

function fieldTerm(part: string, text: string): FieldTerm {
  const term = splitTerm(part)
  if (term === undefined) throw new SelectorError(`invalid selector: '${text}'; can't understand '${part}'`)
  const [field, operator, value] = term
  return { field, operator: operator === '!=' ? '!=' : '=', value: unescapeValue(value) }
}

/** Cuts at the commas that no backslash escapes; nothing is unescaped yet. */
export function splitTerms(text: string): readonly string[] {
  if (text === '') return []
  const terms: string[] = []
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '\\') index++
    else if (text[index] === ',') {
      terms.push(text.slice(start, index))
      start = index + 1
    }
  }
  terms.push(text.slice(start))
  return terms
}

/** Field, operator and escaped value, cut at the first operator; nothing if there is none. */
export function splitTerm(term: string): readonly [string, (typeof OPERATORS)[number], string] | undefined {
  for (let index = 0; index < term.length; index++) {
    const operator = OPERATORS.find((one) => term.startsWith(one, index))
    if (operator !== undefined) return [term.slice(0, index), operator, term.slice(index + operator.length)]
  }
  return undefined
}

/** A value as it stands in a query: backslash, comma and equals sign escaped. */
export function escapeValue(value: string): string {
  return value.replace(/[\\,=]/g, '\\$&')
}

/**
 * Undoes {@link escapeValue}.
 * @throws SelectorError for another escape, or a comma or equals sign that is not escaped.
 */
export function unescapeValue(text: string): string {
  if (!/[\\,=]/.test(text)) return text
  return text.replace(/\\[\s\S]?|[,=]/gu, (found) => {
    const [first = '', second = ''] = found
    if (first !== '\\')
      throw new SelectorError(`invalid field selector: unescaped character in value: ${first.codePointAt(0)}`)
    if (!['\\', ',', '='].includes(second))
      throw new SelectorError(`invalid field selector: invalid escape sequence: ${found}`)
    return second
  })
}
