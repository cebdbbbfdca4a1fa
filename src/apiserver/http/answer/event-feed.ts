import type { TextStream } from '../../../runtime/http/exchange.ts'
import type { StoreEvent } from '../../../store/record/event.ts'

/** A client that does not read is cut off when so many characters of events wait for it, twice as many at first. */
const MAX_HELD = 16 * 1024 * 1024
/** Events that come together are sent together, up to about so many characters. */
const TOGETHER = 32 * 1024

/** The text of an event; undefined for one that the client does not see. */
type Line = string | Buffer | undefined

/**
 * Sends events to one client, as fast as it reads. Events without room in its buffers wait as the event that all watches share:
 * a thousand watches that get the same writes must not hold a thousand copies of their text.
 */
export class EventFeed {
  readonly #stream: TextStream
  readonly #lineOf: (event: StoreEvent) => Line
  readonly #giveUp: () => void
  #waiting: StoreEvent[] = []
  #held = 0
  #limit = 2 * MAX_HELD
  #state: 'stopped' | 'telling' | 'idle' = 'stopped'
  #finishing = false

  /** `giveUp` ends the watch. */
  constructor(stream: TextStream, lineOf: (event: StoreEvent) => Line, giveUp: () => void) {
    this.#stream = stream
    this.#lineOf = lineOf
    this.#giveUp = giveUp
  }

  /** Has everything been sent that was offered? */
  get caughtUp(): boolean {
    return this.#state === 'idle'
  }

  offer(event: StoreEvent): void {
    this.#waiting.push(event)
    this.#held += event.record.text.length
    if (this.#held > this.#limit) {
      this.#stream.cut()
      this.#giveUp()
    } else if (this.#state === 'idle') {
      this.#state = 'telling'
      // A moment later, when all that was published in this turn has been offered.
      queueMicrotask(() => void this.start())
    }
  }

  /** Ends the watch when everything has been sent that was offered so far; nothing may be offered any more. */
  finish(): void {
    this.#finishing = true
    if (this.#state === 'idle') this.#giveUp()
  }

  /** Sends the waiting events; until the first call all of them wait. */
  async start(): Promise<void> {
    this.#state = 'telling'
    while (this.#waiting.length > 0) {
      const lines = this.#next()
      if (lines.length === 0) continue
      if (!this.#stream.write(lines)) return this.#giveUp()
      const drained = this.#stream.drained()
      if (drained !== undefined) await drained
    }
    this.#state = 'idle'
    this.#limit = MAX_HELD
    if (this.#finishing) this.#giveUp()
  }

  /** The lines of the events that go together. */
  #next(): readonly (string | Buffer)[] {
    const lines: (string | Buffer)[] = []
    let length = 0
    let taken = 0
    for (const event of this.#waiting) {
      if (length >= TOGETHER) break
      taken++
      this.#held -= event.record.text.length
      const line = this.#lineOf(event)
      if (line === undefined) continue
      lines.push(line)
      length += line.length
    }
    this.#waiting.splice(0, taken)
    return lines
  }
}
