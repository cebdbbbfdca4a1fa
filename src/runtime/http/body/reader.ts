import { badRequest, failure } from '../../../machinery/status.ts'
import { BodyAllowance, type BodyOwner, type UnfinishedBody } from './allowance.ts'
import type { Incoming } from '../message.ts'
import { GrowingBuffer } from '../head/growing-buffer.ts'

/** How long a client may take to send the body that it announced. */
const DEADLINE_MS = 60_000
/** How often it is looked whose time is up: one timer for all, since nearly every body is there at once. */
const LOOK_MS = 1000
/** The bytes that a request takes while it waits for its body, even before the first byte arrives. */
const LEAST_BYTES = 4096

interface Reading {
  readonly due: number
  readonly expire: () => void
  /** Counts what the body holds by now. */
  readonly account: () => void
}

/** A body that is asked for. */
export interface AskedBody {
  readonly maxBytes: number
  readonly owner: BodyOwner
  /** Returns the error for a larger body. */
  readonly tooLarge: () => Error
  /** Takes what to call when nothing holds the body any more; without it, it counts only until it is there. */
  readonly keep?: (release: () => void) => void
}

/** Reads the bodies of a server's requests: each has the same time to arrive, and the unfinished ones have one allowance. */
export class BodyReader {
  readonly #deadlineMs: number
  readonly #lookMs: number
  readonly #allowance: BodyAllowance
  /** The bodies that are waited for, in the order of the deadlines. */
  readonly #readings = new Set<Reading>()
  /** Those that were asked for in this turn of the loop: most bodies have come with the head, and are never counted. */
  #fresh: Reading[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(deadlineMs = DEADLINE_MS, allowance = new BodyAllowance()) {
    this.#deadlineMs = deadlineMs
    this.#lookMs = Math.min(LOOK_MS, deadlineMs)
    this.#allowance = allowance
  }

  /**
   * The whole body. Rejects with what `tooLarge` gives past the limit, with 408 when the client is too slow, and with 503 when
   * the bodies of requests that are not over hold too much.
   */
  read(request: Incoming, { maxBytes, owner, tooLarge, keep }: AskedBody): Promise<Buffer> {
    const announced = Number(request.headers['content-length'] ?? NaN)
    if (announced > maxBytes) return Promise.reject(tooLarge())
    return new Promise((resolve, reject) => {
      // One piece that is all of it is not copied; pieces would each keep the buffer that they arrived in.
      let whole: Buffer | undefined
      let pieces: GrowingBuffer | undefined
      let body: UnfinishedBody | undefined
      const account = (): void => {
        body ??= { giveUp: () => refuse(crowded) }
        this.#allowance.hold(owner, body, Math.max(pieces?.capacity ?? 0, LEAST_BYTES))
      }
      const reading: Reading = { due: performance.now() + this.#deadlineMs, expire: () => refuse(late), account }
      const finish = (): boolean => {
        if (!this.#readings.delete(reading)) return false
        if (body !== undefined) this.#allowance.release(owner, body)
        return true
      }
      // Every request closes in the end, and an error costs more to make than most bodies to read.
      const refuse = (error: () => Error): void => {
        if (!finish()) return
        pieces = undefined
        reject(error())
      }
      this.#waitFor(reading)
      request.on('data', (chunk: Buffer) => {
        // Bytes after a refusal are dropped, until the answer ends the connection or the stream.
        if (!this.#readings.has(reading)) return
        if ((pieces?.length ?? 0) + chunk.length > maxBytes) return refuse(tooLarge)
        if (pieces === undefined && chunk.length === announced) return void (whole = chunk)
        pieces ??= new GrowingBuffer()
        pieces.append(chunk)
        if (pieces.capacity > LEAST_BYTES) account()
      })
      request.on('end', () => {
        const held = Math.max(whole?.length ?? 0, pieces?.capacity ?? 0)
        // A little one costs no more than the request that it came with, and to count each would cost every write.
        if (keep === undefined || held <= LEAST_BYTES) {
          if (finish()) resolve(whole ?? pieces?.bytes ?? Buffer.alloc(0))
          return
        }
        const counted = (body ??= { giveUp: () => refuse(crowded) })
        this.#allowance.hold(owner, counted, held)
        // A body that is too large has been refused by now.
        if (!this.#readings.delete(reading)) return
        this.#allowance.complete(owner, counted)
        keep(() => this.#allowance.release(owner, counted))
        resolve(whole ?? pieces?.bytes ?? Buffer.alloc(0))
      })
      request.on('error', ({ message }: Error) =>
        refuse(() => badRequest(`the request body could not be read: ${message}`)),
      )
      request.on('close', () =>
        refuse(() => badRequest('the client closed the connection before the body was complete')),
      )
    })
  }

  #waitFor(reading: Reading): void {
    this.#readings.add(reading)
    if (this.#fresh.push(reading) === 1) setImmediate(() => this.#accountFresh())
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#look(), this.#lookMs)
  }

  #accountFresh(): void {
    const fresh = this.#fresh
    this.#fresh = []
    for (const reading of fresh) if (this.#readings.has(reading)) reading.account()
  }

  #look(): void {
    const now = performance.now()
    for (const reading of this.#readings) {
      if (reading.due > now) break
      reading.expire()
    }
    this.#timer = this.#readings.size === 0 ? undefined : setTimeout(() => this.#look(), this.#lookMs)
  }
}

const late = (): Error => failure(408, 'Timeout', 'the request body was not received in time')
const crowded = (): Error =>
  failure(503, 'ServiceUnavailable', 'too many request bodies are waiting, please try again', {
    retryAfterSeconds: 1,
  })
