import type { Place } from './bucket.ts'

export interface HistoryBounds {
  /** At most so many events … */
  readonly events: number
  /** … with at most so many characters of text; the newest event is always kept. */
  readonly text: number
}

/** The newest events in revision order, for watches that resume and lists at a past revision. */
export class History {
  readonly #bounds: HistoryBounds
  #places: Place[] = []
  #start = 0
  #text = 0
  #floor: number

  /** `floor`: events up to this revision are not in the history. */
  constructor(bounds: HistoryBounds, floor: number) {
    this.#bounds = bounds
    this.#floor = floor
  }

  /** Everything behind this revision is in the history: lists at it and watches from it are possible. */
  get floor(): number {
    return this.#floor
  }

  append(place: Place): void {
    this.#places.push(place)
    this.#text += place.event.record.text.length
  }

  /** Drops the oldest events until the bounds hold; `drop` is told each one, oldest first. */
  trim(drop: (place: Place) => void): void {
    while (this.#places.length - this.#start > 1) {
      const length = this.#places.length - this.#start
      const oldest = this.#places[this.#start]
      if (oldest === undefined || (length <= this.#bounds.events && this.#text <= this.#bounds.text)) break
      this.#start++
      this.#text -= oldest.event.record.text.length
      this.#floor = oldest.event.revision
      drop(oldest)
    }
    // The array may hold as many dropped places as live ones before it is cut; they must not hold their records until then.
    if (this.#start > 64 && this.#start * 8 > this.#places.length) {
      this.#places = this.#places.slice(this.#start)
      this.#start = 0
    }
  }

  /** The events behind `revision`, oldest first. */
  *after(revision: number): Generator<Place, void, undefined> {
    let low = this.#start
    let high = this.#places.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#places[middle]?.event.revision ?? 0) <= revision) low = middle + 1
      else high = middle
    }
    yield* this.#places.slice(low)
  }
}
