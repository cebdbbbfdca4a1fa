import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'

/** A request over HTTP/1.1 or HTTP/2, as Node gives it. */
export type Incoming = IncomingMessage | Http2ServerRequest
/** The response to it. */
export type Outgoing = ServerResponse | Http2ServerResponse

/** Scheme and host of a request target in absolute form, which servers have to take (RFC 9112, section 3.2.2). */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i
const LAST_CODE = 599
const SERVER_ERROR = 500

/** The target as path and query; nothing here depends on the host that is asked for. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const rest = target.replace(ORIGIN, '')
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * The code that goes out. Node sends none beyond 599 over HTTP/2, and clients are to take such a one for a failure of the server
 * anyway (RFC 9110, section 15).
 */
export const sentCode = (response: Outgoing, code: number): number =>
  'stream' in response && code > LAST_CODE ? SERVER_ERROR : code
