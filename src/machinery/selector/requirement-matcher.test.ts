import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { cpuTimeWhenWarm } from '../../../test/growth.ts'
import { fieldQueryOf, type FieldTerm } from './field-query.ts'
import { matcherOf } from './requirement-matcher.ts'
import type { Labels, Requirement, SelectionOperator } from './requirement.ts'

/** One requirement on its own, said as plainly as can be. */
function holds({ key, operator, values }: Requirement, labels: Labels): boolean {
  const label = Object.hasOwn(labels, key) ? labels[key] : undefined
  const number = /^-?[0-9]+$/.test(label ?? '') ? Number(label) : undefined
  if (operator === 'exists') return label !== undefined
  if (operator === '!') return label === undefined
  if (operator === '!=' || operator === 'notin') return label === undefined || !values.includes(label)
  if (operator === 'gt') return number !== undefined && number > Number(values[0])
  if (operator === 'lt') return number !== undefined && number < Number(values[0])
  return label !== undefined && values.includes(label)
}

const key = fc.oneof(fc.constantFrom('a', 'b', 'c', 'constructor'), fc.stringMatching(/^k[0-9]{1,2}$/))
const value = fc.constantFrom('', '1', '2', '3', '-5', 'x')
const bound = fc.constantFrom('-7', '0', '1', '2', '5')
const one = (operators: readonly SelectionOperator[], values: fc.Arbitrary<string[]>): fc.Arbitrary<Requirement> =>
  fc.record({ key, operator: fc.constantFrom(...operators), values })
const requirement = fc.oneof(
  one(['=', '==', '!='], fc.tuple(value)),
  one(['in', 'notin'], fc.array(value, { minLength: 1, maxLength: 4 })),
  one(['gt', 'lt'], fc.tuple(bound)),
  one(['exists', '!'], fc.constant([])),
)

test('requirements that are put together by key fit what fits each of them', () => {
  let fitting = 0
  const requirements = fc.array(requirement, { maxLength: 30, size: 'max' })
  const labels = fc.dictionary(key, value, { maxKeys: 12 })
  fc.assert(
    fc.property(requirements, labels, (all, of) => {
      // Those that hold on their own are put together too, as hardly any thirty hold by chance.
      for (const some of [all, all.filter((single) => holds(single, of))]) {
        const expected = some.every((single) => holds(single, of))
        if (expected && some.length > 8) fitting++
        expect(matcherOf(some)(of)).toBe(expected)
      }
    }),
    { numRuns: 1000 },
  )
  expect(fitting).toBeGreaterThan(50)
  expect(matcherOf([])(undefined)).toBe(true)
})

test('matching costs the same, however many requirements there are', () => {
  const labels = { app: 'x', tier: 'y', l0: 'z' }
  const forms: Readonly<Record<string, (n: number) => Requirement>> = {
    '!': (n) => ({ key: `z${n}`, operator: '!', values: [] }),
    '!=': (n) => ({ key: 'l0', operator: '!=', values: [`w${n}`] }),
    notin: (n) => ({ key: `z${n % 7}`, operator: 'notin', values: [`w${n}`] }),
    in: (n) => ({ key: 'l0', operator: 'in', values: ['z', `w${n}`] }),
    gt: (n) => ({ key: 'number', operator: 'gt', values: [String(n)] }),
    exists: () => ({ key: 'app', operator: 'exists', values: [] }),
  }
  for (const form of Object.values(forms)) {
    const [few, many] = [50, 20_000].map((size) => {
      const matches = matcherOf(Array.from({ length: size }, (_, n) => form(n)))
      return cpuTimeWhenWarm(() => {
        for (let n = 0; n < 2000; n++) matches(labels)
      })
    })
    expect(many).toBeLessThan((few ?? 0) * 40)
  }
})

test('matching fields costs the same, however many terms there are', () => {
  const [few, many] = [50, 50_000].map((size) => {
    const terms = Array.from({ length: size }, (_, n): FieldTerm => ({ field: 'name', operator: '!=', value: `w${n}` }))
    const query = fieldQueryOf(terms)
    return cpuTimeWhenWarm(() => {
      for (let n = 0; n < 2000; n++) query.matches(() => 'x')
    })
  })
  expect(many).toBeLessThan((few ?? 0) * 50)
})

test('terms that are put together by field fit what fits each of them', () => {
  const term: fc.Arbitrary<FieldTerm> = fc.record({
    field: fc.constantFrom('a', 'b'),
    operator: fc.constantFrom('=', '!='),
    value: fc.constantFrom('', 'x', 'y'),
  })
  const object = fc.record({ a: fc.constantFrom('', 'x', 'y'), b: fc.constantFrom('', 'x') }, { requiredKeys: [] })
  fc.assert(
    fc.property(fc.array(term, { maxLength: 6 }), object, (terms, of) => {
      const fields: Readonly<Record<string, string>> = of
      const expected = terms.every((one) => ((fields[one.field] ?? '') === one.value) === (one.operator === '='))
      expect(fieldQueryOf(terms).matches((field) => fields[field])).toBe(expected)
    }),
    { numRuns: 500 },
  )
})
