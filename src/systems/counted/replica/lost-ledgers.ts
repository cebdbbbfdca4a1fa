import { Counter, type Registry } from '@prometheus-io/client'
import type { EventSubject } from '../../../kube/events/event-object.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import type { OperatorContext } from '../../../operator/system.ts'

const METRIC = 'allot_ledgers_lost_total'

type Context = Pick<OperatorContext, 'clock' | 'logger' | 'recorder' | 'registry'>

/** Reports lost ledgers, and when their quotas decide again: in the log, as a metric, and as an Event on the quota. */
export class LostLedgers {
  readonly #context: Context
  readonly #total: Counter<'kind'>

  constructor(context: Context) {
    this.#context = context
    this.#total = lostLedgersTotal(context.registry)
  }

  /** `leftMs`: so long the quota stays closed. */
  report(quota: EventSubject, leftMs: number): void {
    const { clock, logger, recorder } = this.#context
    const { kind, metadata } = quota
    const opensAt = timestamp(clock.now() + leftMs)
    this.#total.inc({ kind })
    const fields = { kind, namespace: metadata.namespace, quota: metadata.name, opensAt }
    logger.warn(
      fields,
      'the ledger of a quota was lost or changed by somebody else: the quota is closed until it opens',
    )
    recorder.record({
      regarding: quota,
      type: 'Warning',
      reason: 'LedgerLost',
      action: 'Closed',
      note: `the ledger was lost or changed by somebody else; requests that it allowed may still be stored, so nothing more may be used until about ${opensAt}`,
    })
  }
}

/**
 * The counter of lost ledgers. All systems count in one metric.
 *
 * @public for the reference of metrics
 */
export function lostLedgersTotal(registry: Registry): Counter<'kind'> {
  const known = registry.getSingleMetric(METRIC)
  if (known instanceof Counter) return known
  return new Counter({
    name: METRIC,
    help: 'Ledgers that were lost or that somebody else changed, so that their quotas were closed for a while, by the kind of quota.',
    labelNames: ['kind'],
    registers: [registry],
  })
}
