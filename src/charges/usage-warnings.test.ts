import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Quantity } from '../quantity/quantity.ts'
import { chargeWarnings, limitWarning, usageWarning, wholePercentageOf } from './usage-warnings.ts'

const ref = { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace: 'harbour', name: 'cranes' }
const warning = (before: string, after: string, limit: string, warnAt?: readonly number[]): string | undefined =>
  usageWarning(
    { ref, before: Quantity.parse(before), after: Quantity.parse(after), limit: Quantity.parse(limit) },
    warnAt,
  )

test.each([
  ['7', '8', 'has reached 80 % of its limit: used 8 of 10'],
  ['0', '9500m', 'has reached 95 % of its limit: used 9500m of 10'],
  ['8', '10', 'has reached 100 % of its limit: used 10 of 10'],
  ['7999m', '8001m', 'has reached 80 % of its limit: used 8001m of 10'],
])('from %s to %s of 10 warns once', (before, after, text) => {
  expect(warning(before, after, '10')).toBe(`CustomQuota harbour/cranes ${text}`)
})

test.each([
  ['0', '7999m'],
  ['8', '9'],
  ['9500m', '10'],
  ['9', '7'],
])('from %s to %s of 10 warns of nothing', (before, after) => {
  expect(warning(before, after, '10')).toBeUndefined()
})

test('the percentages may be others, or none', () => {
  expect(warning('0', '5', '10', [50])).toContain('50 %')
  expect(warning('0', '10', '10', [])).toBeUndefined()
})

test('the percentage is exact where a float is not, and rounded down', () => {
  expect(wholePercentageOf(Quantity.parse('9007199254740993'), Quantity.parse('9007199254740992'))).toBe(100n)
  expect(wholePercentageOf(Quantity.parse('9007199254740991999m'), Quantity.parse('9007199254740992'))).toBe(99n)
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 30n), fc.bigInt(1n, 10n ** 30n), (used, limit) => {
      const percentage = wholePercentageOf(Quantity.ofScaled(used, -9), Quantity.ofScaled(limit, -9))
      expect(percentage).toBe((used * 100n) / limit)
    }),
  )
})

const quota = { group: '', kind: 'ResourceQuota', namespace: 'n', name: 'q' }
const amount = (text: string): Quantity => Quantity.parse(text)

test('of the limits of a quota the fullest is named that comes near its end, and none whose usage nobody knows', () => {
  const rise = (limit: string, cost: string) => ({ limit, cost: amount(cost), oldCost: Quantity.zero })
  const hard = { pods: amount('10'), 'requests.cpu': amount('2'), 'limits.cpu': amount('2'), secrets: amount('1') }
  const rises = [rise('limits.cpu', '300m'), rise('pods', '1'), rise('requests.cpu', '500m'), rise('secrets', '1')]
  const used = { pods: '5', 'requests.cpu': '1400m', 'limits.cpu': '1400m' }
  expect(limitWarning({ ref: quota, hard, used }, rises, [80, 95])).toBe(
    'ResourceQuota n/q has reached 95 % of its limit of requests.cpu: used 1900m of 2',
  )
  expect(limitWarning({ ref: quota, hard, used: undefined }, rises, [80, 95])).toBeUndefined()
})

test('a limit that the quota does not have is not warned of, and of limits that are as full the first is named', () => {
  const rise = (limit: string, oldCost: string) => ({ limit, cost: amount('1'), oldCost: amount(oldCost) })
  const hard = { pods: amount('10'), secrets: amount('10'), services: amount('100') }
  const used = { pods: '8', secrets: '8', services: '94', configmaps: '8' }
  const warned = (...rises: readonly ReturnType<typeof rise>[]) => limitWarning({ ref: quota, hard, used }, rises, [90])
  expect(warned(rise('configmaps', '0'))).toBeUndefined()
  expect(warned()).toBeUndefined()
  expect(warned(rise('secrets', '0'), rise('pods', '0'))).toMatch(/ of secrets: used 9 of 10$/)
  expect(warned(rise('pods', '0'), rise('secrets', '0'), rise('services', '0'))).toMatch(/ of pods: used 9 of 10$/)
  expect(warned(rise('pods', '500m'))).toBeUndefined()
})

test('the fullest limit is named, wherever it stands', () => {
  const hard = { pods: amount('100'), secrets: amount('100') }
  const used = { pods: '94', secrets: '79' }
  const rises = [
    { limit: 'pods', cost: amount('2'), oldCost: Quantity.zero },
    { limit: 'secrets', cost: amount('2'), oldCost: Quantity.zero },
  ]
  for (const order of [rises, rises.toReversed()])
    expect(limitWarning({ ref: quota, hard, used }, order, [80, 95])).toMatch(/ of pods: used 96 of 100$/)
})

test('a budget outside namespaces is named alone', () => {
  const change = { before: amount('0'), after: amount('1'), limit: amount('1') }
  expect(usageWarning({ ...change, ref: { ...ref, namespace: '' } })).toBe(
    'CustomQuota cranes has reached 100 % of its limit: used 1 of 1',
  )
})

test('a limit of zero is filled by no percentage', () => {
  expect(wholePercentageOf(amount('5'), Quantity.zero)).toBe(0n)
})

describe('the warnings of a charge', () => {
  const listOf = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, amount(text)]))
  const rule = { evaluators: { of: () => undefined }, countedBy: () => [], match: () => ({ counted: true, met: [] }) }
  /** Charged to budgets with these limits, and these usages afterwards. */
  const warned = (
    all: readonly (readonly [hard: object, requested: object, used: object])[],
    warnAt: readonly number[] = [80, 95],
  ): readonly string[] => {
    const states = all.map(([hard, requested, used], index) => ({
      budget: { ref: { ...quota, name: `q${index}` }, hard: listOf({ ...hard }), used: {}, rule },
      requested: listOf({ ...requested }),
      used: listOf({ ...used }),
    }))
    const charges = states.map((state) => ({ ...state, budget: state.budget.ref }))
    return chargeWarnings(
      states.map(({ budget }) => budget),
      charges,
      warnAt,
    )
  }

  test('are one for each budget that passes a percentage', () => {
    const hard = { pods: '10', 'requests.cpu': '4' }
    expect(
      warned([
        [hard, { pods: '1', 'requests.cpu': '2' }, { pods: '8', 'requests.cpu': '3900m' }],
        [hard, { pods: '1' }, { pods: '9', 'requests.cpu': '4' }],
        [hard, { pods: '2' }, { pods: '9', 'requests.cpu': '4' }],
        [{ pods: '0' }, { pods: '1' }, { pods: '1' }],
        [{}, { pods: '1' }, { pods: '1' }],
      ]),
    ).toEqual([
      'ResourceQuota n/q0 has reached 97 % of its limit of requests.cpu: used 3900m of 4',
      'ResourceQuota n/q2 has reached 90 % of its limit of pods: used 9 of 10',
    ])
  })

  test('are no more than an answer has room for, and none without percentages', () => {
    const many = Array.from({ length: 1000 }, () => [{ pods: '1' }, { pods: '1' }, { pods: '1' }] as const)
    expect(warned(many)).toHaveLength(20)
    expect(warned(many, [])).toEqual([])
  })
})
