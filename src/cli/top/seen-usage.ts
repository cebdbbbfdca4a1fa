import { RowObjects } from '../../insight/history/estimated-rows.ts'
import { UsageHistory } from '../../insight/history/usage-history.ts'
import type { LimitRow } from '../../insight/top/limit-row.ts'
import type { KubeObject } from '../../machinery/object.ts'

/** Times are told apart to this. */
const STEP_MS = 100
/** As long is the past that growth is judged by. */
const ALL_MS = 30 * 60_000
/** So many of the last looks are kept, and about as many of older ones. */
const LOOKS = 60
/** More than a table shows to anybody. */
const MOST_LIMITS = 10_000

/** Gives a row with the time until its limit is used up, where growth has been seen. */
export type Estimate = (row: LimitRow) => LimitRow

/** The usage that a command that looks again and again has seen so far. */
export class SeenUsage {
  readonly #history: UsageHistory
  readonly #now: () => number
  readonly #shortestMs: number
  #first: number | undefined
  #last = 0

  /** `shortestMs`: nothing is said of a limit that has been seen for less. `now`: milliseconds that only grow. */
  constructor(intervalMs: number, shortestMs: number, now: () => number) {
    const steps = {
      stepMs: STEP_MS,
      fine: Math.ceil((LOOKS * intervalMs) / STEP_MS),
      coarse: Math.ceil(ALL_MS / LOOKS / STEP_MS),
      all: ALL_MS / STEP_MS,
    }
    this.#history = new UsageHistory({ steps, mostLimits: MOST_LIMITS, mostOfNamespace: MOST_LIMITS, shortestMs })
    this.#now = now
    this.#shortestMs = shortestMs
  }

  /** Notes the limits of these objects as they are now. */
  look(objects: Iterable<Pick<KubeObject, 'kind' | 'metadata'>>, rows: Iterable<LimitRow>): Estimate {
    const of = new RowObjects(objects)
    this.#last = this.#now()
    this.#first ??= this.#last
    const { see, end } = this.#history.look(this.#last)
    for (const reading of of.readings(rows)) see(reading)
    end()
    return (row) => of.estimated(row, this.#history)
  }

  /** Why a limit has no time, as a table says it below. */
  get whyNone(): string {
    const seenMs = this.#last - (this.#first ?? this.#last)
    return seenMs <= 0 || seenMs < this.#shortestMs
      ? 'it was not watched for long enough to see growth'
      : 'no growth was seen that uses it up within 30 days'
  }
}
