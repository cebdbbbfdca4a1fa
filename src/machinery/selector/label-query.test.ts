import { growth } from '../../../test/growth.ts'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import { sentence } from '../field-error.ts'
import { lexLabelQuery } from './label-query-lexer.ts'
import { labelQueryOf, parseLabelQuery } from './label-query.ts'
import { aggregate, requirementErrors } from './requirement.ts'
import type { Labels, Requirement, SelectionOperator } from './requirement.ts'
import { SelectorError } from './error.ts'

const FILE = 'kubernetes/selectors.json'

interface Parsed {
  readonly requirements?: readonly Requirement[]
  readonly string?: string
  readonly error?: string
}

interface Vectors {
  readonly label_executedMatch: readonly { selector: string; labels: Labels; observed: boolean }[]
  readonly label_match: readonly { selector: string; labels: Labels; expect: boolean }[]
  readonly label_executedParse: readonly { input: string; observed: Parsed }[]
  readonly label_parse: readonly { input: string; observed: Parsed; expectString?: string }[]
  readonly label_lexer: readonly { input: string; tokens: readonly string[] }[]
  readonly label_matchRequirements: readonly { labels: Labels; requirements: readonly Requirement[]; expect: boolean }[]
  readonly label_newRequirement: readonly {
    key: string
    operator: string
    values: readonly string[]
    expectErrors: readonly { type: string; field: string; badValue?: unknown }[]
    observedError?: string
  }[]
  readonly label_parseOperator: readonly { token: string; expectError?: string }[]
  readonly label_requiresExactMatch: readonly {
    name: string
    label: string
    requirements: readonly Requirement[]
    found: boolean
    value: string
  }[]
  readonly label_toString: readonly { requirements: readonly Requirement[]; expect: string; valid: boolean }[]
}

const suites = vectors<Vectors>(FILE)

function errorOf(text: string): string | undefined {
  try {
    parseLabelQuery(text)
    return undefined
  } catch (error) {
    if (error instanceof SelectorError) return error.message
    throw error
  }
}

function checkParse(input: string, observed: Parsed): void {
  expect(errorOf(input)).toBe(observed.error)
  if (observed.error !== undefined) return
  const query = parseLabelQuery(input)
  expect(query.requirements).toEqual(observed.requirements)
  expect(query.toString()).toBe(observed.string)
}

describe('the upstream vectors', () => {
  eachCase(
    FILE,
    suites.label_executedMatch,
    (c) => `label_executedMatch ${c.selector} ${JSON.stringify(c.labels)}`,
    (c) => expect(parseLabelQuery(c.selector).matches(c.labels)).toBe(c.observed),
  )
  eachCase(
    FILE,
    suites.label_match,
    (c) => `label_match ${c.selector} ${JSON.stringify(c.labels)}`,
    (c) => expect(parseLabelQuery(c.selector).matches(c.labels)).toBe(c.expect),
  )
  eachCase(
    FILE,
    suites.label_executedParse,
    (c) => `label_executedParse ${JSON.stringify(c.input)}`,
    (c) => checkParse(c.input, c.observed),
  )
  eachCase(
    FILE,
    suites.label_parse,
    (c) => `label_parse ${JSON.stringify(c.input)}`,
    (c) => {
      checkParse(c.input, c.observed)
      if (c.expectString !== undefined) expect(parseLabelQuery(c.input).toString()).toBe(c.expectString)
    },
  )
  eachCase(
    FILE,
    suites.label_lexer,
    (c) => `label_lexer ${JSON.stringify(c.input)}`,
    (c) => {
      const kinds = lexLabelQuery(c.input).map((token) => TOKEN_NAMES[token.kind])
      // The end of a sequence is left out of the cases, but for the empty text.
      expect(c.input === '' ? kinds : kinds.slice(0, -1)).toEqual(c.tokens)
    },
  )
  eachCase(
    FILE,
    suites.label_matchRequirements,
    (c) => `label_matchRequirements ${JSON.stringify(c.requirements)} ${JSON.stringify(c.labels)}`,
    (c) => expect(labelQueryOf(c.requirements).matches(c.labels)).toBe(c.expect),
  )
  eachCase(
    FILE,
    suites.label_newRequirement,
    (c) => `label_newRequirement ${c.key} ${c.operator} ${JSON.stringify(c.values)}`,
    (c) => {
      const errors = requirementErrors(c.key, c.operator, c.values)
      expect(errors.map((e) => [e.code, e.path, e.value])).toEqual(
        c.expectErrors.map((e) => [e.type, e.field, e.badValue]),
      )
      if (c.observedError !== undefined) expect(aggregate(errors)).toBe(c.observedError)
    },
  )
  eachCase(
    FILE,
    suites.label_parseOperator,
    (c) => `label_parseOperator ${c.token}`,
    (c) => {
      // Where a token is accepted as operator, what is wrong (if anything) is what comes after it.
      const text = errorOf(`a ${c.token}`)
      if (c.expectError === undefined) expect(text ?? '').not.toContain('expected: in, notin')
      else expect(text).toBe(`unable to parse requirement: ${c.expectError}`)
    },
  )
  eachCase(
    FILE,
    suites.label_requiresExactMatch,
    (c) => `label_requiresExactMatch ${c.name} ${c.label}`,
    (c) => expect(labelQueryOf(c.requirements).exactValue(c.label)).toBe(c.found ? c.value : undefined),
  )
  eachCase(
    FILE,
    suites.label_toString,
    (c) => `label_toString ${c.expect}`,
    (c) => {
      // The cases are in the order in which upstream's unsorted list prints them.
      expect(c.requirements.map((one) => labelQueryOf([one]).toString()).join(',')).toBe(c.expect)
    },
  )
})

