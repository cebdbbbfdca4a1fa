import type { EventPlace } from './bucket.ts'

/** How much is remembered; the newest event always is. Memory counts as characters of text, with a share for each event. */
export interface HistoryBounds {
  /** Events of the last minutes take at most so much memory … */
  readonly text: number
  /** … and those that are older keep within this. */
  readonly agedText: number
  readonly ageMs: number
  /** At most so many events, however small they are. */
  readonly events: number
}

/** A page of a list may be asked for, and a watch taken up, as long afterwards as on a real server, whose etcd compacts every five minutes. */
export const HISTORY_AGE_MS = 5 * 60_000
const MOST_TEXT = 32 * 1024 * 1024
const MOST_AGED_TEXT = 16 * 1024 * 1024
/** An event's own memory, beside its text. */
const EVENT_TEXT = 256

/** The bounds that are meant where options leave them out. */
export const historyBounds = ({
  events = Infinity,
  text = MOST_TEXT,
}: {
  readonly events?: number | undefined
  readonly text?: number | undefined
}): HistoryBounds => ({ events, text, agedText: Math.min(text, MOST_AGED_TEXT), ageMs: HISTORY_AGE_MS })

interface Memory {
  readonly place: EventPlace
  readonly at: number
}

const sizeOf = ({ event }: EventPlace): number => event.record.text.length + EVENT_TEXT

/** The newest events in revision order, for watches that resume and lists at a past revision. */
export class History {
  readonly #bounds: HistoryBounds
  readonly #now: () => number
  #memories: Memory[] = []
  #start = 0
  #text = 0
  #floor: number

  /** `floor`: events up to this revision are not in the history. `now`: milliseconds of a clock that never goes back. */
  constructor(bounds: HistoryBounds, floor: number, now: () => number = () => performance.now()) {
    this.#bounds = bounds
    this.#floor = floor
    this.#now = now
  }

  /** Everything behind this revision is in the history. */
  get floor(): number {
    return this.#floor
  }

  append(place: EventPlace): void {
    this.#memories.push({ place, at: this.#now() })
    this.#text += sizeOf(place)
  }

  /** Drops the oldest events until the bounds hold; `drop` gets each one, oldest first. */
  trim(drop: (place: EventPlace) => void): void {
    while (this.#memories.length - this.#start > 1) {
      const oldest = this.#memories[this.#start]
      if (oldest === undefined || !this.#isTooMuch(oldest)) break
      this.#start++
      this.#text -= sizeOf(oldest.place)
      this.#floor = oldest.place.event.revision
      drop(oldest.place)
    }
    // The array may hold as many dropped places as live ones before it is cut; they must not hold their records until then.
    if (this.#start > 64 && this.#start * 8 > this.#memories.length) {
      this.#memories = this.#memories.slice(this.#start)
      this.#start = 0
    }
  }

  #isTooMuch({ at }: Memory): boolean {
    const { events, text, agedText, ageMs } = this.#bounds
    if (this.#memories.length - this.#start > events || this.#text > text) return true
    return this.#text > agedText && this.#now() - at > ageMs
  }

  /** The events behind `revision`, oldest first. */
  *after(revision: number): Generator<EventPlace, void, undefined> {
    let low = this.#start
    let high = this.#memories.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#memories[middle]?.place.event.revision ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    for (const { place } of this.#memories.slice(low)) yield place
  }
}
