// Covers apply-increases.ts, with very many increases.
import { expect, test } from 'vitest'
import { growth } from '../../../../test/growth.ts'
import { type QuotaIncrease, quotaIncrease } from '../api/quota-increase.ts'
import type { QuotaDefinition } from '../api/quota-definition.ts'
import { applyIncreases } from './apply-increases.ts'

type Hard = Readonly<Record<string, string>>

const definition: QuotaDefinition = {
  name: 'base',
  mode: 'cumulative',
  deleteIneffectiveQuotas: false,
  template: { spec: { hard: { pods: '10' } } },
}

const increasesOf = (size: number, hardOf: (at: number) => Hard): readonly QuotaIncrease[] =>
  Array.from({ length: size }, (_, at) =>
    quotaIncrease.read({
      apiVersion: quotaIncrease.apiVersion,
      kind: quotaIncrease.kind,
      metadata: { name: `i${String(at).padStart(6, '0')}`, namespace: 'n' },
      spec: { hard: hardOf(at) },
    }),
  )

// A user who creates increases in one namespace must not be able to keep the operator from the others.
test.each<{ what: string; hardOf: (at: number) => Hard }>([
  { what: 'each with a name of its own', hardOf: (at) => ({ [`count/n${at}.example.com`]: '1', pods: '1' }) },
  {
    what: 'each of which makes room for one before it',
    hardOf: (at) => ({ [`count/n${at}.example.com`]: '1', [`count/n${at + 1}.example.com`]: '-1' }),
  },
])('many increases take time in proportion to their number: $what', ({ hardOf }) => {
  const run = (size: number): unknown =>
    applyIncreases({ definition, namespace: {}, increases: increasesOf(size, hardOf) })
  expect(growth(run, 500, 8)).toBeLessThan(24)
})

test('an increase below 0 that others make room for counts, in whatever order', () => {
  const chain = increasesOf(200, (at) => ({
    [`count/n${at}.example.com`]: '1',
    [`count/n${at + 1}.example.com`]: '-1',
  }))
  const last = quotaIncrease.read({
    apiVersion: quotaIncrease.apiVersion,
    kind: quotaIncrease.kind,
    metadata: { name: 'last', namespace: 'n' },
    spec: { hard: { 'count/n200.example.com': '1' } },
  })
  const { increases } = applyIncreases({ definition, namespace: {}, increases: [...chain, last] })
  expect(increases.filter(({ problem }) => problem !== undefined)).toEqual([])
})

test('an increase alone that no quota could hold is invalid, whatever others there are', () => {
  const huge: Hard = Object.fromEntries(
    Array.from({ length: 9_000 }, (_, at) => [`count/n${at}.${'x'.repeat(40)}.com`, '1']),
  )
  const { increases, hard } = applyIncreases({
    definition,
    namespace: {},
    increases: increasesOf(2, (at) => (at === 0 ? huge : { pods: '1' })),
  })
  expect(increases.map(({ problem }) => problem?.message.includes('use several quotas'))).toEqual([true, undefined])
  expect(Object.keys(hard)).toEqual(['pods'])
})
