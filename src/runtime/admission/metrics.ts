import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client'
import { REVIEW_VERDICTS, type ReviewVerdict } from './decision.ts'

/** The reasons for which a call reaches no webhook. */
export const CALL_REFUSALS = ['host', 'peer', 'certificate', 'path', 'caller'] as const
export type CallRefusal = (typeof CALL_REFUSALS)[number]

/** The metrics of one webhook, looked up once. */
export interface ReviewMeter {
  started(): void
  /** A review that has started ended so, after this time. */
  finished(verdict: ReviewVerdict, seconds: number): void
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The metrics of an admission server for Prometheus. Names and labels are public: they change only with a changelog entry. */
export class AdmissionMetrics {
  readonly #reviews: Counter<'path' | 'verdict'>
  readonly #seconds: Histogram<'path'>
  readonly #running: Gauge<'path'>
  readonly #refused: Counter<'reason'>

  constructor(registry: Registry) {
    const registers = [registry]
    this.#reviews = new Counter({
      name: 'allot_admission_reviews_total',
      help: 'Admission reviews answered, by webhook and verdict.',
      labelNames: ['path', 'verdict'],
      registers,
    })
    this.#seconds = new Histogram({
      name: 'allot_admission_review_duration_seconds',
      help: 'Time from reading an admission review to its answer.',
      labelNames: ['path'],
      buckets: SECONDS,
      registers,
    })
    this.#running = new Gauge({
      name: 'allot_admission_reviews_in_flight',
      help: 'Admission reviews that are being decided.',
      labelNames: ['path'],
      registers,
    })
    this.#refused = new Counter({
      name: 'allot_admission_refused_calls_total',
      help: 'Calls of the webhook port that no webhook has seen, by what was wrong with them.',
      labelNames: ['reason'],
      registers,
    })
    for (const reason of CALL_REFUSALS) this.#refused.inc({ reason }, 0)
  }

  /** A call was answered before its body was read. */
  refused(reason: CallRefusal): void {
    this.#refused.inc({ reason })
  }

  /** The meter of the webhook at this path, with every verdict at 0. */
  webhook(path: string): ReviewMeter {
    const seconds = this.#seconds.labels({ path })
    const running = this.#running.labels({ path })
    running.set(0)
    this.#seconds.zero({ path })
    const counts = new Map<ReviewVerdict, { inc(): void }>()
    for (const verdict of REVIEW_VERDICTS) {
      this.#reviews.inc({ path, verdict }, 0)
      counts.set(verdict, this.#reviews.labels({ path, verdict }))
    }
    return {
      started: () => running.inc(),
      finished: (verdict, duration) => {
        running.dec()
        counts.get(verdict)?.inc()
        seconds.observe(duration)
      },
    }
  }
}
