// Covers src/insight/history/usage-history.ts and src/insight/history/limit-reading.ts.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Quantity } from '../../quantity/quantity.ts'
import { type LimitReading, limitReadings } from './limit-reading.ts'
import { mostPoints } from './limit-series.ts'
import { type HistoryBounds, OPERATOR_BOUNDS, UsageHistory } from './usage-history.ts'

const BOUNDS: HistoryBounds = {
  steps: { stepMs: 1000, fine: 4, coarse: 4, all: 12 },
  mostLimits: 8,
  mostOfNamespace: 4,
  shortestMs: 2000,
}

const reading = (uid: string, used: string, { namespace = 'n', hard = '100', resource = 'pods' } = {}) => ({
  kind: 'ResourceQuota',
  namespace,
  name: uid,
  uid,
  resource,
  used: Quantity.parse(used),
  hard: Quantity.parse(hard),
})

function look(history: UsageHistory, at: number, readings: Iterable<LimitReading>): void {
  const { see, end } = history.look(at)
  for (const one of readings) see(one)
  end()
}
const kept = (history: UsageHistory): readonly string[] => [...history.all()].map(({ uid }) => uid)

describe('the history of usage', () => {
  test('tells what was used of the limits of an object, and when one will be exhausted [33/history]', () => {
    const history = new UsageHistory(BOUNDS)
    for (const second of [0, 1, 2, 3])
      look(history, second * 1000, [
        reading('a', `${second * 10}m`, { hard: '1', resource: 'cpu' }),
        reading('a', '1Gi', { hard: '2Gi', resource: 'memory' }),
      ])
    const [cpu, memory] = history.of('a')
    expect(cpu).toMatchObject({ kind: 'ResourceQuota', namespace: 'n', name: 'a', uid: 'a', resource: 'cpu' })
    expect(cpu?.points().map(({ at, used, hard }) => [at, used, hard])).toEqual(
      [0, 1, 2, 3].map((second) => [second * 1000, BigInt(second) * 10_000_000n, 1_000_000_000n]),
    )
    expect(cpu?.exhaustedInSeconds).toBe(97)
    expect(memory).toMatchObject({ resource: 'memory', format: 'BinarySI', exhaustedInSeconds: undefined })
  })

  test('begins anew with another object of the same name, and forgets what has gone', () => {
    const history = new UsageHistory(BOUNDS)
    look(history, 0, [reading('a', '1'), reading('b', '1')])
    look(history, 1000, [{ ...reading('c', '5'), name: 'a' }])
    expect(kept(history)).toEqual(['c'])
    expect(history.of('a')).toEqual([])
    expect(history.of('c').flatMap((one) => one.points())).toHaveLength(1)
  })

  test('keeps a bounded number of limits and points, of each namespace and in all, whatever comes [33/history]', () => {
    const some = fc.record({
      uid: fc.integer({ min: 0, max: 15 }),
      namespace: fc.constantFrom('', 'n', 'm'),
      used: fc.integer({ min: 0, max: 3 }),
    })
    fc.assert(
      fc.property(fc.array(fc.array(some, { maxLength: 20 }), { maxLength: 30 }), (looks) => {
        const history = new UsageHistory(BOUNDS)
        for (const [at, readings] of looks.entries()) {
          const seen = readings.map(({ uid, namespace, used }) =>
            reading(`${namespace}${uid}`, `${used}`, { namespace }),
          )
          look(history, at * 1000, seen)
          const all = [...history.all()]
          expect(all.length).toBe(history.size)
          expect(history.size).toBeLessThanOrEqual(BOUNDS.mostLimits)
          for (const namespace of ['n', 'm'])
            expect(all.filter((one) => one.namespace === namespace).length).toBeLessThanOrEqual(BOUNDS.mostOfNamespace)
          expect(history.points).toBeLessThanOrEqual(history.size * mostPoints(BOUNDS.steps))
          // What has a history was there, and what was there has one or is said to have none.
          const uids = new Set(seen.map(({ uid }) => uid))
          for (const { uid } of all) expect(uids).toContain(uid)
          expect(history.size + history.leftOut).toBeGreaterThanOrEqual(uids.size)
          expect(history.leftOut).toBeLessThanOrEqual(seen.length - history.size)
        }
      }),
    )
  })

  test('gives the place of a limit that has stayed for all the time to one that is left out, and of no other', () => {
    const history = new UsageHistory(BOUNDS)
    const namespaces = ['', '', '', '', '', '', '', '']
    const all = (second: number) =>
      namespaces.map((namespace, index) => reading(`${index}`, index === 3 ? '5' : `${second % 3}`, { namespace }))
    for (let second = 0; second <= 11; second++) look(history, second * 1000, all(second))
    const late = reading('late', '1', { namespace: '' })
    look(history, 11_500, [...all(11), late])
    expect(kept(history)).not.toContain('late')
    expect(history.leftOut).toBe(1)
    for (let second = 12; second <= 13; second++) look(history, second * 1000, [...all(second), late])
    expect(kept(history)).toContain('late')
    expect(kept(history)).not.toContain('3')
    expect(history.leftOut).toBe(1)
  })

  test('no namespace crowds out the limits of others, whichever comes first [33/history]', () => {
    const history = new UsageHistory({ ...BOUNDS, mostOfNamespace: 6 })
    const of = (namespace: string, count: number) =>
      Array.from({ length: count }, (_, at) => reading(`${namespace}${at}`, '1', { namespace }))
    const [loud, louder] = [of('loud', 6), of('louder', 6)]
    look(history, 0, [...loud, ...louder])
    const quiet = of('quiet', 2)
    const ofCluster = of('', 3)
    for (const second of [1, 2, 3]) look(history, second * 1000, [...loud, ...louder, ...quiet, ...ofCluster])
    const countOf = (namespace: string): number =>
      [...history.all()].filter((one) => one.namespace === namespace).length
    expect(countOf('')).toBe(3)
    expect(['loud', 'louder', 'quiet'].map(countOf).toSorted((a, b) => a - b)).toEqual([1, 2, 2])
    expect([history.size, history.leftOut]).toEqual([8, 9])
    const before = kept(history)
    look(history, 4000, [...louder, ...loud, ...ofCluster, ...quiet])
    expect(kept(history)).toEqual(before)
  })

  test('has no history of a limit whose amounts or name no API server allows', () => {
    const history = new UsageHistory(BOUNDS)
    const huge = '9'.repeat(60)
    look(history, 0, [
      reading('a', '1', { hard: huge }),
      reading('b', huge),
      reading('c', '1', { resource: 'r'.repeat(400) }),
      reading('', '1'),
    ])
    expect([history.size, history.leftOut]).toEqual([0, 4])
  })

  test('takes less than 30 MiB for all points of an operator [33/history]', () => {
    const { steps, mostLimits } = OPERATOR_BOUNDS
    const bytes = 20
    // A series grows by doubling its room.
    const room = 2 ** Math.ceil(Math.log2(mostPoints(steps)))
    expect(room * bytes * mostLimits).toBeLessThan(30 * 1024 * 1024)
  })
})

describe('the readings of an object', () => {
  test('are its counted limits, but for amounts that cannot be read', () => {
    const metadata = { namespace: 'n', name: 'q', uid: 'u' }
    const hard = { pods: '4', cpu: '2', memory: 'much', secrets: '1' }
    const used = { pods: '1', memory: '1', secrets: 'many', other: '1' }
    const all = [...limitReadings('ResourceQuota', metadata, hard, used)]
    expect(all.map(({ resource, used: now, hard: most }) => [resource, String(now), String(most)])).toEqual([
      ['pods', '1', '4'],
    ])
  })
})
