import { expect, test } from 'vitest'
import { EventCorrelation, Recent } from './correlation.ts'

const about = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'a', namespace: 'n', uid: 'u' } }
const detailsOf = (message: string, reason = 'FailedCreate') => ({
  type: 'Warning' as const,
  reason,
  message,
  component: 'c',
})

test('equal details about one object share an Event', () => {
  const correlation = new EventCorrelation()
  const first = correlation.of(about, detailsOf('m'), 0)
  expect(correlation.of(about, detailsOf('m'), 1)).toEqual(first)
  const other = { ...about, metadata: { ...about.metadata, uid: 'other' } }
  for (const one of [
    correlation.of(about, detailsOf('n'), 1),
    correlation.of(about, detailsOf('m', 'Other'), 1),
    correlation.of(other, detailsOf('m'), 1),
  ])
    expect(one.key).not.toBe(first.key)
})

test('from the tenth on Events that differ only in their message go into one Event, until they stop for ten minutes', () => {
  const correlation = new EventCorrelation()
  const correlated = Array.from({ length: 12 }, (_, at) => correlation.of(about, detailsOf(`m${at}`), at))
  expect(new Set(correlated.map(({ key }) => key)).size).toBe(10)
  expect(correlated.map(({ message }) => message).slice(8)).toEqual([
    'm8',
    '(combined from similar events): m9',
    '(combined from similar events): m10',
    '(combined from similar events): m11',
  ])
  expect(correlation.of(about, detailsOf('late'), 600_012).message).toBe('late')
})

test('only so much is remembered', () => {
  const recent = new Recent<number>(2)
  for (const [at, key] of ['a', 'b', 'a', 'c'].entries()) recent.set(key, at)
  expect(['a', 'b', 'c'].map((key) => recent.get(key))).toEqual([2, undefined, 3])
})
