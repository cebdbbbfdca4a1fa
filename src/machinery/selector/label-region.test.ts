import fc from 'fast-check'
import { expect, test } from 'vitest'
import { disjointRegions, labelledWith, labelRegion, selectorOfRegion, withoutValues } from './label-region.ts'
import { compileLabelSelector, type LabelSelector } from './label.ts'

const KEYS = ['a', 'b', 'c']
const VALUES = ['1', '2', '3']
const ALL = KEYS.reduce<readonly Readonly<Record<string, string>>[]>(
  (all, key) => all.flatMap((labels) => [labels, ...VALUES.map((value) => ({ ...labels, [key]: value }))]),
  [{}],
)
const key = fc.constantFrom(...KEYS)
const requirement = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1 }),
  }),
  fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
)
const selector: fc.Arbitrary<LabelSelector> = fc.record(
  {
    matchLabels: fc.dictionary(key, fc.constantFrom(...VALUES), { maxKeys: 2 }),
    matchExpressions: fc.array(requirement, { maxLength: 3 }),
  },
  { requiredKeys: [] },
)
const regionsOf = (selectors: readonly LabelSelector[]) => selectors.flatMap((one) => labelRegion(one) ?? [])
const matching = (selectors: readonly (LabelSelector | undefined)[], labels: Readonly<Record<string, string>>) =>
  selectors.filter((one) => compileLabelSelector(one ?? {})(labels)).length

test('of whatever selectors, the regions without overlap match each set of labels once that any selector matches, and no other', () => {
  fc.assert(
    fc.property(fc.array(selector, { maxLength: 4 }), (selectors) => {
      const disjoint = disjointRegions(regionsOf(selectors), 1000)?.map(selectorOfRegion) ?? []
      for (const labels of ALL)
        expect([labels, matching(disjoint, labels)]).toEqual([labels, Math.min(matching(selectors, labels), 1)])
    }),
  )
})

test('a region without values matches what it did, but for labels with these values', () => {
  fc.assert(
    fc.property(selector, key, fc.uniqueArray(fc.constantFrom(...VALUES)), (one, without, values) => {
      const region = labelRegion(one)
      const less = region && withoutValues(region, without, new Set(values))
      for (const labels of ALL) {
        const isLeft = matching([one], labels) === 1 && !values.includes(labels[without] ?? '')
        expect([labels, less !== undefined && matching([selectorOfRegion(less)], labels) === 1]).toEqual([
          labels,
          isLeft,
        ])
      }
    }),
  )
})

test('selectors that differ only in the value of one label become one', () => {
  const tenants = Array.from({ length: 300 }, (_, at) => ({ matchLabels: { tenant: `t${at}`, kind: 'x' } }))
  expect(disjointRegions(regionsOf(tenants), 1)).toHaveLength(1)
  expect(disjointRegions([labelledWith('a', ['1']), labelledWith('b', ['1'])], 1)).toBeUndefined()
})
