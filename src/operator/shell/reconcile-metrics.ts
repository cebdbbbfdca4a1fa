import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client'

/** How looks at objects end: `overtaken` is tried again because somebody else wrote first. */
export const RECONCILE_OUTCOMES = ['done', 'overtaken', 'failed'] as const
export type ReconcileOutcome = (typeof RECONCILE_OUTCOMES)[number]

/** The metrics of one controller, looked up once. */
export interface ReconcileMeter {
  finished(result: ReconcileOutcome, seconds: number): void
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The metrics of controllers for Prometheus. Names and labels are public: they change only with a changelog entry. */
export class ReconcileMetrics {
  readonly #total: Counter<'controller' | 'result'>
  readonly #seconds: Histogram<'controller'>
  readonly #leading: Gauge

  constructor(registry: Registry) {
    const registers = [registry]
    this.#total = new Counter({
      name: 'allot_reconciles_total',
      help: 'Looks at objects that a controller has finished, by result.',
      labelNames: ['controller', 'result'],
      registers,
    })
    this.#seconds = new Histogram({
      name: 'allot_reconcile_duration_seconds',
      help: 'Time that a controller took for one object.',
      labelNames: ['controller'],
      buckets: SECONDS,
      registers,
    })
    this.#leading = new Gauge({ name: 'allot_leader', help: 'Whether this replica reconciles: 1 or 0.', registers })
    this.#leading.set(0)
  }

  leads(is: boolean): void {
    this.#leading.set(is ? 1 : 0)
  }

  /** The meter of a controller, with every result at 0. */
  controller(controller: string): ReconcileMeter {
    this.#seconds.zero({ controller })
    const seconds = this.#seconds.labels({ controller })
    const totals = new Map(
      RECONCILE_OUTCOMES.map((result) => {
        this.#total.inc({ controller, result }, 0)
        return [result, this.#total.labels({ controller, result })]
      }),
    )
    return {
      finished: (result, took) => {
        totals.get(result)?.inc()
        seconds.observe(took)
      },
    }
  }
}
