import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { GrowingBuffer } from './growing-buffer.ts'
import { MAX_HEAD_BYTES } from './bounds.ts'
import type { HeadAllowance, UnfinishedHead } from './allowance.ts'
import { watchParser } from './http-parser.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
/** So many bytes before its end identify an empty line. */
const CONTEXT = 2
/** Of a head, what the method takes and more. */
const BEGINNING = 24
const BEGIN = /^[\r\n]*(?:[A-Z-]+(?: .*)?)?$/s
const NOTHING = Buffer.alloc(0)

/** The most that the parser reads at once, and so the most that it has of a head which is then held back. */
const READ_BYTES = 64 * 1024
/** Where it is not known how the bytes before ended, a head may end with the next line feed. */
const UNKNOWN = Buffer.from('\n')

/**
 * Holds back the head of an HTTP/1.1 request until all of it is there. Node's parser would keep it itself, copying it whole for
 * each piece, and nobody could say how much that is. The bytes are not changed: where a head ends is the parser's to decide.
 *
 * Heads mostly arrive in one piece, so the parser reads the connection itself until a head does not.
 */
export class HeadGate {
  readonly #feed: (bytes: Buffer) => void
  readonly #allowance: HeadAllowance
  readonly #head: UnfinishedHead
  readonly #tooLong: () => void
  readonly #socket: Socket
  /** Has the parser read the beginning of a head, but not its end? */
  #hasBegun = false
  #isHolding = false
  #request: IncomingMessage | undefined
  #held: GrowingBuffer | undefined
  /** The end of what went through last. */
  #before: Buffer = NOTHING
  #closed = false

  /**
   * To be made when Node has begun to listen to the connection. `giveUp` is called, and nothing goes through any more, when a head
   * is not complete in time, or all hold too much, or this one is too long.
   */
  constructor(socket: Socket, allowance: HeadAllowance, giveUp: (why: 'late' | 'crowded' | 'long') => void) {
    const [feed] = socket.listeners('data') as ((bytes: Buffer) => void)[]
    if (feed === undefined) throw new TypeError('nobody listens to the connection')
    this.#feed = feed
    this.#allowance = allowance
    const shut = (why: 'late' | 'crowded' | 'long'): void => {
      this.#close()
      giveUp(why)
    }
    this.#head = { giveUp: shut }
    this.#tooLong = () => shut('long')
    this.#socket = socket
    const isWatched = watchParser(socket, {
      begins: () => void (this.#hasBegun = true),
      parsed: () => {
        // Node pauses a client that has not read its answers, but what TLS has decrypted by then would still reach the paused parser.
        if ((this.#hasBegun || socket.isPaused()) && !this.#isHolding && !socket.destroyed) this.#hold(UNKNOWN)
      },
    })
    if (!isWatched) this.#hold(NOTHING)
    socket.once('close', () => this.#close())
  }

  /** Are pieces held back until a head is complete? Else the parser reads the connection. */
  get isHolding(): boolean {
    return this.#isHolding
  }

  /** The head of this request has gone through; so will what follows, until the request is complete. */
  passed(request: IncomingMessage): void {
    this.#request = request
    if (this.#hasBegun && this.#isHolding) this.#allowance.release(this.#head)
    this.#hasBegun = false
  }

  /** From now on the connection is read here. `before`: the end of what the parser has read. */
  #hold(before: Buffer): void {
    this.#isHolding = true
    this.#before = before
    if (this.#hasBegun) this.#account(0)
    // The second makes Node's parser give up reading the connection itself, and Node no longer reads on when it is resumed.
    const onResume = this.#socket.listeners('resume')
    this.#socket.off('data', this.#feed)
    this.#socket.on('data', (bytes: Buffer) => this.#take(bytes))
    const left = new Set(this.#socket.listeners('resume'))
    for (const listener of onResume) if (!left.has(listener)) this.#socket.on('resume', listener)
  }

  #take(bytes: Buffer): void {
    if (this.#closed) return
    if (this.#request !== undefined && !this.#request.complete) return this.#pass(bytes)
    const held = this.#held
    if (held === undefined) {
      if (!this.#mayBegin(bytes) || endsHead(bytes, 0) || (this.#before.length > 0 && endsHead(this.#joined(bytes), 0)))
        return this.#pass(bytes)
      this.#held = new GrowingBuffer()
      return this.#keep(this.#held, bytes)
    }
    const from = held.length
    held.append(bytes)
    if (
      (from < BEGINNING && !this.#mayBegin(held.bytes)) ||
      endsHead(held.bytes, Math.max(from - CONTEXT, 0)) ||
      (from < CONTEXT && endsHead(this.#joined(held.bytes), 0))
    ) {
      this.#drop()
      return this.#pass(held.bytes)
    }
    this.#check(held)
  }

  #keep(held: GrowingBuffer, bytes: Buffer): void {
    held.append(bytes)
    this.#check(held)
  }

  #check({ length, capacity }: GrowingBuffer): void {
    if (length > MAX_HEAD_BYTES) this.#tooLong()
    else this.#account(capacity)
  }

  #account(bytes: number): void {
    this.#allowance.hold(this.#head, bytes + (this.#hasBegun ? READ_BYTES : 0))
  }

  /** Could this be how a request begins, or how one goes on that has begun? What could not is for the parser to refuse at once. */
  #mayBegin(bytes: Buffer): boolean {
    return this.#hasBegun || BEGIN.test(bytes.toString('latin1', 0, BEGINNING))
  }

  #pass(bytes: Buffer): void {
    this.#before = Buffer.from(bytes.subarray(-CONTEXT))
    this.#feed(bytes)
    if (this.#hasBegun && !this.#closed) this.#account(0)
  }

  #joined(bytes: Buffer): Buffer {
    return Buffer.concat([this.#before, bytes.subarray(0, CONTEXT)])
  }

  #drop(): void {
    if (this.#held === undefined) return
    this.#held = undefined
    if (this.#hasBegun) this.#account(0)
    else this.#allowance.release(this.#head)
  }

  #close(): void {
    this.#closed = true
    this.#held = undefined
    this.#allowance.release(this.#head)
  }
}

/** Is there an empty line? A line may end with a line feed alone: the parser then says what it thinks of that. */
function endsHead(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    const next = bytes[at + 1]
    if (next === NEWLINE || (next === RETURN && bytes[at + 2] === NEWLINE)) return true
  }
  return false
}
