import type { Socket } from 'node:net'
import { FrameReader } from './frame-reader.ts'
import type { ConnectionWork } from './unknown-work.ts'

/** The points that are handled of one connection before others have their turn: about six requests. */
const PORTION = 1000

interface GateOptions {
  readonly socket: Socket
  /** Leads to the session. */
  readonly session: Socket
  readonly work: ConnectionWork
  /** Called when the client makes more work than it may: nothing goes through any more. */
  readonly exceeded: () => void
}

/**
 * Stands between the connection of an unknown client and its HTTP/2 session, and reads the frames before the session
 * does. nghttp2 unpacks headers and makes streams of everything that has arrived, and nothing else could stop it. Once
 * the client is known, everything passes unchanged.
 *
 * The session reads only from what the system gives it. So it has one end of a connection within this process, and the
 * gate has the other.
 */
export class FrameGate {
  readonly #socket: Socket
  readonly #session: Socket
  readonly #work: ConnectionWork
  readonly #exceeded: () => void
  readonly #reader = new FrameReader()
  #isOpen = false
  /** The session takes no more at present. */
  #isFull = false
  #isWaiting = false
  #hasTurn = false
  #isOver = false
  #hasEnded = false
  #held: Buffer | undefined

  constructor({ socket, session, work, exceeded }: GateOptions) {
    this.#socket = socket
    this.#session = session
    this.#work = work
    this.#exceeded = exceeded
    session.on('data', (bytes: Buffer) => {
      if (!socket.write(bytes)) session.pause()
    })
    socket.on('drain', () => session.resume())
    session.on('drain', () => {
      this.#isFull = false
      this.#pump()
    })
    session.on('end', () => socket.destroySoon())
    session.on('error', () => socket.destroy())
    session.on('close', () => socket.destroySoon())
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.on('end', () => {
      this.#hasEnded = true
      this.#pump()
    })
    socket.on('close', () => this.#stop())
    socket.resume()
  }

  /** The client is known. */
  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#work.giveBack()
    this.#pump()
  }

  #stop(): void {
    this.#isOver = true
    this.#held = undefined
  }

  #take(bytes: Buffer): void {
    if (this.#isOver) return
    this.#held = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes])
    this.#pump()
  }

  /** Lets through what is held, as far as it may. */
  #pump(): void {
    while (this.#held !== undefined && !this.#isFull && !this.#isWaiting) {
      if (this.#isOpen) this.#pass(this.#held, this.#held.length)
      else if (!this.#awaitsTurn()) this.#passPortion(this.#held)
    }
    if (this.#held !== undefined || this.#isFull) this.#socket.pause()
    else if (this.#hasEnded) this.#session.end()
    else if (!this.#isOver) this.#socket.resume()
  }

  #awaitsTurn(): boolean {
    const turn = this.#hasTurn ? undefined : this.#work.turn()
    this.#hasTurn = false
    if (turn === undefined) return false
    this.#isWaiting = true
    void turn.then(() => {
      this.#isWaiting = false
      this.#hasTurn = true
      this.#pump()
    })
    return true
  }

  #passPortion(held: Buffer): void {
    const { to, points } = this.#reader.portion(held, 0, PORTION)
    if (this.#work.spend(points)) return this.#pass(held, to)
    this.#stop()
    this.#socket.pause()
    this.#exceeded()
  }

  #pass(held: Buffer, to: number): void {
    this.#held = to < held.length ? held.subarray(to) : undefined
    this.#isFull = !this.#session.write(to < held.length ? held.subarray(0, to) : held)
  }
}
