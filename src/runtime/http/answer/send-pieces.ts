import type { ServerResponse } from 'node:http'
import type { Piece } from './answer-pieces.ts'
import type { SendBuffers, Waiting } from './send-buffers.ts'
import { TimeSlice } from '../../tasks/time-slice.ts'

/** A client that reads nothing in so many looks is cut off: a process that stood still has only missed one. */
const LOOKS = 10

/** Whose answer it is, how long the client may take for a piece, and where what it has not read counts. */
export interface Reader {
  readonly user: string
  readonly unreadMs: number
  readonly buffers: SendBuffers
}

/**
 * Sends the pieces of a body as fast as the client reads them, and ends the answer. A client that does not read would keep its
 * answer in memory for ever, so it is cut off.
 */
export function sendPieces(
  response: ServerResponse,
  pieces: Iterator<Piece>,
  { user, unreadMs, buffers }: Reader,
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
  const send = (): void => {
    while (!response.destroyed) {
      const { done, value } = pieces.next()
      looks = 0
      taken++
      if (done === true) return void response.end()
      left = value.left
      const roomy = response.write(value.bytes)
      buffers.note(user, waiting)
      if (!roomy) return void response.once('drain', send)
      const turn = slice.next()
      if (turn !== undefined) return void turn.then(send)
    }
  }
  send()
}
