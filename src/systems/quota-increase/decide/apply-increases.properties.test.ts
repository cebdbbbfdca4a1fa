import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MODES } from '../api/increase-names.ts'
import type { QuotaDefinition } from '../api/quota-definition.ts'
import { type QuotaIncrease, quotaIncrease } from '../api/quota-increase.ts'
import { validateResourceQuotaSpec } from '../../../kinds/resource-quota/validate.ts'
import { formatResourceList, quantityOf, resourceNames } from '../../../quantity/resource-list.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { applyIncreases } from './apply-increases.ts'
import { generatedQuota } from './generated-quota.ts'

const NAMES = ['pods', 'count/secrets', 'requests.memory', 'requests.cpu', 'foo'] as const
const AMOUNTS = ['0', '1', '3', '-2', '1Gi', '500M', '500m', '1e3', 'x', '-1Gi']
const hard = (names: readonly string[], amounts: readonly string[]) =>
  fc.dictionary(fc.constantFrom(...names), fc.constantFrom(...amounts), { maxKeys: 4 })

const increaseOf = (name: string, given: Record<string, string>, expiresAt?: string): QuotaIncrease =>
  quotaIncrease.read({
    apiVersion: quotaIncrease.apiVersion,
    kind: quotaIncrease.kind,
    metadata: { name, uid: name },
    spec: { hard: given, ...(expiresAt === undefined ? {} : { expiresAt }) },
  })

const world = fc.record({
  definition: fc.record({
    name: fc.constant('base'),
    mode: fc.constantFrom(...MODES),
    deleteIneffectiveQuotas: fc.boolean(),
    template: fc.record({
      spec: fc.record({ hard: hard(['pods', 'count/secrets', 'requests.memory'], ['0', '2', '10']) }),
    }),
  }),
  increases: fc
    .uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 5 })
    .chain((names) =>
      fc.tuple(
        ...names.map((name) =>
          fc
            .tuple(hard(NAMES, AMOUNTS), fc.constantFrom(undefined, '2000-01-01T00:00:00Z', '2999-01-01T00:00:00Z'))
            .map(([given, expiresAt]) => increaseOf(name, given, expiresAt)),
        ),
      ),
    ),
  use: fc.constantFrom(undefined, 'a', 'c', 'missing', ''),
  order: fc.infiniteStream(fc.nat()),
})
const NOW = Date.parse('2026-01-01T00:00:00Z')

type World = typeof world extends fc.Arbitrary<infer T> ? T : never

const outcomeOf = ({ definition, increases, use }: World, given: readonly QuotaIncrease[] = increases) =>
  applyIncreases({
    definition,
    namespace: use === undefined ? {} : { labels: { 'quota.openmcp.cloud/use': use } },
    increases: given,
    now: NOW,
  })

const summaryOf = ({ hard: limits, increases }: ReturnType<typeof outcomeOf>): unknown => [
  formatResourceList(limits),
  increases.map(({ increase, text, problem, isDeleted }) => [increase.metadata.name, text, problem, isDeleted]),
]

test('whatever the increases are, a server takes the quota, and no order of them changes anything', () => {
  fc.assert(
    fc.property(world, (one) => {
      const outcome = outcomeOf(one)
      expect(validateResourceQuotaSpec({ hard: formatResourceList(outcome.hard) })).toEqual([])
      const shuffled = one.increases
        .map((increase) => ({ increase, at: one.order.next().value as number }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ increase }) => increase)
      expect(summaryOf(outcomeOf(one, shuffled))).toEqual(summaryOf(outcome))
    }),
  )
})

test('the effects explain the limits: of sums all, else the one that decides', () => {
  fc.assert(
    fc.property(world, (one) => {
      const { hard: limits, increases, shares } = outcomeOf(one)
      const base = amountsOf(one.definition.template.spec.hard)
      for (const name of resourceNames(limits)) {
        const effects = increases.flatMap(({ effect }) => quantityOf(effect, name) ?? [])
        const first = quantityOf(base, name)
        const limit = quantityOf(limits, name)
        if (one.definition.mode === 'cumulative') {
          const sum = [...(first === undefined ? [] : [first]), ...effects].reduce((a, b) => a.add(b))
          expect(limit?.equals(sum)).toBe(true)
        } else {
          expect(effects.length).toBeLessThanOrEqual(1)
          expect(limit?.equals(effects[0] ?? first ?? limit)).toBe(true)
          expect(first === undefined || (limit?.cmp(first) ?? -1) >= 0).toBe(true)
        }
        expect(shares[name]?.length).toBeGreaterThan(0)
      }
    }),
  )
})

