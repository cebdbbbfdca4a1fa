import type { KubeObject } from '../../machinery/object.ts'
import type { EventDetails } from './details.ts'

/** So many Events that differ only in their message are recorded each; further ones are combined into one Event. */
const MOST_SIMILAR = 10
/** After so long without a similar Event, counting starts again. */
const SIMILAR_MS = 600_000
/** The number of remembered kinds of Events; the oldest are forgotten. */
const MOST_KNOWN = 4096

/** The Event that details go into. */
export interface Correlated {
  /** Equal for all details that share one Event. */
  readonly key: string
  readonly message: string
}

/** Decides which details share an Event, as client-go's correlator does: equal ones, and too many that are alike. */
export class EventCorrelation {
  readonly #similar = new Recent<{ readonly messages: ReadonlySet<string>; readonly at: number }>(MOST_KNOWN)

  /** `now`: milliseconds since the epoch. */
  of({ apiVersion, kind, metadata }: KubeObject, details: EventDetails, now: number): Correlated {
    const { namespace, name, uid } = metadata
    const { type, reason, component, message } = details
    const alike = JSON.stringify([apiVersion, kind, namespace, name, uid, type, reason, component])
    const before = this.#similar.get(alike)
    const known = before === undefined || now - before.at > SIMILAR_MS ? [] : before.messages
    const messages = new Set([...known, message])
    const tooMany = messages.size >= MOST_SIMILAR
    if (tooMany) messages.delete(message)
    this.#similar.set(alike, { messages, at: now })
    return tooMany
      ? { key: alike, message: `(combined from similar events): ${message}` }
      : { key: `${alike}${JSON.stringify(message)}`, message }
  }
}

/** A map of what was used last. */
export class Recent<Value> {
  readonly #most: number
  readonly #values = new Map<string, Value>()

  constructor(most = MOST_KNOWN) {
    this.#most = most
  }

  get(key: string): Value | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: Value): void {
    this.#values.delete(key)
    this.#values.set(key, value)
    const [oldest] = this.#values.keys()
    if (this.#values.size > this.#most && oldest !== undefined) this.#values.delete(oldest)
  }
}
