import type { StoreEvent } from '../record/event.ts'
import type { Sweep } from '../log/log.ts'

/** A step removes at least so many rows (a few milliseconds of the worker's time), so that the floor is seldom written. */
const step = 256

/**
 * Collects the log rows that have become superfluous and hands them out in small steps, first in first out: a tombstone
 * never goes before the versions that it hides.
 */
export class Sweeper {
  #revisions: number[] = []
  #floor: number

  /** `floor`: the one that the log has recorded. */
  constructor(floor: number) {
    this.#floor = floor
  }

  /** Takes note of an event that has left the history: what it replaced can go, and a tombstone itself. */
  add({ type, revision, previous }: StoreEvent): void {
    this.#floor = Math.max(this.#floor, revision)
    if (previous !== undefined) this.#revisions.push(previous.revision)
    if (type === 'deleted') this.#revisions.push(revision)
  }

  /** Is there enough for a step (`idle`: anything at all)? */
  due(idle: boolean): boolean {
    return this.#revisions.length >= (idle ? 1 : step)
  }

  /** A step beside `writes` new rows: more than they can make superfluous, so that the log does not grow for ever. */
  take(writes: number): Sweep {
    return { floor: this.#floor, revisions: this.#revisions.splice(0, Math.max(step, 3 * writes)) }
  }

  /**
   * Adds to a step the versions that these events replace. On a full disk a deletion must free more space than it takes.
   * After a restart no watch resumes from before these events. A step that fails is put back without them.
   */
  withReplaced(sweep: Sweep | undefined, events: readonly StoreEvent[]): Sweep {
    this.#floor = Math.max(this.#floor, events.at(-1)?.revision ?? 0)
    const replaced = events.flatMap(({ previous }) => (previous === undefined ? [] : [previous.revision]))
    return { floor: this.#floor, revisions: [...(sweep?.revisions ?? []), ...replaced] }
  }

  /** A sweep that failed is tried again later. */
  putBack(sweep: Sweep): void {
    this.#revisions = [...sweep.revisions, ...this.#revisions]
  }
}
