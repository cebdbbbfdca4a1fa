import { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client'
import { collectProcessMetrics } from './process-metrics.ts'

/** The labels of an API request. Paths that name no resource have empty names: labels never come from unknown paths. */
export interface RequestLabels {
  /** Upper case as Kubernetes labels it: GET, LIST, WATCH, POST, PUT, PATCH, APPLY, DELETE, DELETECOLLECTION. */
  readonly verb: string
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly subresource: string
}

/** The metric of one kind of request: looked up once with `Metrics.request`, then updated by each finished request. */
export interface RequestMeter {
  /** `code` is the HTTP status; `seconds` how long the request took. Watches count, their duration is not observed. */
  finished(code: number, seconds: number): void
}

/** A counter that was looked up before. */
export interface ResourceCounter {
  inc(by?: number): void
}

export const VERDICTS = ['admitted', 'denied'] as const
export type AdmissionVerdict = (typeof VERDICTS)[number]

const REQUEST_LABELS = ['verb', 'group', 'version', 'resource', 'subresource'] as const
const REQUEST_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const COMMIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]
const BATCH_WRITES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]

/** The metrics of the embedded server for Prometheus. Names and labels are public: they change only with a changelog entry. */
export class Metrics {
  readonly #registry: Registry
  readonly #meters = new Map<string, RequestMeter>()
  readonly #requests: Counter<'code' | (typeof REQUEST_LABELS)[number]>
  readonly #durations: Histogram<(typeof REQUEST_LABELS)[number]>
  readonly #watches: Gauge
  readonly #commitWrites: Histogram
  readonly #commitSeconds: Histogram
  /** One counter of requests for each verdict of the quotas. */
  readonly quotaDecisions: Readonly<Record<AdmissionVerdict, ResourceCounter>>
  /** Usages that the regular count had to put right. */
  readonly quotaDrift: ResourceCounter

  /** `registry`: where other parts of the process have theirs. */
  constructor(registry: Registry = new Registry()) {
    this.#registry = registry
    const registers = [registry]
    this.#requests = new Counter({
      name: 'apiserver_request_total',
      help: 'Requests answered, by verb, resource and HTTP status code.',
      labelNames: [...REQUEST_LABELS, 'code'],
      registers,
    })
    this.#durations = new Histogram({
      name: 'apiserver_request_duration_seconds',
      help: 'Time from reading a request to the end of its answer, watches excluded.',
      labelNames: REQUEST_LABELS,
      buckets: REQUEST_SECONDS,
      registers,
    })
    this.#watches = new Gauge({ name: 'apiserver_longrunning_requests', help: 'Watches that are open.', registers })
    const decisions = new Counter({
      name: 'allot_quota_decisions_total',
      help: 'Requests that a quota counts, by verdict.',
      labelNames: ['verdict'],
      registers,
    })
    for (const verdict of VERDICTS) decisions.inc({ verdict }, 0)
    this.quotaDecisions = { admitted: decisions.labels('admitted'), denied: decisions.labels('denied') }
    this.quotaDrift = new Counter({
      name: 'allot_quota_drift_total',
      help: 'Usages of quotas that the regular count found to be wrong, and put right.',
      registers,
    })
    this.#commitWrites = new Histogram({
      name: 'allot_store_commit_writes',
      help: 'Writes that one transaction of the store made durable together.',
      buckets: BATCH_WRITES,
      registers,
    })
    this.#commitSeconds = new Histogram({
      name: 'allot_store_commit_duration_seconds',
      help: 'Time that one transaction of the store took until it was durable.',
      buckets: COMMIT_SECONDS,
      registers,
    })
  }

  /** The meter of a kind of request; the same labels give the same meter. */
  request(labels: RequestLabels): RequestMeter {
    const { verb, group, version, resource, subresource } = labels
    const key = `${verb} ${group} ${version} ${resource} ${subresource}`
    const known = this.#meters.get(key)
    if (known !== undefined) return known
    const meter = this.#meter({ verb, group, version, resource, subresource })
    this.#meters.set(key, meter)
    return meter
  }

  watchOpened(): void {
    this.#watches.inc()
  }

  watchClosed(): void {
    this.#watches.dec()
  }

  /** The store made `writes` durable in one transaction of `seconds`. */
  storeCommitted(writes: number, seconds: number): void {
    this.#commitWrites.observe(writes)
    this.#commitSeconds.observe(seconds)
  }

  /** Adds the figures of the process (memory, CPU, event loop, garbage collection). Once per process: they cost timers. */
  collectProcess(): void {
    collectProcessMetrics(this.#registry)
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  /** Everything in Prometheus' text format. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  #meter(labels: RequestLabels): RequestMeter {
    const codes = new Map<number, ResourceCounter>()
    const duration = labels.verb === 'WATCH' ? undefined : this.#durations.labels({ ...labels })
    return {
      finished: (code, seconds) => {
        let counter = codes.get(code)
        if (counter === undefined) {
          counter = this.#requests.labels({ ...labels, code })
          codes.set(code, counter)
        }
        counter.inc()
        duration?.observe(seconds)
      },
    }
  }
}
