interface Moment {
  /** As of when the usage is counted, in milliseconds since the epoch. */
  readonly at: number
  /** The least expiry that lies ahead: beyond it the usage is another. */
  readonly next: number
  /** The greatest expiry that lies behind: before it the usage was another. */
  readonly last: number
}

/**
 * The time at which the usage of each namespace is counted. The cost of objects may depend on the time, and the wall
 * clock may jump. So a charge must be given back as of the time at which it was made. Therefore all charges of a
 * namespace are measured at one time. It moves on by itself while no expiry lies in between. Past an expiry, it moves
 * on only with a new count.
 *
 * An expiry is the last moment at which an object costs what it does (`Evaluator.expiry`).
 */
export class UsageClock {
  readonly #moments = new Map<string, Moment>()

  /** As of when the namespace is counted; undefined: it has not been counted yet. */
  at(namespace: string): number | undefined {
    return this.#moments.get(namespace)?.at
  }

  /** Would a count at `now` find another usage? Moves on to `now` where it would not. */
  moves(namespace: string, now: number): boolean {
    const moment = this.#moments.get(namespace)
    if (moment === undefined || moment.next < now || moment.last >= now) return true
    if (moment.at !== now) this.#moments.set(namespace, { ...moment, at: now })
    return false
  }

  /** The namespace is counted as of `at`, with objects of these expiries. */
  set(namespace: string, at: number, expiries: Iterable<number>): void {
    this.#moments.set(namespace, { at, next: Infinity, last: -Infinity })
    for (const expiry of expiries) this.note(namespace, expiry)
  }

  /** An object with this expiry is stored, and counted as of the time that the namespace stands at. */
  note(namespace: string, expiry: number): void {
    const moment = this.#moments.get(namespace)
    if (moment === undefined) return
    const { at, next, last } = moment
    if (expiry >= at && expiry < next) this.#moments.set(namespace, { at, next: expiry, last })
    else if (expiry < at && expiry > last) this.#moments.set(namespace, { at, next, last: expiry })
  }

  /** The expiry that comes next. */
  next(namespace: string): number | undefined {
    const next = this.#moments.get(namespace)?.next
    return next === Infinity ? undefined : next
  }

  /** The namespaces that a count at `now` would find another usage in. */
  moved(now: number): readonly string[] {
    return [...this.#moments.keys()].filter((namespace) => this.moves(namespace, now))
  }

  /** The namespace has to be counted before anything in it is charged: its count was not stored, or it has no quotas. */
  forget(namespace: string): void {
    this.#moments.delete(namespace)
  }
}
