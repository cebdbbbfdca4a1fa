import { expect, test } from 'vitest'
import type { Event } from '../../builtin/core-v1.ts'
import { newestOf, type RefusalRow, rowOf } from './refusals.ts'

const NOW = Date.parse('2026-01-02T00:00:00Z')
/** As tenants may write it: of whatever shape. */
const event = (more: object): Event =>
  ({
    metadata: { namespace: 'a', creationTimestamp: '2026-01-01T00:00:00Z' },
    involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    message: 'full',
    ...more,
  }) as unknown as Event

test('a refusal stands in one line, escaped and cut, whatever a tenant has written [security/dashboard]', () => {
  const row = rowOf(
    event({
      message: `a\nb\u202e${'x'.repeat(2000)}`,
      involvedObject: { kind: 'k'.repeat(500), name: '\u001b[31m' },
    }),
    NOW,
  )
  expect(row.message).toMatch(/^a\\nb\\u202ex+…$/)
  expect([row.message.length < 1100, row.kind.length, row.name]).toEqual([true, 253, '\\x1b[31m'])
})

test('a time that has not come, or is none, counts as that of the Event itself', () => {
  for (const lastTimestamp of ['9999-12-31T23:59:59Z', 'soon', undefined])
    expect(rowOf(event({ lastTimestamp }), NOW).last).toBe('2026-01-01T00:00:00Z')
  expect(rowOf(event({ lastTimestamp: '2026-01-02T00:00:30Z' }), NOW).last).toBe('2026-01-02T00:00:30Z')
})

test('no namespace takes the places of others, however many refusals it has [security/dashboard]', () => {
  const row = (namespace: string, at: number): RefusalRow => {
    return { namespace, kind: 'Pod', name: `${at}`, message: '', count: 1, last: `2026-01-01T00:00:${at}Z` }
  }
  const loud = Array.from({ length: 40 }, (_, at) => row('loud', 20 + at))
  const chosen = newestOf([...loud, row('quiet', 10), row('quiet', 11)], 10)
  expect(chosen.map(({ namespace }) => namespace)).toEqual([...Array(8).fill('loud'), 'quiet', 'quiet'])
  expect(chosen.map(({ name }) => name).slice(0, 2)).toEqual(['59', '58'])
})
