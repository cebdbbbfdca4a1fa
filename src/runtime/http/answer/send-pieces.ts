import type { ServerResponse } from 'node:http'
import type { Piece } from './pieces.ts'
import type { SendBuffers, Waiting } from './send-buffers.ts'
import { TimeSlice } from '../../tasks/time-slice.ts'

/** How an answer goes out in parts. */
export interface PartsOptions {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly isDear?: boolean
}

/** A client that reads nothing in so many looks is cut off: a process that stood still has only missed one. */
const LOOKS = 10

/** Whose answer it is, how long the client may take for a piece, and where what it has not read counts. */
export interface AnswerReader {
  readonly user: string
  readonly unreadMs: number
  readonly buffers: SendBuffers
  /** Resolves when the next piece may be made; left out: at once. */
  readonly turn?: (() => Promise<void>) | undefined
}

/**
 * Sends the pieces of a body as fast as the client reads them, and ends the answer. A client that does not read would keep its
 * answer in memory for ever, so it is cut off.
 */
export function sendPieces(
  response: ServerResponse,
  pieces: Iterator<Piece>,
  { user, unreadMs, buffers, turn }: AnswerReader,
): void {
  let [looks, left, taken] = [0, 0, 0]
  const waiting: Waiting = {
    get writableLength() {
      return left + response.writableLength
    },
    get taken() {
      return taken
    },
    destroy: () => response.destroy(),
  }
  const timer = setInterval(() => {
    looks++
    if (looks === LOOKS) response.destroy()
  }, unreadMs / LOOKS)
  response.once('close', () => {
    clearInterval(timer)
    buffers.note(user, waiting, true)
  })
  const slice = new TimeSlice()
  const send = async (): Promise<void> => {
    while (!response.destroyed) {
      const { done, value } = pieces.next()
      looks = 0
      taken++
      if (done === true) return void response.end()
      left = value.left
      const isWritable = response.write(value.bytes)
      buffers.note(user, waiting)
      if (!isWritable && !response.destroyed) await drained(response)
      await (turn === undefined ? slice.next() : turn())
    }
  }
  // The beginning is out: all that can be said of a piece that cannot be made is that there are no more.
  send().catch(() => response.destroy())
}

/** Resolves when the stream takes more, or has ended. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const goOn = (): void => {
      response.off('drain', goOn).off('close', goOn)
      resolve()
    }
    response.once('drain', goOn).once('close', goOn)
  })
}
