import { Registry } from '@prometheus-io/client'
import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { type LimitReading, limitReadings } from '../../insight/history/limit-reading.ts'
import { OPERATOR_BOUNDS, UsageHistory } from '../../insight/history/usage-history.ts'
import { type LogFields, type Logger, silentLogger } from '../../runtime/process/logger.ts'
import { UsageRecorder } from './usage-recorder.ts'

const MINUTE = 60_000
const reading = (name: string, used: number, hard = 100): readonly LimitReading[] => [
  ...limitReadings('ResourceQuota', { namespace: 'n', name, uid: `uid-${name}` }, { pods: hard }, { pods: used }),
]

function recorded(readings: () => Iterable<LimitReading>, logger: Logger = silentLogger) {
  const clock = new ManualClock()
  const registry = new Registry()
  const history = new UsageHistory(OPERATOR_BOUNDS)
  const recorder = new UsageRecorder({ history, readings, clock, logger, registry })
  const stop = new AbortController()
  const running = recorder.run(stop.signal)
  return {
    clock,
    history,
    series: async () => (await registry.metrics()).split('\n').filter((line) => line.startsWith('allot_')),
    end: async () => {
      stop.abort()
      await running
    },
  }
}

describe('the recorder of usage', () => {
  test('shows when a limit will be used up, and nothing of one that does not grow or has gone [33/exhaustion-metric]', async () => {
    let used = 0
    let isThere = true
    const { clock, series, end } = recorded(() => [
      ...(isThere ? reading('growing', used) : []),
      ...reading('resting', 50),
      ...reading('full', 100),
      ...reading('closed', 0, 0),
    ])
    const full = ['closed', 'full'].map(
      (name) =>
        `allot_resourcequota_exhaustion_seconds{resource_quota="${name}",target_namespace="n",resource="pods"} 0`,
    )
    await clock.advance(0)
    expect((await series()).toSorted()).toEqual([...full, 'allot_limits_without_history 0'].toSorted())
    for (; used < 40; used += 4) await clock.advance(MINUTE)
    const growing =
      'allot_resourcequota_exhaustion_seconds{resource_quota="growing",target_namespace="n",resource="pods"} '
    const [shown = ''] = (await series()).filter((line) => line.startsWith(growing))
    // Four a minute, and a little less than two thirds are left.
    const seconds = Number(shown.slice(growing.length))
    expect(seconds).toBeGreaterThan(14 * 60)
    expect(seconds).toBeLessThan(18 * 60)
    isThere = false
    await clock.advance(OPERATOR_BOUNDS.steps.stepMs)
    expect((await series()).filter((line) => line.startsWith(growing))).toEqual([])
    await end()
  })

  test('looks at some limits at a time, so that other work has its turn', async () => {
    let read = 0
    const { clock, history, end } = recorded(function* () {
      for (let index = 0; index < 1000; index++) {
        read++
        yield* reading(String(index), index)
      }
    })
    // Nothing has run since the start.
    expect(read).toBeLessThan(500)
    await clock.advance(0)
    expect(history.size).toBe(1000)
    await end()
  })

  test('goes on after a look that failed, and says once that limits have no room', async () => {
    const told: LogFields[] = []
    const errors: LogFields[] = []
    const logger: Logger = {
      ...silentLogger,
      warn: (fields) => void told.push(fields),
      error: (fields) => void errors.push(fields),
    }
    let looks = 0
    const { clock, history, end } = recorded(function* () {
      if (++looks === 2) throw new Error('broken')
      for (let index = 0; index <= OPERATOR_BOUNDS.mostOfNamespace; index++) yield* reading(String(index), 1)
    }, logger)
    await clock.advance(4 * OPERATOR_BOUNDS.steps.stepMs)
    expect(errors).toHaveLength(1)
    expect(looks).toBeGreaterThan(3)
    expect(told).toEqual([{ kept: OPERATOR_BOUNDS.mostOfNamespace, leftOut: 1 }])
    expect(history.size).toBe(OPERATOR_BOUNDS.mostOfNamespace)
    await end()
  })
})
