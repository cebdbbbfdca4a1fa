import { type ApiError, badRequest } from '../../machinery/status.ts'

/** A body that cannot be decoded as an object. The decoder words the message; the caller makes the answer. */
export class UnreadableBody extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'UnreadableBody'
  }
}

/** So many bytes of a body stand in a message. */
const SUMMARY_BYTES = 30
const BRACE = 0x7b

/** 400 for a body that should have been an object of a kind. */
export function unrecognized(kind: string, { message }: UnreadableBody, body: Uint8Array): ApiError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${message} (${summary(body)})`)
}

/** The start of a body: as text if it looks like JSON, else in hexadecimal. */
function summary(body: Uint8Array): string {
  if (body.length === 0) return '<empty>'
  const start = Buffer.from(body.subarray(0, SUMMARY_BYTES))
  const shown = start.toString(start[0] === BRACE ? 'utf8' : 'hex')
  return body.length > SUMMARY_BYTES ? `${shown} ...` : shown
}
