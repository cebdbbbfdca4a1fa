import { growth } from '../../../test/growth.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import { escapeValue, fieldQueryOf, parseFieldQuery, splitTerm, splitTerms, unescapeValue } from './field-query.ts'
import type { FieldTerm } from './field-query.ts'
import { SelectorError } from './error.ts'

const FILE = 'kubernetes/selectors.json'

interface Parsed {
  readonly empty?: boolean
  readonly requirements?: readonly FieldTerm[]
  readonly string?: string
  readonly error?: string
}

type Fields = Readonly<Record<string, string>>

interface Vectors {
  readonly field_escape: readonly { value?: string; escaped: string; observedError?: string }[]
  readonly field_executedMatch: readonly { selector: string; fields: Fields; observed: boolean }[]
  readonly field_match: readonly { selector: string; fields: Fields; expect: boolean }[]
  readonly field_matchSet: readonly { set: Fields; fields: Fields; expect: boolean }[]
  readonly field_executedParse: readonly { input: string; observed: Parsed }[]
  readonly field_parse: readonly { input: string; observed: Parsed; expectString?: string }[]
  readonly field_splitTerm: readonly { input: string; ok: boolean; lhs: string; op: string; rhs: string }[]
  readonly field_splitTerms: readonly { input: string; expect: readonly string[] | null }[]
}

const suites = vectors<Vectors>(FILE)

function thrown(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof SelectorError) return error.message
    throw error
  }
}

function checkParse(input: string, observed: Parsed): void {
  expect(thrown(() => parseFieldQuery(input))).toBe(observed.error)
  if (observed.error !== undefined) return
  const query = parseFieldQuery(input)
  expect(query.terms).toEqual(observed.requirements)
  expect(query.toString()).toBe(observed.string)
  expect(query.isEverything).toBe(observed.empty)
}

describe('the upstream vectors', () => {
  eachCase(
    FILE,
    suites.field_escape,
    (c) => `field_escape ${c.escaped}`,
    (c) => {
      if (c.observedError !== undefined) {
        expect(thrown(() => unescapeValue(c.escaped))).toBe(c.observedError)
        return
      }
      expect(unescapeValue(c.escaped)).toBe(c.value)
      expect(escapeValue(c.value ?? '')).toBe(c.escaped)
    },
  )
  eachCase(
    FILE,
    suites.field_executedMatch,
    (c) => `field_executedMatch ${c.selector}`,
    (c) => expect(parseFieldQuery(c.selector).matches((field) => c.fields[field])).toBe(c.observed),
  )
  eachCase(
    FILE,
    suites.field_match,
    (c) => `field_match ${c.selector} ${JSON.stringify(c.fields)}`,
    (c) => expect(parseFieldQuery(c.selector).matches((field) => c.fields[field])).toBe(c.expect),
  )
  eachCase(
    FILE,
    suites.field_matchSet,
    (c) => `field_matchSet ${JSON.stringify(c.set)}`,
    (c) => {
      const terms = Object.entries(c.set).map(([field, value]): FieldTerm => ({ field, operator: '=', value }))
      expect(fieldQueryOf(terms).matches((field) => c.fields[field])).toBe(c.expect)
    },
  )
  eachCase(
    FILE,
    suites.field_executedParse,
    (c) => `field_executedParse ${JSON.stringify(c.input)}`,
    (c) => checkParse(c.input, c.observed),
  )
  eachCase(
    FILE,
    suites.field_parse,
    (c) => `field_parse ${JSON.stringify(c.input)}`,
    (c) => {
      checkParse(c.input, c.observed)
      if (c.expectString !== undefined) expect(parseFieldQuery(c.input).toString()).toBe(c.expectString)
    },
  )
  eachCase(
    FILE,
    suites.field_splitTerm,
    (c) => `field_splitTerm ${c.input}`,
    (c) => expect(splitTerm(c.input)).toEqual(c.ok ? [c.lhs, c.op, c.rhs] : undefined),
  )
  eachCase(
    FILE,
    suites.field_splitTerms,
    (c) => `field_splitTerms ${c.input}`,
    (c) => expect(splitTerms(c.input)).toEqual(c.expect ?? []),
  )
})

test('the one value that a field must have is known', () => {
  const query = parseFieldQuery('metadata.name=a,status.phase!=Running')
  expect(query.exactValue('metadata.name')).toBe('a')
  expect(query.exactValue('status.phase')).toBeUndefined()
})

test('an escape of another character is refused with that character', () => {
  expect(thrown(() => parseFieldQuery('a=\\b'))).toBe('invalid field selector: invalid escape sequence: \\b')
  expect(thrown(() => parseFieldQuery('a=\\😀'))).toBe('invalid field selector: invalid escape sequence: \\😀')
})

test('reading many terms takes time linear in their number', () => {
  const read = (size: number): void => {
    const text = Array.from({ length: size }, (_, index) => `f${index}=v`).join(',')
    expect(parseFieldQuery(text).terms).toHaveLength(size)
    expect(thrown(() => parseFieldQuery('x'.repeat(size * 10)))).toBeDefined()
  }
  expect(growth(read, 2_000, 10)).toBeLessThan(50)
})

test('the text of a query reads as the same query', () => {
  const word = fc.stringMatching(/^[a-z.\\,= é]{0,6}$/)
  const term: fc.Arbitrary<FieldTerm> = fc.record({
    field: fc.stringMatching(/^[a-z.]{1,6}$/),
    operator: fc.constantFrom('=', '!='),
    value: word,
  })
  fc.assert(
    fc.property(fc.array(term, { maxLength: 5 }), (terms) => {
      const query = parseFieldQuery(fieldQueryOf(terms).toString())
      expect(query.terms).toHaveLength(terms.length)
      expect(query.terms).toEqual(expect.arrayContaining(terms))
      expect(parseFieldQuery(query.toString()).terms).toEqual(query.terms)
    }),
    { numRuns: 300 },
  )
})
