import type { Socket } from 'node:net'
import { FrameGate } from './frame-gate.ts'
import { firstHead } from './first-head.ts'
import { LocalPairs } from './local-pairs.ts'
import { authorizationIn } from './packed-head.ts'
import { UnauthenticatedConnections } from '../unauthenticated-connections.ts'
import { UnknownWork } from './unknown-work.ts'

/** Limits of the first request head: pieces, bytes and time. Anything beyond them is not inspected. */
const MOST_READS = 8
const MOST_BYTES = 32 * 1024
const FIRST_HEAD_MS = 500
/** Connections that go through a gate take three files each, instead of one. */
const MOST_GATES = 256

/** A session that has begun. */
export interface Begun {
  /** Ends it, as its client makes more work than it may. */
  end(): void
  /** `open` is to be called when its client has become known. */
  guard(open: () => void): void
}

/** A connection that is to speak HTTP/2. */
export interface Arrival {
  readonly socket: Socket
  /** Is the client known that shows this value of `authorization`, or shows none? */
  readonly knows: (authorization: string | undefined) => boolean
  /** Starts the session over a stream; undefined when that is closed. */
  readonly begin: (stream: Socket, isKnown: boolean) => Begun | undefined
}

/**
 * The way of HTTP/2 connections to their sessions. A client that shows a credential with its first request gets a session of its
 * own connection, as if nobody had looked. All others go through a gate.
 */
export class Http2Entrance {
  readonly #pairs = new LocalPairs()
  readonly #work = new UnknownWork()
  /** The connections that go through gates. */
  readonly #gated = new UnauthenticatedConnections(MOST_GATES)

  enter(arrival: Arrival): void {
    const { socket, knows, begin } = arrival
    if (knows(undefined)) return void begin(socket, true)
    let bytes = Buffer.alloc(0)
    let reads = 0
    const decide = (isKnown: boolean): void => {
      clearTimeout(timer)
      socket.off('data', read)
      socket.off('end', leave)
      socket.pause()
      socket.unshift(bytes)
      // Node may be in the middle of handing over what it has read, and what is to come joins what waits.
      if (isKnown) setImmediate(() => void begin(socket, true))
      else void this.#throughGate(arrival)
    }
    const leave = (): void => void socket.destroy()
    const timer = setTimeout(() => decide(false), FIRST_HEAD_MS)
    const read = (more: Buffer): void => {
      bytes = Buffer.concat([bytes, more])
      const head = firstHead(bytes)
      if (head !== undefined) decide(knows(authorizationIn(head)))
      else if (++reads >= MOST_READS || bytes.length >= MOST_BYTES) decide(false)
    }
    socket.on('error', () => socket.destroy())
    socket.once('close', () => clearTimeout(timer))
    socket.once('end', leave)
    socket.on('data', read)
  }

  close(): void {
    this.#pairs.close()
    this.#gated.close()
  }

  async #throughGate({ socket, begin }: Arrival): Promise<void> {
    const pending = this.#gated.add(socket, Infinity)
    try {
      const { outer, inner } = await this.#pairs.open()
      const end = (): void => {
        outer.destroy()
        inner.destroy()
      }
      socket.once('close', end)
      const begun = socket.destroyed ? undefined : begin(inner, false)
      if (begun === undefined) {
        end()
        socket.destroy()
      } else {
        const work = this.#work.connection(socket.remoteAddress ?? '')
        const gate = new FrameGate({ socket, session: outer, work, exceeded: () => begun.end() })
        begun.guard(() => {
          pending.remove()
          gate.open()
        })
      }
    } catch {
      // Without a file for the pair there is no way to serve this client.
      socket.destroy()
    }
  }
}
