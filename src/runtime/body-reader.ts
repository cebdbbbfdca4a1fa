import { badRequest, failure } from '../machinery/status.ts'
import type { Incoming } from './exchange.ts'

/** How long a client may take to send the body that it announced. */
const DEADLINE_MS = 60_000
/** How often it is looked whose time is up: one timer for all, since nearly every body is there at once. */
const LOOK_MS = 1000

interface Reading {
  readonly due: number
  readonly expire: () => void
}

/** Reads the bodies of a server's requests, each of which has the same time to arrive. */
export class BodyReader {
  readonly #deadlineMs: number
  readonly #lookMs: number
  /** What is waited for, in the order of the deadlines. */
  readonly #readings = new Set<Reading>()
  #timer: NodeJS.Timeout | undefined

  constructor(deadlineMs = DEADLINE_MS) {
    this.#deadlineMs = deadlineMs
    this.#lookMs = Math.min(LOOK_MS, deadlineMs)
  }

  /** The whole body. Rejects with what `tooLarge` gives past `maxBytes`, and with 408 when the client is too slow. */
  read(request: Incoming, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge())
    return new Promise((resolve, reject) => {
      let first: Buffer | undefined
      let more: Buffer[] | undefined
      let size = 0
      const reading: Reading = {
        due: performance.now() + this.#deadlineMs,
        expire: () => refuse(() => failure(408, 'Timeout', 'the request body was not received in time')),
      }
      // Every request closes in the end, and an error costs more to make than most bodies to read.
      const refuse = (error: () => Error): void => {
        if (this.#readings.delete(reading)) reject(error())
      }
      this.#waitFor(reading)
      request.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > maxBytes) {
          request.pause()
          refuse(tooLarge)
        } else if (first === undefined) first = chunk
        else (more ??= [first]).push(chunk)
      })
      request.on('end', () => {
        this.#readings.delete(reading)
        resolve(more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more, size))
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
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#look(), this.#lookMs)
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
