// Covers typed-program.ts, by the vectors.
import { expect } from 'vitest'
import { eachCase, vectors } from '../../test/load-vectors.ts'
import { Quantity } from '../quantity/quantity.ts'
import { compileFieldSelector } from '../systems/custom-quota/decide/path-selector/field-selector.ts'
import { compileAmount, compileCondition } from './typed-program.ts'

interface Selector {
  readonly fieldSelectors?: readonly string[]
  readonly celExpressions?: readonly string[]
}

interface Case {
  readonly fn: 'evaluateBoolean' | 'compileBoolean' | 'evaluateQuantity' | 'validateSources' | 'matchesSelectors'
  readonly name: string
  readonly expression?: string
  readonly object?: unknown
  readonly want?: boolean
  readonly wantEqual?: string
  readonly ok?: boolean
  readonly expectErrorContains?: string
  readonly sources?: readonly { readonly cel?: string; readonly selectors?: readonly Selector[] }[]
  readonly selectors?: readonly Selector[]
}

const options = { variables: { object: {} } }

function validate(sources: Case['sources'] = []): void {
  for (const { cel, selectors = [] } of sources) {
    if (cel !== undefined) compileAmount(cel, options)
    for (const { celExpressions = [] } of selectors) for (const one of celExpressions) compileCondition(one, options)
  }
}

function matches(selectors: readonly Selector[], object: unknown): boolean {
  return selectors.some(
    ({ fieldSelectors = [], celExpressions = [] }) =>
      fieldSelectors.every((one) => compileFieldSelector(one).matches(object)) &&
      celExpressions.every((one) => compileCondition(one, options).evaluate({ object })),
  )
}

const { cases } = vectors<{ readonly cases: readonly Case[] }>('capsule/cel.json')

eachCase(
  'capsule/cel.json',
  cases,
  ({ fn, name }) => `${fn}: ${name}`,
  (one) => {
    const { expression = '', object, expectErrorContains } = one
    switch (one.fn) {
      case 'evaluateBoolean':
        expect(compileCondition(expression, options).evaluate({ object })).toBe(one.want)
        break
      case 'compileBoolean':
        expect(() => compileCondition(expression, options)).toThrow(expectErrorContains)
        break
      case 'evaluateQuantity':
        expect(compileAmount(expression, options).evaluate({ object }).equals(Quantity.parse(one.wantEqual!))).toBe(
          true,
        )
        break
      case 'validateSources':
        if (one.ok === true) validate(one.sources)
        else expect(() => validate(one.sources)).toThrow(expectErrorContains)
        break
      case 'matchesSelectors':
      default:
        expect(matches(one.selectors ?? [], object)).toBe(one.want)
    }
  },
)
