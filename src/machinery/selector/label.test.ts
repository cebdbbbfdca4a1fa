import { describe, expect, test } from 'vitest'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import { sentence } from '../field-error.ts'
import { compileAnyLabelSelector, compileLabelSelector, labelSelectorQuery, validateLabelSelector } from './label.ts'
import type { LabelSelector } from './label.ts'
import { labelQueryOf } from './label-query.ts'
import type { Labels, Requirement } from './requirement.ts'

const FILE = 'kubernetes/selectors.json'
const CAPSULE = 'capsule/selectors.json'

interface Vectors {
  readonly label_labelSelector: readonly {
    name: string
    selector: LabelSelector | null
    expectError: boolean
    observedError?: string
    observedString?: string
    requirements?: readonly Requirement[]
    validationErrors: readonly string[]
  }[]
  readonly label_labelSelectorValidation: readonly {
    selector: LabelSelector
    path: string
    observedErrors?: readonly string[]
    errorCount?: number
  }[]
  readonly label_matchLabelsMap: readonly { labels: Labels; matchLabels: Labels; expect: boolean }[]
}

const suites = vectors<Vectors>(FILE)

describe('the upstream vectors', () => {
  eachCase(
    FILE,
    suites.label_labelSelector,
    (c) => `label_labelSelector ${JSON.stringify(c.selector)}`,
    (c) => {
      expect(validateLabelSelector(c.selector, 'spec.selector').map(sentence)).toEqual(c.validationErrors)
      if (c.expectError) {
        const compile = () => compileLabelSelector(c.selector)
        expect(compile).toThrow(expect.objectContaining({ name: 'SelectorError', message: c.observedError }))
        return
      }
      const query = labelSelectorQuery(c.selector)
      if (c.observedString !== undefined) expect(query.toString()).toBe(c.observedString)
      if (c.requirements !== undefined) expect(query.requirements).toEqual(c.requirements)
    },
  )
  eachCase(
    FILE,
    suites.label_labelSelectorValidation,
    (c) => `label_labelSelectorValidation ${JSON.stringify(c.selector)}`,
    (c) => {
      const errors = validateLabelSelector(c.selector, c.path).map(sentence)
      if (c.observedErrors !== undefined) expect(errors).toEqual(c.observedErrors)
      if (c.errorCount !== undefined) expect(errors).toHaveLength(c.errorCount)
    },
  )
  eachCase(
    FILE,
    suites.label_matchLabelsMap,
    (c) => `label_matchLabelsMap ${JSON.stringify(c.matchLabels)}`,
    (c) => expect(compileLabelSelector({ matchLabels: c.matchLabels })(c.labels)).toBe(c.expect),
  )
})

interface CapsuleCase {
  readonly fn:
    | 'matchesAny'
    | 'matches'
    | 'namespacesForSelector'
    | 'namespacesForSelectors'
    | 'listBySelectors'
    | 'combine'
  readonly name: string
  readonly labels?: Labels
  readonly selector?: LabelSelector | null
  readonly selectors?: readonly (LabelSelector | null)[]
  readonly namespaces?: readonly Named[]
  readonly objects?: readonly Named[]
  readonly checks?: readonly { labels: Labels; want: boolean }[]
  readonly want?: unknown
  readonly expectError?: boolean
}

interface Named {
  readonly namespace?: string
  readonly name: string
  readonly labels?: Labels
}

function selected(items: readonly Named[], matches: (labels: Labels | undefined) => boolean): readonly string[] | null {
  const names = items.filter((item) => matches(item.labels))
  if (names.length === 0) return null
  return names.map(({ namespace, name }) => (namespace === undefined ? name : `${namespace}/${name}`)).toSorted()
}

const ANSWERS: Readonly<Record<CapsuleCase['fn'], (c: CapsuleCase) => unknown>> = {
  matchesAny: ({ labels, selectors = [] }) =>
    selectors.length === 0 || compileAnyLabelSelector(selectors, { skipInvalid: true })(labels),
  matches: ({ labels, selector }) => compileLabelSelector(selector)(labels),
  namespacesForSelector: ({ namespaces = [], selector }) => selected(namespaces, compileLabelSelector(selector)),
  namespacesForSelectors: ({ namespaces = [], selectors = [] }) =>
    selected(namespaces, compileAnyLabelSelector(selectors)),
  listBySelectors: ({ objects = [], selectors = [] }) => selected(objects, compileAnyLabelSelector(selectors)),
  combine: ({ selectors = [], checks = [] }) => {
    const matchers = selectors.map((one) => compileLabelSelector({ matchLabels: one as Labels }))
    return checks.map((check) => ({ ...check, want: matchers.every((matches) => matches(check.labels)) }))
  },
}

eachCase(
  CAPSULE,
  vectors<{ cases: readonly CapsuleCase[] }>(CAPSULE).cases,
  (c) => `${c.fn} ${c.name}`,
  (c) => {
    if (c.expectError === true) expect(() => ANSWERS[c.fn](c)).toThrow(/is not a valid label selector operator/)
    else expect(ANSWERS[c.fn](c)).toEqual(c.fn === 'combine' ? c.checks : c.want)
  },
)

test('an absent selector fits nothing, an empty one everything', () => {
  expect(compileLabelSelector(null)({ a: 'b' })).toBe(false)
  expect(compileLabelSelector(undefined)(undefined)).toBe(false)
  expect(compileLabelSelector({})(undefined)).toBe(true)
  expect(compileLabelSelector({ matchLabels: null, matchExpressions: null })({ a: 'b' })).toBe(true)
})

test('labels and expressions must all hold', () => {
  const matches = compileLabelSelector({
    matchLabels: { tier: 'web' },
    matchExpressions: [
      { key: 'env', operator: 'NotIn', values: ['dev', 'test'] },
      { key: 'canary', operator: 'DoesNotExist' },
    ],
  })
  expect(matches({ tier: 'web' })).toBe(true)
  expect(matches({ tier: 'web', env: 'prod' })).toBe(true)
  expect(matches({ tier: 'web', env: 'dev' })).toBe(false)
  expect(matches({ tier: 'web', canary: '' })).toBe(false)
})

test('the query of a selector is sorted by key', () => {
  const query = labelSelectorQuery({
    matchLabels: { b: '1' },
    matchExpressions: [{ key: 'a', operator: 'In', values: ['y', 'x'] }],
  })
  expect(query.toString()).toBe('a in (x,y),b=1')
  expect(labelQueryOf(query.requirements).toString()).toBe(query.toString())
})
