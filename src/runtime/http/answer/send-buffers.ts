/** A stream toward a client, as far as it matters here. */
export interface Waiting {
  /** Bytes that were written and have not left yet. */
  readonly writableLength: number
  /** How many parts the client has taken; where this is left out, only that less waits shows that it reads. */
  readonly taken?: number
  destroy(): unknown
}

/** Streams with less than this waiting are not counted: that is what a busy network keeps. */
const LITTLE = 64 * 1024

interface Holding {
  readonly user: string
  bytes: number
  taken: number
  /** When the client was last seen to read. */
  since: number
}

/**
 * The bytes that wait for slow clients, in watches and answers, for all streams together and for those of each user.
 * One stream is bounded by its own limit, but a thousand streams are not. If those of a user or of all hold too much,
 * the stream that is furthest behind is cut off. That is measured by its waiting bytes, and by the time in which none
 * of them was read.
 */
export class SendBuffers {
  readonly #limit: number
  readonly #limitEach: number
  readonly #held = new Map<Waiting, Holding>()
  readonly #users = new Map<string, number>()
  #total = 0

  constructor(limit: number, limitEach: number) {
    this.#limit = limit
    this.#limitEach = limitEach
  }

  /** To be called after each write to a stream of a user, and when it has ended. */
  note(user: string, stream: Waiting, ended = false): void {
    this.#set(user, stream, ended ? 0 : stream.writableLength)
    if (this.#total > this.#limit) this.#relieve(undefined)
    else if ((this.#users.get(user) ?? 0) > this.#limitEach) this.#relieve(user)
  }

  #set(user: string, stream: Waiting, length: number): void {
    const bytes = length < LITTLE ? 0 : length
    const held = this.#held.get(stream)
    const more = bytes - (held?.bytes ?? 0)
    const taken = stream.taken ?? 0
    if (held !== undefined && (more < 0 || taken !== held.taken)) {
      held.since = performance.now()
      held.taken = taken
    }
    if (more === 0) return
    this.#total += more
    const ofUser = (this.#users.get(user) ?? 0) + more
    if (ofUser > 0) this.#users.set(user, ofUser)
    else this.#users.delete(user)
    if (bytes === 0) this.#held.delete(stream)
    else if (held === undefined) this.#held.set(stream, { user, bytes, taken, since: performance.now() })
    else held.bytes = bytes
  }

  /** Reports whether a large answer may be made for this user. At least half of the allowed buffers must be free. */
  mayGrow(user: string): boolean {
    return this.#total < this.#limit / 2 && (this.#users.get(user) ?? 0) < this.#limitEach / 2
  }

  /** The known sizes of the streams are those of their last write, so they are read again before a stream is cut off. */
  #relieve(only: string | undefined): void {
    let most: Waiting | undefined
    let owner = ''
    let furthest = 0
    const now = performance.now()
    for (const [stream, held] of this.#held) {
      const { user } = held
      if (only !== undefined && user !== only) continue
      const length = stream.writableLength
      this.#set(user, stream, length)
      const behind = length * (1 + Math.max(0, now - held.since))
      if (length < LITTLE || behind <= furthest) continue
      furthest = behind
      most = stream
      owner = user
    }
    const within = only === undefined ? this.#total <= this.#limit : (this.#users.get(only) ?? 0) <= this.#limitEach
    if (within || most === undefined) return
    this.#set(owner, most, 0)
    most.destroy()
  }
}
