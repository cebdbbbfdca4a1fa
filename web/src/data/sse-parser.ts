/** An event of a stream. */
export interface StreamEvent {
  readonly name: string
  readonly data: string
}

/** More than the server sends in one event; what is longer is left out. */
const LONGEST = 1024 * 1024

/** Reads `text/event-stream` in whatever pieces it comes. */
export class SseParser {
  #rest = ''
  #name = ''
  #data: string[] = []
  #length = 0

  /** The events that end in this piece. */
  push(piece: string): readonly StreamEvent[] {
    const events: StreamEvent[] = []
    // A piece may end between the two characters of one line end.
    const text = this.#rest + piece
    const isSplit = text.endsWith('\r')
    const lines = (isSplit ? text.slice(0, -1) : text).split(/\r\n|\n|\r/)
    this.#rest = `${lines.pop() ?? ''}${isSplit ? '\r' : ''}`
    for (const line of lines) {
      const event = this.#line(line)
      if (event !== undefined) events.push(event)
    }
    if (this.#rest.length > LONGEST) this.#rest = ''
    return events
  }

  #line(line: string): StreamEvent | undefined {
    if (line === '') return this.#end()
    const colon = line.indexOf(':')
    if (colon === 0) return undefined
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.#name = value
    if (field === 'data' && this.#length + value.length <= LONGEST) {
      this.#data.push(value)
      this.#length += value.length
    }
    return undefined
  }

  #end(): StreamEvent | undefined {
    const event = this.#data.length === 0 ? undefined : { name: this.#name || 'message', data: this.#data.join('\n') }
    this.#name = ''
    this.#data = []
    this.#length = 0
    return event
  }
}
