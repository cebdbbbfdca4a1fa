import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { GrowingBuffer } from './growing-buffer.ts'
import { MAX_HEAD_BYTES } from './head-bounds.ts'
import type { HeadBudget, UnfinishedHead } from './head-budget.ts'

const NEWLINE = 0x0a
const RETURN = 0x0d
/** An empty line is told from what precedes it by so many bytes. */
const CONTEXT = 2
/** Of a head, what the method takes and more. */
const BEGINNING = 24

/**
 * Holds back the head of an HTTP/1.1 request until all of it is there. Node's parser would keep it itself, copying it whole for
 * each piece, and nobody could say how much that is. The bytes are not changed: where a head ends is the parser's to decide.
 */
export class HeadGate {
  readonly #feed: (bytes: Buffer) => void
  readonly #budget: HeadBudget
  readonly #head: UnfinishedHead
  readonly #tooLong: () => void
  #request: IncomingMessage | undefined
  #held: GrowingBuffer | undefined
  /** The end of what went through last. */
  #before = Buffer.alloc(0)
  #closed = false

  /**
   * To be made when Node has begun to listen to the connection. `giveUp` is called, and nothing goes through any more, when a head
   * is not complete in time, or all hold too much, or this one is too long.
   */
  constructor(socket: Socket, budget: HeadBudget, giveUp: (why: 'late' | 'crowded' | 'long') => void) {
    const [feed] = socket.listeners('data') as ((bytes: Buffer) => void)[]
    if (feed === undefined) throw new TypeError('nobody listens to the connection')
    this.#feed = feed
    this.#budget = budget
    const shut = (why: 'late' | 'crowded' | 'long'): void => {
      this.#close()
      giveUp(why)
    }
    this.#head = { giveUp: shut }
    this.#tooLong = () => shut('long')
    socket.off('data', feed)
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
    socket.once('close', () => this.#close())
  }

  /** The head of this request has gone through; so will what follows, until the request is complete. */
  passed(request: IncomingMessage): void {
    this.#request = request
  }

  #take(bytes: Buffer): void {
    if (this.#closed) return
    if (this.#request !== undefined && !this.#request.complete) return this.#pass(bytes)
    const held = this.#held
    if (held === undefined) {
      if (!mayBegin(bytes) || endsHead(bytes, 0) || (this.#before.length > 0 && endsHead(this.#joined(bytes), 0)))
        return this.#pass(bytes)
      this.#held = new GrowingBuffer()
      return this.#keep(this.#held, bytes)
    }
    const from = held.length
    held.append(bytes)
    if (
      (from < BEGINNING && !mayBegin(held.bytes)) ||
      endsHead(held.bytes, Math.max(from - CONTEXT, 0)) ||
      (from < CONTEXT && endsHead(this.#joined(held.bytes), 0))
    ) {
      this.#drop()
      return this.#pass(held.bytes)
    }
    this.#account(held)
  }

  #keep(held: GrowingBuffer, bytes: Buffer): void {
    held.append(bytes)
    this.#account(held)
  }

  #account(held: GrowingBuffer): void {
    if (held.length > MAX_HEAD_BYTES) this.#tooLong()
    else this.#budget.hold(this.#head, held.capacity)
  }

  #pass(bytes: Buffer): void {
    this.#before = Buffer.from(bytes.subarray(-CONTEXT))
    this.#feed(bytes)
  }

  #joined(bytes: Buffer): Buffer {
    return Buffer.concat([this.#before, bytes.subarray(0, CONTEXT)])
  }

  #drop(): void {
    if (this.#held === undefined) return
    this.#held = undefined
    this.#budget.release(this.#head)
  }

  #close(): void {
    this.#closed = true
    this.#drop()
  }
}

/** Could this be how a request begins? What could not is for the parser to refuse at once. */
const mayBegin = (bytes: Buffer): boolean =>
  /^[\r\n]*(?:[A-Z-]+(?: .*)?)?$/s.test(bytes.toString('latin1', 0, BEGINNING))

/** Is there an empty line? A line may end with a line feed alone: the parser then says what it thinks of that. */
function endsHead(bytes: Buffer, from: number): boolean {
  for (let at = bytes.indexOf(NEWLINE, from); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    const next = bytes[at + 1]
    if (next === NEWLINE || (next === RETURN && bytes[at + 2] === NEWLINE)) return true
  }
  return false
}
