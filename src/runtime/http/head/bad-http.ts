import type { Socket } from 'node:net'
import { type ApiError, badRequest, failure } from '../../../machinery/status.ts'
import { headTooLong } from './bounds.ts'

/** How long, and how much of, what a client goes on to send is read and dropped, so that it gets to read why it was refused. */
const LINGER_MS = 5_000
const LINGER_BYTES = 32 * 1024 * 1024

const PHRASES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
}

/** Answers what Node's parser does not take for a request of HTTP/1.1, and ends the connection. */
export function answerBadHttp(error: Error & { code?: string }, socket: Socket): void {
  // Node's parser does not take up again what came while it waited for a client that sends requests and reads no answers.
  if (!socket.writable || error.code === 'ECONNRESET' || error.code === 'HPE_PAUSED') {
    socket.destroy()
    return
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') return refuse(socket, headTooLong())
  const message = `the connection did not carry a valid HTTP request: ${error.message}`
  refuse(socket, error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? failure(408, 'Timeout', message, {}) : badRequest(message))
}

const GIVEN_UP = {
  late: () => failure(408, 'Timeout', 'the head of the request was not received in time', {}),
  crowded: () => failure(503, 'ServiceUnavailable', 'too many unfinished requests are waiting, please try again', {}),
  long: headTooLong,
} satisfies Readonly<Record<string, () => ApiError>>

/** Answers a head that is not waited for any longer, and ends the connection. */
export function answerHeadGivenUp(why: keyof typeof GIVEN_UP, socket: Socket): void {
  if (socket.writable) refuse(socket, GIVEN_UP[why]())
  else socket.destroy()
}

function refuse(socket: Socket, { status }: ApiError): void {
  const text = JSON.stringify(status)
  socket.end(
    `HTTP/1.1 ${status.code} ${PHRASES[status.code]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  )
  linger(socket)
}

/** Has Node end the connection after its last answer as `linger` does, instead of at once. */
export function endGently(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end()
    linger(socket)
  }
}

/** To close while bytes arrive would reset the connection, and the client would lose the answer. */
function linger(socket: Socket): void {
  let rest = LINGER_BYTES
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.removeAllListeners('data')
  socket.on('data', ({ length }: Buffer) => {
    rest -= length
    if (rest < 0) socket.destroy()
  })
  socket.resume()
}