test('deletions change no limit, and what does not apply is never deleted', () => {
  fc.assert(
    fc.property(world, (one) => {
      const outcome = outcomeOf(one)
      const deleted = outcome.increases.filter(({ isDeleted }) => isDeleted)
      expect(deleted.every(({ problem, text }) => problem === undefined && text === '')).toBe(true)
      if (!one.definition.deleteIneffectiveQuotas) expect(deleted).toEqual([])
      const left = outcome.increases.filter(({ isDeleted }) => !isDeleted).map(({ increase }) => increase)
      const next = outcomeOf(one, left)
      expect(formatResourceList(next.hard)).toEqual(formatResourceList(outcome.hard))
      // Nothing more is deleted then: nobody loses an increase step by step.
      expect(next.increases.filter(({ isDeleted }) => isDeleted)).toEqual([])
    }),
  )
})

test('an increase without a problem that is taken away changes nothing about the problems of invalid ones', () => {
  const definition: QuotaDefinition = {
    name: 'base',
    mode: 'cumulative',
    deleteIneffectiveQuotas: false,
    template: { spec: { hard: { pods: '3' } } },
  }
  const problems = (...increases: readonly QuotaIncrease[]): readonly unknown[] =>
    applyIncreases({ definition, namespace: {}, increases, now: NOW }).increases.map(({ problem }) => problem?.reason)
  expect(problems(increaseOf('a', { pods: '-5' }), increaseOf('b', { pods: '-1' }))).toEqual(['Invalid', undefined])
  expect(problems(increaseOf('a', { pods: '-5' }), increaseOf('b', { pods: '4' }))).toEqual([undefined, undefined])
  expect(problems(increaseOf('a', { foo: '1' }), increaseOf('b', { pods: '1.5' }))).toEqual(['Invalid', 'Invalid'])
  expect(problems(increaseOf('a', { pods: '1' }, '2025-12-31T23:59:59Z'))).toEqual(['Expired'])
})

test('increases whose names together are too many for one quota leave room for the first by name', () => {
  const many = (prefix: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`count/${prefix}${at}.example.com`, '1']))
  const definition: QuotaDefinition = {
    name: 'base',
    mode: 'cumulative',
    deleteIneffectiveQuotas: false,
    template: { spec: { hard: {} } },
  }
  const increases = ['a', 'b', 'c', 'd'].map((name) => increaseOf(name, many(name.repeat(10))))
  const { increases: outcomes } = applyIncreases({ definition, namespace: {}, increases })
  const reasons = outcomes.map(({ problem }) => problem?.reason)
  expect(reasons[0]).toBeUndefined()
  expect(reasons.at(-1)).toBe('Invalid')
  expect(outcomes.at(-1)?.problem?.message).toContain('more than one quota may')
})

test('whatever increases come to, an API server that computes counts in thousandths with 64 bits takes the quota', () => {
  const digits = fc.bigInt({ min: 0n, max: 10n ** 22n }).map(String)
  const amount = fc.oneof(digits, fc.constantFrom('1E', '9E', '10P', '9223372036854776', '3k'))
  const many = fc.array(fc.record({ 'count/secrets': amount, pods: amount, 'requests.memory': amount }), {
    maxLength: 4,
  })
  fc.assert(
    fc.property(many, fc.constantFrom(...MODES), (given, mode) => {
      const template = { spec: { hard: { pods: '10' } } }
      const definition: QuotaDefinition = { name: 'base', mode, deleteIneffectiveQuotas: false, template }
      const labels = { 'quota.openmcp.cloud/use': 'i0' }
      const increases = given.map((one, at) => increaseOf(`i${at}`, one))
      const { hard } = applyIncreases({ definition, namespace: { labels }, increases, now: 0 })
      const { spec } = generatedQuota({ definition, namespace: { name: 'n', uid: 'n' }, hard, provider: 'p' })
      for (const name of ['pods', 'count/secrets'])
        if (spec?.hard?.[name] !== undefined) {
          const whole = quantityOf(amountsOf(spec.hard), name)?.scaledValue(0) ?? 0n
          expect(BigInt.asIntN(64, whole * 1000n)).toBe(whole * 1000n)
        }
      // Amounts that are not counts stay exact.
      const [is, was] = [amountsOf(spec?.hard), hard].map((list) => quantityOf(list, 'requests.memory')?.toString())
      expect(is).toBe(was)
    }),
  )
})
