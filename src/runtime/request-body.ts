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

/** The bodies that this process waits for, in the order of their deadlines. */
const readings = new Set<Reading>()
let timer: NodeJS.Timeout | undefined

function waitFor(reading: Reading): void {
  readings.add(reading)
  timer ??= setTimeout(look, LOOK_MS)
}

function look(): void {
  const now = performance.now()
  for (const reading of readings) {
    if (reading.due > now) break
    reading.expire()
  }
  timer = readings.size === 0 ? undefined : setTimeout(look, LOOK_MS)
}

/** The whole body of a request. Rejects with what `tooLarge` gives past `maxBytes`, and with 408 when the client is too slow. */
export function readBody(request: Incoming, maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.reject(tooLarge())
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined
    let more: Buffer[] | undefined
    let size = 0
    const reading: Reading = {
      due: performance.now() + DEADLINE_MS,
      expire: () => refuse(failure(408, 'Timeout', 'the request body was not received in time')),
    }
    // What was settled stays so: a promise takes only the first word.
    const refuse = (error: Error): void => {
      readings.delete(reading)
      reject(error)
    }
    waitFor(reading)
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBytes) {
        request.pause()
        refuse(tooLarge())
      } else if (first === undefined) first = chunk
      else (more ??= [first]).push(chunk)
    })
    request.on('end', () => {
      readings.delete(reading)
      resolve(more === undefined ? (first ?? Buffer.alloc(0)) : Buffer.concat(more, size))
    })
    request.on('error', ({ message }: Error) => refuse(badRequest(`the request body could not be read: ${message}`)))
    request.on('close', () => refuse(badRequest('the client closed the connection before the body was complete')))
  })
}