const TOKEN_NAMES = {
  identifier: 'Identifier',
  end: 'EndOfString',
  '(': 'OpenPar',
  ')': 'ClosedPar',
  ',': 'Comma',
  '!': 'DoesNotExist',
  '=': 'Equals',
  '==': 'DoubleEquals',
  '!=': 'NotEquals',
  '<': 'LessThan',
  '>': 'GreaterThan',
  in: 'In',
  notin: 'NotIn',
}

describe('errors', () => {
  test('every bad value of a set is named, in the order of the sorted set', () => {
    expect(errorOf('a in (-c,-b)')).toMatch(
      /^unable to parse requirement: \[values\[0\]\[a\]: Invalid value: "-b": .*, values\[1\]\[a\]: Invalid value: "-c": .*\]$/,
    )
  })

  test.each([
    ['!', "unable to parse requirement: found '', expected: identifier"],
    ['a in (,', "unable to parse requirement: found '', expected: ',', or identifier"],
    ['a in (b,(', "unable to parse requirement: found '(', expected: ',', or identifier"],
    ['a in (=', "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
    ['a===b', "unable to parse requirement: found '=', expected: identifier"],
  ])('%s is refused with upstream’s text', (text, message) => {
    expect(errorOf(text)).toBe(message)
  })
})

test('a key that objects inherit is not a label of every object', () => {
  expect(parseLabelQuery('constructor').matches({})).toBe(false)
  expect(parseLabelQuery('!toString').matches({})).toBe(true)
  expect(parseLabelQuery('valueOf!=a').matches(undefined)).toBe(true)
})

test('no labels are the same as empty labels', () => {
  expect(parseLabelQuery('!a').matches(undefined)).toBe(true)
  expect(parseLabelQuery('a,b').matches(undefined)).toBe(false)
  expect(parseLabelQuery('').matches(undefined)).toBe(true)
})

test('integers are compared with all 64 bits', () => {
  expect(parseLabelQuery('a>9223372036854775806').matches({ a: '9223372036854775807' })).toBe(true)
  expect(parseLabelQuery('a>1').matches({ a: '9223372036854775808' })).toBe(false)
})

test('reading and matching many terms and values takes time linear in their number', () => {
  const read = (size: number): void => {
    const terms = Array.from({ length: size }, (_, index) => `k${index}!=v`).join(',')
    const values = `a in (${Array.from({ length: size }, (_, index) => `v${index}`).join(',')})`
    expect(parseLabelQuery(terms).matches({ z: 'v' })).toBe(true)
    expect(parseLabelQuery(values).matches({ a: `v${size - 1}` })).toBe(true)
    expect(errorOf(`a in (${','.repeat(size)}`)).toBeDefined()
  }
  expect(growth(read, 1_000, 10)).toBeLessThan(50)
})

const key = fc.constantFrom('a', 'b', 'in', 'notin', 'x.io/c', 'A_1')
const value = fc.constantFrom('', '0', '1', '5', '12', 'x', 'in', 'notin', 'X_y.z')
const requirement: fc.Arbitrary<Requirement> = fc.oneof(
  fc.record({ key, operator: fc.constantFrom<SelectionOperator>('exists', '!'), values: fc.constant([]) }),
  fc.record({ key, operator: fc.constantFrom<SelectionOperator>('=', '==', '!='), values: fc.tuple(value) }),
  fc.record({ key, operator: fc.constantFrom<SelectionOperator>('gt', 'lt'), values: fc.tuple(fc.nat().map(String)) }),
  fc.record({
    key,
    operator: fc.constantFrom<SelectionOperator>('in', 'notin'),
    values: fc.uniqueArray(value, { minLength: 1, maxLength: 6 }).map((list) => list.toSorted()),
  }),
)
const labels = fc.dictionary(key, value)

/** Whether labels meet a requirement, written as plainly as possible. */
function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  const isThere = Object.hasOwn(labels, key)
  const label = labels[key] ?? ''
  const isNumber = /^[+-]?\d+$/.test(label)
  if (operator === 'exists') return isThere
  if (operator === '!') return !isThere
  if (operator === 'gt') return isThere && isNumber && Number(label) > Number(values[0])
  if (operator === 'lt') return isThere && isNumber && Number(label) < Number(values[0])
  const isListed = isThere && values.includes(label)
  return operator === 'notin' || operator === '!=' ? !isListed : isListed
}

test('the text of a query reads as the same query', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 6 }), (requirements) => {
      const query = labelQueryOf(requirements)
      const again = parseLabelQuery(query.toString())
      expect(again.requirements).toEqual(query.requirements)
      expect(again.toString()).toBe(query.toString())
    }),
    { numRuns: 300 },
  )
})

test('a compiled query says what its requirements say one by one', () => {
  fc.assert(
    fc.property(fc.array(requirement, { maxLength: 4 }), labels, (requirements, labels) => {
      expect(requirements.flatMap((one) => requirementErrors(one.key, one.operator, one.values)).map(sentence)).toEqual(
        [],
      )
      expect(labelQueryOf(requirements).matches(labels)).toBe(requirements.every((one) => holds(one, labels)))
    }),
    { numRuns: 500 },
  )
})

test('any text is a query or a SelectorError', () => {
  const piece = fc.constantFrom('a', 'in', 'notin', '(', ')', ',', '=', '!', '<', '>', ' ', '\0', 'é', '/', '1', '-')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      if (errorOf(text) !== undefined) return
      const query = parseLabelQuery(text)
      expect(parseLabelQuery(query.toString()).requirements).toEqual(query.requirements)
    }),
    { numRuns: 1000 },
  )
})
