import { expect, test } from 'vitest'
import { quotaSpec } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import { listClaims } from '../../../../test/systems/custom-quota/list-claims.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { notNamespacedText, quotaStatus, type QuotaStatusInput, quotaTarget, unservedText } from './quota-status.ts'

const POD = { group: '', version: 'v1', kind: 'Pod' }
const TARGET = quotaTarget(quotaSpec({ limit: 1, sources: [{ kind: 'Pod', op: 'count' }] }).sources[0]!, true)
const NOW = '2026-01-01T00:00:00Z'
const one = { kind: POD, namespace: 'harbour', name: 'crane', uid: 'u', cost: Quantity.parse('1') }
const count = (limit: string, sum: string, objects = [one], max?: number) => ({
  limit: Quantity.parse(limit),
  sum: Quantity.parse(sum),
  claims: listClaims(objects, max),
})
const status = (input: Partial<QuotaStatusInput>) =>
  quotaStatus({
    generation: 1,
    targets: [TARGET],
    count: count('2', '1'),
    problems: [],
    previous: undefined,
    now: NOW,
    ...input,
  })

test('a quota that counts has its usage, claims, targets and Ready', () => {
  expect(status({})).toEqual({
    observedGeneration: 1,
    usage: { used: '1', available: '1' },
    claims: [{ ...POD, namespace: 'harbour', name: 'crane', uid: 'u', usage: '1' }],
    targets: [{ ...POD, op: 'count', scope: 'namespace' }],
    conditions: [
      { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'reconciled', lastTransitionTime: NOW },
    ],
  })
})

test('lists without entries are left out', () => {
  expect(Object.keys(status({ count: count('2', '0', []), namespaces: [] }))).toEqual([
    'observedGeneration',
    'usage',
    'targets',
    'conditions',
  ])
  expect(status({ namespaces: ['*'] }).namespaces).toEqual(['*'])
})

test.each([
  ['10', '-3', { used: '0', available: '10' }],
  ['10', '12', { used: '12', available: '0' }],
  ['5Gi', '1024Mi', { used: '1Gi', available: '4Gi' }],
  ['1', '900m', { used: '900m', available: '100m' }],
  ['10Gi', '0', { used: '0', available: '10Gi' }],
  ['1e3', '1k', { used: '1k', available: '0' }],
])('of %s are used %s', (limit, sum, usage) => {
  expect(status({ count: count(limit, sum, []) }).usage).toEqual(usage)
})

test('a list that is cut says how many objects it leaves out, and the amounts stay exact', () => {
  const objects = [one, { ...one, name: 'large', cost: Quantity.parse('7') }]
  const { claims, omittedClaims, usage } = status({ count: count('10', '8', objects, 1) })
  expect([claims?.map(({ name }) => name), omittedClaims, usage?.used]).toEqual([['large'], 1, '8'])
})

test('a quota that cannot be counted keeps what was counted last, and says why it is not ready', () => {
  const previous = status({})
  const { usage, claims, conditions } = status({ count: undefined, problems: ['one', 'two'], previous })
  expect([usage, claims]).toEqual([previous.usage, previous.claims])
  const why = { reason: 'Failed', message: 'one\ntwo' }
  expect(conditions).toMatchObject([
    { type: 'Ready', status: 'False', ...why },
    { type: 'Reconciling', status: 'True', ...why },
  ])
  expect(status({ problems: ['one'], isMistake: true }).conditions).toMatchObject([
    { type: 'Ready' },
    { type: 'Stalled', status: 'True', message: 'one' },
  ])
})

test('a message stays within what a condition may hold', () => {
  const [ready] = status({ problems: ['x'.repeat(40_000)] }).conditions
  expect(ready?.message).toHaveLength(32_768)
})

test('an unchanged status keeps its conditions', () => {
  const previous = status({})
  expect(status({ previous, now: '2026-01-02T00:00:00Z' })).toEqual(previous)
})

test('only a quota that refuses nothing has the condition Enforced', () => {
  const unenforced = { reason: 'EnforcementOff', message: 'the operator was started with --enforce=off' } as const
  const observing = status({ unenforced })
  expect(observing.conditions).toMatchObject([{ type: 'Ready' }, { type: 'Enforced', status: 'False', ...unenforced }])
  expect(status({ previous: observing }).conditions).toHaveLength(1)
})

test('a target is its source, with what it selects and where its objects are', () => {
  const selectors = [{ matchLabels: { tier: 'hot' } }]
  const [path, cel] = quotaSpec({
    limit: 1,
    sources: [
      { apiVersion: 'apps/v1', kind: 'Deployment', op: 'sub', path: '.spec.replicas', selectors },
      { group: 'g', version: 'v1', kind: 'Berth', cel: "quantity('1')" },
    ],
  }).sources
  expect(quotaTarget(path!, true)).toEqual({
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
    op: 'sub',
    path: '.spec.replicas',
    selectors,
    scope: 'namespace',
  })
  expect(quotaTarget(cel!, false)).toEqual({
    group: 'g',
    version: 'v1',
    kind: 'Berth',
    op: 'add',
    cel: "quantity('1')",
    scope: 'root',
  })
})

test('a kind that cannot be counted is named as Capsule names it', () => {
  const berth = { group: 'g', version: 'v1', kind: 'Berth' }
  expect(unservedText(berth, 'it is not installed')).toBe(
    'failed to resolve REST mapping for g/v1, Kind=Berth: it is not installed',
  )
  expect(notNamespacedText(berth)).toBe('GVK g/v1, Kind=Berth is not namespaced')
})
