import type { Outgoing } from '../http-message.ts'

const LAST_CODE = 599
const SERVER_ERROR = 500

/**
 * The code that goes out. Node sends none beyond 599 over HTTP/2, and clients are to take such a one for a failure of the server
 * anyway (RFC 9110, section 15).
 */
export const sentCode = (response: Outgoing, code: number): number =>
  'stream' in response && code > LAST_CODE ? SERVER_ERROR : code
