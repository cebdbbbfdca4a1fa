import { EventEmitter } from 'node:events'
import type { TLSSocket } from 'node:tls'
import { FrameReader } from './frame-reader.ts'
import type { ConnectionWork } from './unknown-work.ts'

/** The points that are handled of one connection before others have their turn: about six requests. */
const PORTION = 1000

/**
 * Stands between a TLS connection and its HTTP/2 session, and reads the frames of a client that is not known before the session
 * does: nghttp2 unpacks headers and makes streams of all that has arrived, and nothing else could stop it. From when the client
 * is known all goes through as it comes.
 *
 * Node takes any stream for a session's connection; these are the parts that it uses of one.
 */
export class FrameGate extends EventEmitter {
  readonly alpnProtocol = 'h2'
  readonly #socket: TLSSocket
  readonly #work: ConnectionWork
  readonly #exceeded: () => void
  readonly #reader = new FrameReader()
  #isOpen = false
  #isPaused = false
  #isWaiting = false
  #hasTurn = false
  #isPumping = false
  #hasEnded = false
  #held: Buffer | undefined

  /** `exceeded` is called, and nothing goes through any more, when the client makes more work than it may. */
  constructor(socket: TLSSocket, work: ConnectionWork, exceeded: () => void) {
    super()
    this.#socket = socket
    this.#work = work
    this.#exceeded = exceeded
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.on('end', () => {
      this.#hasEnded = true
      this.#pump()
    })
    socket.on('error', (error) => this.emit('error', error))
    socket.on('close', () => {
      this.#held = undefined
      this.emit('close')
    })
  }

  /** The client is known. */
  open(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#work.giveBack()
  }

  get readable(): boolean {
    return this.#socket.readable
  }

  get writable(): boolean {
    return this.#socket.writable
  }

  pause(): void {
    this.#isPaused = true
    this.#socket.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#pump()
  }

  cork(): void {
    this.#socket.cork()
  }

  uncork(): void {
    this.#socket.uncork()
  }

  write(bytes: Buffer, done: (error?: Error | null) => void): boolean {
    return this.#socket.write(bytes, done)
  }

  end(done: () => void): void {
    this.#socket.end(done)
  }

  destroy(): void {
    this.#held = undefined
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    if (this.#isOpen && this.#held === undefined && !this.#isPaused) return void this.emit('data', bytes)
    this.#held = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes])
    this.#pump()
  }

  /** Lets through what is held, as far as it may. What goes through may pause and resume. */
  #pump(): void {
    if (this.#isPumping) return
    this.#isPumping = true
    while (this.#held !== undefined && !this.#isPaused && !this.#isWaiting && !this.#socket.destroyed) {
      if (this.#isOpen) this.#pass(this.#held, this.#held.length)
      else if (!this.#awaitsTurn()) this.#passPortion(this.#held)
    }
    this.#isPumping = false
    if (this.#held !== undefined) this.#socket.pause()
    else if (this.#hasEnded) {
      this.#hasEnded = false
      this.emit('end')
    } else if (!this.#isPaused) this.#socket.resume()
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
    this.#held = undefined
    this.#isPaused = true
    this.#socket.pause()
    this.#exceeded()
  }

  #pass(held: Buffer, to: number): void {
    this.#held = to < held.length ? held.subarray(to) : undefined
    this.emit('data', to < held.length ? held.subarray(0, to) : held)
  }
}
