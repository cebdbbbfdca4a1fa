import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { eachCase, vectors } from '../../test/load-vectors.ts'
import { Quantity } from './quantity.ts'
import {
  add,
  contains,
  containsPrefix,
  difference,
  equals,
  formatResourceList,
  intersection,
  isNegative,
  isZero,
  lessThanOrEqual,
  mask,
  max,
  parseResourceList,
  quantityOf,
  removeZeros,
  resourceNames,
  type ResourceList,
  subtract,
  subtractWithNonNegativeResult,
  toSet,
} from './resource-list.ts'

// Each case is one of several shapes; the checks below read what their group has.
// oxlint-disable-next-line typescript/no-explicit-any
type Case = any

const list = (texts: { readonly [name: string]: string }): ResourceList => parseResourceList(texts)

const checks: { readonly [group: string]: (value: Case) => void } = {
  add: ({ a, b, expect: texts }) => expect(formatResourceList(add(list(a), list(b)))).toEqual(texts),
  subtract: ({ a, b, expect: texts }) => expect(formatResourceList(subtract(list(a), list(b)))).toEqual(texts),
  subtractWithNonNegativeResult: ({ a, b, expect: texts }) =>
    expect(formatResourceList(subtractWithNonNegativeResult(list(a), list(b)))).toEqual(texts),
  max: ({ a, b, expect: texts }) => expect(formatResourceList(max(list(a), list(b)))).toEqual(texts),
  removeZeros: ({ a, expect: texts }) => expect(formatResourceList(removeZeros(list(a)))).toEqual(texts),
  equals: ({ a, b, expect: answer }) => expect(equals(list(a), list(b))).toBe(answer),
  isZero: ({ a, expect: answer }) => expect(isZero(list(a))).toBe(answer),
  isNegative: ({ a, expect: names }) => expect(isNegative(list(a))).toEqual(names),
  lessThanOrEqual: ({ a, b, expect: ok, exceeded }) =>
    expect(lessThanOrEqual(list(a), list(b))).toEqual({ ok, exceeded }),
  contains: ({ a, b, expect: answer }) => expect(contains(a, b)).toBe(answer),
  containsPrefix: ({ prefixes, b, expect: answer }) => expect(containsPrefix(prefixes, b)).toBe(answer),
  difference: ({ a, b, expect: names }) => expect(difference(a, b)).toEqual(names),
  intersection: ({ a, b, expect: names }) => expect(intersection(a, b)).toEqual(names),
}

const FILE = 'kubernetes/quota-lists.json'
const groups = vectors<{ readonly [group: string]: readonly Case[] }>(FILE)

eachCase(
  FILE,
  Object.entries(groups).flatMap(([group, cases]) =>
    group === 'meta' ? [] : cases.map((value) => ({ group, value })),
  ),
  ({ group, value }) => `${group} ${value.name ?? JSON.stringify([value.a, value.b])}`,
  ({ group, value }) => {
    const check = checks[group]
    if (check === undefined) expect.unreachable(`no check for the group ${group}`)
    else check(value)
  },
)

describe('resource lists', () => {
  const lists = fc
    .dictionary(fc.constantFrom('cpu', 'memory', 'pods', 'constructor', 'toString'), fc.integer({ min: -50, max: 50 }))
    .map((counts) => Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Quantity.of(count)])))

  test('subtraction undoes addition but for zeros', () => {
    fc.assert(
      fc.property(lists, lists, (a, b) => {
        expect(equals(removeZeros(subtract(add(a, b), b)), removeZeros(a))).toBe(true)
      }),
    )
  })

  test('the larger of two lists bounds both', () => {
    fc.assert(
      fc.property(lists, lists, (a, b) => {
        const bound = max(a, b)
        expect([lessThanOrEqual(a, bound).ok, lessThanOrEqual(b, bound).ok]).toEqual([true, true])
        expect(resourceNames(bound)).toEqual([...toSet([...resourceNames(a), ...resourceNames(b)])].toSorted())
      }),
    )
  })

  test('the exceeded resources are those that are negative after the subtraction of the common part', () => {
    fc.assert(
      fc.property(lists, lists, (used, hard) => {
        const common = intersection(Object.keys(used), Object.keys(hard))
        const rest = subtract(mask(hard, common), mask(used, common))
        expect(lessThanOrEqual(used, hard).exceeded).toEqual(isNegative(rest))
        expect(isNegative(subtractWithNonNegativeResult(hard, used))).toEqual([])
      }),
    )
  })

  test('operations leave their arguments as they were', () => {
    const a = Object.freeze(list({ cpu: '1.500', pods: '1' }))
    const b = Object.freeze(list({ cpu: '1', memory: '1Gi' }))
    for (const operation of [add, subtract, subtractWithNonNegativeResult, max]) operation(a, b)
    expect([formatResourceList(a), formatResourceList(b)]).toEqual([
      { cpu: '1.500', pods: '1' },
      { cpu: '1', memory: '1Gi' },
    ])
  })

  test('an amount that no arithmetic touches keeps its spelling', () => {
    expect(formatResourceList(add(list({ cpu: '1.500' }), list({ memory: '+5Ki' })))).toEqual({
      cpu: '1.500',
      memory: '+5Ki',
    })
  })

  test('names stay in the order of the first list, texts are sorted by name', () => {
    const sum = add(list({ pods: '1', cpu: '1' }), list({ memory: '1', cpu: '1' }))
    expect(Object.keys(sum)).toEqual(['pods', 'cpu', 'memory'])
    expect(Object.keys(formatResourceList(sum))).toEqual(['cpu', 'memory', 'pods'])
  })

  test('names that objects inherit are names like any other', () => {
    const odd = parseResourceList(JSON.parse('{"__proto__":"1","constructor":"2"}'))
    expect(quantityOf({}, 'constructor')).toBeUndefined()
    expect(lessThanOrEqual(odd, {})).toEqual({ ok: true, exceeded: [] })
    expect(JSON.stringify(add(odd, odd))).toBe('{"__proto__":"2","constructor":"4"}')
    expect(JSON.stringify(formatResourceList(add({}, odd)))).toBe('{"__proto__":"1","constructor":"2"}')
  })

  test('a value that is not a quantity is refused', () => {
    expect(() => parseResourceList({ cpu: '1', memory: '1gb' })).toThrow(/^quantities must match/)
  })

  test('lists are equal where they have the same names and amounts', () => {
    const named = (name: string, amount: string): ResourceList => list({ pods: '1', [name]: amount })
    expect(equals(named('cpu', '1'), named('cpu', '1000m'))).toBe(true)
    expect(equals(named('cpu', '1'), named('cpu', '2'))).toBe(false)
    expect(equals(named('cpu', '1'), named('memory', '1'))).toBe(false)
    expect(equals(named('cpu', '1'), list({ pods: '1' }))).toBe(false)
  })

  test('a limit bounds what is used, and nothing else', () => {
    expect(lessThanOrEqual(list({ cpu: '2' }), list({ cpu: '1', pods: '1' }))).toEqual({ ok: false, exceeded: ['cpu'] })
    expect(lessThanOrEqual(list({ cpu: '1', memory: '9' }), list({ cpu: '1' }))).toEqual({ ok: true, exceeded: [] })
  })

  test('one of several prefixes is enough', () => {
    expect(containsPrefix(['requests.', 'limits.'], 'limits.cpu')).toBe(true)
    expect(containsPrefix(['requests.', 'limits.'], 'count/pods')).toBe(false)
  })
})
