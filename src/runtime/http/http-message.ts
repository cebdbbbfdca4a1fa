import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2'

/** A request over HTTP/1.1 or HTTP/2, as Node gives it. */
export type Incoming = IncomingMessage | Http2ServerRequest
/** The response to it. */
export type Outgoing = ServerResponse | Http2ServerResponse
