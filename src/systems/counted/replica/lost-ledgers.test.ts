import { Registry } from '@prometheus-io/client'
import { expect, test } from 'vitest'
import { ManualClock } from '../../../../test/kube/manual-clock.ts'
import type { EventContent } from '../../../kube/events/event-object.ts'
import type { EventRecorder } from '../../../kube/events/event-recorder.ts'
import { type LogFields, type Logger, silentLogger } from '../../../runtime/process/logger.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { LostLedgers } from './lost-ledgers.ts'

test('lost ledgers of all systems are counted in one metric, and reported with the time at which the quota opens', async () => {
  const events: EventContent[] = []
  const lines: LogFields[] = []
  const logger: Logger = { ...silentLogger, warn: (fields) => void lines.push(fields) }
  const recorder = { record: (event: EventContent) => void events.push(event) } as unknown as EventRecorder
  const clock = new ManualClock()
  const registry = new Registry()
  const quotas = ['CustomQuota', 'KarmadaQuota'].map((kind) => ({
    apiVersion: 'a.test/v1',
    kind,
    metadata: { namespace: 'n', name: 'q', uid: 'u' },
  }))
  for (const quota of quotas) new LostLedgers({ clock, logger, recorder, registry }).report(quota, 65_000)
  const opensAt = timestamp(clock.now() + 65_000)
  expect(lines).toEqual(quotas.map(({ kind }) => ({ kind, namespace: 'n', quota: 'q', opensAt })))
  expect(events.map(({ regarding, reason, type }) => [regarding, reason, type])).toEqual(
    quotas.map((quota) => [quota, 'LedgerLost', 'Warning']),
  )
  for (const { note } of events) expect(note).toContain(`until about ${opensAt}`)
  const page = await registry.metrics()
  for (const { kind } of quotas) expect(page).toContain(`allot_ledgers_lost_total{kind="${kind}"} 1`)
})
