import { expect, test } from 'vitest'
import type { Event } from '../../builtin/core-v1.ts'
import { VisibleObjects } from '../../reading/visible-objects.ts'
import type { RefusalRow } from './refusal-row.ts'
import { folded, newestOf, readRefusals, rowOf } from './refusals.ts'

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
    expect(rowOf(event({ lastTimestamp }), NOW).lastSeen).toBe('2026-01-01T00:00:00Z')
})

test('a time a little ahead of the clock counts as now [security/dashboard]', () => {
  const ahead = '2026-01-02T00:00:30Z'
  const seen = { firstSeen: '2026-01-02T00:00:00.000Z', lastSeen: '2026-01-02T00:00:00.000Z' }
  expect(rowOf(event({ firstTimestamp: ahead, lastTimestamp: ahead }), NOW)).toMatchObject(seen)
  expect(rowOf(event({ metadata: { namespace: 'a', creationTimestamp: ahead } }), NOW)).toMatchObject(seen)
})

test('a count that is none counts once', () => {
  const counts = [7, 0, -4, 1.5, '9', undefined, 1e300].map((count) => rowOf(event({ count }), NOW).count)
  expect(counts).toEqual([7, 1, 1, 1, 1, 1, 2 ** 31 - 1])
  expect(rowOf(event({ series: { count: 3, lastObservedTime: '2026-01-01T05:00:00.000000Z' } }), NOW)).toMatchObject({
    count: 3,
    firstSeen: '2026-01-01T00:00:00Z',
    lastSeen: '2026-01-01T05:00:00.000000Z',
  })
})

test('the refusals of an object are one row, with their number and the latest message', () => {
  const times = (first: string, last: string) => ({
    firstTimestamp: `2026-01-01T${first}:00Z`,
    lastTimestamp: `2026-01-01T${last}:00Z`,
  })
  const made = { namespace: 'a', creationTimestamp: '2026-01-01T09:00:00Z' }
  const all = [
    event({ metadata: made, count: 4, message: 'used 3 of 4', ...times('02:00', '03:00') }),
    event({ metadata: made, count: 2, message: 'used 4 of 4', ...times('04:00', '05:00') }),
    event({
      metadata: made,
      message: 'other',
      involvedObject: { kind: 'Job', name: 'web' },
      ...times('01:00', '01:00'),
    }),
    event({ metadata: { ...made, namespace: 'b' }, message: 'elsewhere', ...times('06:00', '06:00') }),
  ]
  const rows = folded(all.map((one) => rowOf(one, NOW)))
  expect(rows.map(({ namespace, kind, count, message }) => [namespace, kind, count, message])).toEqual([
    ['a', 'Deployment', 6, 'used 4 of 4'],
    ['a', 'Job', 1, 'other'],
    ['b', 'Deployment', 1, 'elsewhere'],
  ])
})

test('no namespace takes the places of others, however many refusals it has [security/dashboard]', () => {
  const row = (namespace: string, at: number): RefusalRow => {
    const seen = `2026-01-01T00:00:${at}Z`
    return { namespace, kind: 'Pod', name: `${at}`, message: '', count: 1, firstSeen: seen, lastSeen: seen }
  }
  const loud = Array.from({ length: 40 }, (_, at) => row('loud', 20 + at))
  const chosen = newestOf([...loud, row('quiet', 10), row('quiet', 11)], 10)
  expect(chosen.map(({ namespace }) => namespace)).toEqual(['loud', 'quiet', 'loud', 'quiet', ...Array(6).fill('loud')])
  expect(chosen.map(({ name }) => name).slice(0, 4)).toEqual(['59', '11', '58', '10'])
})

test.each([
  [500, true],
  [501, false],
])('of %s refused objects it is said whether they are all: %s', async (count, isWhole) => {
  const events = Array.from({ length: count }, (_, at) => event({ involvedObject: { kind: 'Pod', name: `${at}` } }))
  const visible = new VisibleObjects(
    { list: () => Promise.resolve({ items: events as never[], resourceVersion: '1' }) },
    { of: () => ({ group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true }) },
    new AbortController().signal,
  )
  const refusals = await readRefusals(visible, '', NOW)
  expect([refusals.rows.length, refusals.isWhole]).toEqual([500, isWhole])
})
