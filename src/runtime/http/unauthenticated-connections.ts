import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { networkOf } from './network-of.ts'

/** A connection whose client is not authenticated yet. */
export interface PendingConnection {
  /** Restarts the time within which the client must go on. */
  allow(ms: number): void
  /**
   * The connection is closed after so long, even if the client sends requests until then. When the time is up in the middle of a
   * request, `warn` is called, and there is a little more time for the answer.
   */
  demand(ms: number, warn?: () => void): void
  /** Has the client sent more requests than one that waits for answers does? */
  readonly isHasty: boolean
  /** A request is being answered: until as many have ended as have begun no time runs, unless there is a demand. */
  begin(): void
  /** `ms`: how long the client may then take for its next request, unless there is a demand. */
  end(ms: number): void
  /** The client knows what strangers do not: strangers do not crowd it out any more. The bounds hold for all such clients together. */
  recognize(): void
  /** The client is authenticated from now on, and these bounds do not hold for it any more. */
  remove(): void
}

interface Entry {
  readonly socket: Socket
  readonly address: string
  crowd: Crowd
  due: number
  busy: number
  /** The requests that have begun in this turn of the event loop. */
  begun: number
  /** Set when time runs even while a request is answered; called once. */
  warn: (() => void) | undefined
  isDemanded: boolean
}

const LOOK_MS = 1000
/** The time for an answer that has begun when the time is up. */
const GRACE_MS = 5000
const MOST = 1024
/** The requests of a client that may be unanswered, and those that may begin in one turn of the event loop: hundreds fit into one piece. */
const MOST_AHEAD = 16
/** The share of the files that the process may have open, for connections of unauthenticated clients. */
const SHARE = 1 / 4
const USUAL_FILES = 1024

/**
 * The connections of clients that are not authenticated yet: bounded in number and in time. At the bound the one that has
 * waited longest is closed, of the address that has most, because a client with a credential sends it within moments.
 */
export class UnauthenticatedConnections {
  readonly #strangers: Crowd
  readonly #recognized: Crowd
  readonly #timer: NodeJS.Timeout

  constructor(most = Math.min(MOST, Math.floor(openFilesLimit() * SHARE))) {
    this.#strangers = new Crowd(most)
    this.#recognized = new Crowd(most)
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
  }

  get size(): number {
    return this.#strangers.size + this.#recognized.size
  }

  /** Adds a connection, which is closed when it has been idle for `ms`. */
  add(socket: Socket, ms: number): PendingConnection {
    const entry: Entry = {
      socket,
      address: networkOf(socket.remoteAddress ?? ''),
      crowd: this.#strangers,
      due: performance.now() + ms,
      busy: 0,
      begun: 0,
      warn: undefined,
      isDemanded: false,
    }
    const remove = (): void => void entry.crowd.delete(entry)
    socket.once('close', remove)
    entry.crowd.add(entry)
    return {
      allow: (more) => void (entry.due = performance.now() + more),
      demand: (more, warn) => {
        entry.due = performance.now() + more
        entry.warn = warn
        entry.isDemanded = true
      },
      get isHasty() {
        return Math.max(entry.busy, entry.begun) >= MOST_AHEAD
      },
      begin: () => {
        entry.busy++
        if (entry.begun++ === 0) setImmediate(() => (entry.begun = 0))
      },
      end: (more) => {
        entry.busy--
        if (!entry.isDemanded) entry.due = performance.now() + more
      },
      recognize: () => {
        if (!this.#strangers.delete(entry)) return
        entry.crowd = this.#recognized
        entry.crowd.add(entry)
      },
      remove: () => {
        socket.off('close', remove)
        remove()
      },
    }
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    for (const entry of [...this.#strangers, ...this.#recognized]) {
      if (entry.due > now) continue
      if (entry.busy === 0 || (entry.isDemanded && entry.due + GRACE_MS <= now)) entry.crowd.end(entry)
      else {
        entry.warn?.()
        entry.warn = undefined
      }
    }
  }
}

/** Connections of which there are at most so many. */
class Crowd {
  readonly #most: number
  readonly #byAddress = new Map<string, Set<Entry>>()
  readonly #entries = new Set<Entry>()

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#entries.size
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.#entries.values()
  }

  /** May close one of them. */
  add(entry: Entry): void {
    const peers = this.#byAddress.get(entry.address) ?? new Set()
    this.#byAddress.set(entry.address, peers)
    this.#entries.add(entry)
    peers.add(entry)
    if (this.#entries.size > this.#most) this.#endOne(entry, peers)
  }

  /** False where it was not there. */
  delete(entry: Entry): boolean {
    if (!this.#entries.delete(entry)) return false
    const peers = this.#byAddress.get(entry.address)
    peers?.delete(entry)
    if (peers?.size === 0) this.#byAddress.delete(entry.address)
    return true
  }

  end(entry: Entry): void {
    this.delete(entry)
    entry.socket.destroy()
  }

  #endOne(newest: Entry, peersOfNewest: ReadonlySet<Entry>): void {
    let crowd = peersOfNewest
    for (const peers of this.#byAddress.values()) if (peers.size > crowd.size) crowd = peers
    let oldest: Entry | undefined
    for (const entry of crowd) {
      if (entry === newest) continue
      oldest ??= entry
      if (entry.busy > 0) continue
      oldest = entry
      break
    }
    this.end(oldest ?? newest)
  }
}

function openFilesLimit(): number {
  try {
    const limit = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return limit === undefined ? USUAL_FILES : limit === 'unlimited' ? Infinity : Number(limit)
  } catch {
    return USUAL_FILES
  }
}
