import { expect, test } from 'vitest'
import { quotaSpec } from '../../../../test/systems/custom-quota/custom-quotas.ts'
import { customQuota } from '../api/custom-quota.ts'
import { QuotaBound, TOO_MANY_QUOTAS } from './quota-bound.ts'
import type { AnyQuota } from './tracking/tracked-quota.ts'

const ready = (reason: string) => ({
  conditions: [
    { type: 'Ready', status: reason === 'Succeeded' ? 'True' : 'False', reason, message: '', lastTransitionTime: '' },
  ],
})

const quota = (name: string, second: number, reason?: string): AnyQuota =>
  customQuota.read({
    apiVersion: customQuota.apiVersion,
    kind: customQuota.kind,
    metadata: { namespace: 'n', name, uid: name, creationTimestamp: `2026-01-01T00:00:0${second}Z` },
    spec: quotaSpec({ limit: 1, sources: [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }] }),
    ...(reason === undefined ? {} : { status: ready(reason) }),
  })

const admitted = (all: readonly AnyQuota[], asked = all): readonly string[] => {
  const bound = new QuotaBound(2, () => all)
  return asked.flatMap((one) => (bound.admits(one) ? [one.metadata.name ?? ''] : []))
}

test('the earliest quotas are let in, in whatever order they are asked for', () => {
  const all = [quota('a', 2), quota('b', 1), quota('c', 1), quota('d', 3)]
  expect(admitted(all)).toEqual(['b', 'c'])
  expect(admitted(all, all.toReversed())).toEqual(['c', 'b'])
})

test('a quota that is in stays in, also where others of the same second come before it by name', () => {
  for (const reason of ['Succeeded', 'Failed'])
    expect(admitted([quota('a', 1), quota('y', 1, reason), quota('z', 1, reason)])).toEqual(['y', 'z'])
})

test('a quota that was set aside is let in when a place is free', () => {
  expect(
    admitted([quota('a', 1, 'Succeeded'), quota('y', 2, TOO_MANY_QUOTAS), quota('z', 3, TOO_MANY_QUOTAS)]),
  ).toEqual(['a', 'y'])
})

test('a place is given once, before the status of the quota says so', () => {
  const late = [quota('y', 2), quota('z', 2)]
  const all = [...late]
  const bound = new QuotaBound(2, () => all)
  expect(late.map((one) => bound.admits(one))).toEqual([true, true])
  const earlier = quota('a', 1)
  all.push(earlier)
  expect(bound.admits(earlier)).toBe(false)
  expect(late.map((one) => bound.admits(one))).toEqual([true, true])
})
