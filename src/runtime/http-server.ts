import { createServer } from 'node:http'
import { createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { createSecureContext, type Server as TlsServer, type TLSSocket } from 'node:tls'
import { badRequest } from '../machinery/status.ts'
import { BodyReader } from './body-reader.ts'
import { Exchange, type ExchangeLimits, type Incoming, type Outgoing } from './exchange.ts'

/** PEM texts. */
export interface TlsTexts {
  readonly key: string
  readonly cert: string
  readonly clientCa?: string
}

export interface HttpServerOptions {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  /** PEM texts; without them the server speaks plain HTTP. `clientCa` lets clients present certificates. */
  readonly tls?: TlsTexts
  /** For clients that are to make one connection for each request at a time, as API servers' toward webhooks. */
  readonly http1Only?: boolean
  readonly maxBodyBytes: number
  /** A body that takes longer to arrive is refused with 408; at most the 90 seconds that a whole request may take. */
  readonly bodyMs?: number
  /** Connections that carry nothing are ended after so long. */
  readonly keepAliveMs?: number
  /** A client that takes no part of a large answer for so long is cut off. */
  readonly unreadMs?: number
  /** Answers one exchange; must not throw. */
  readonly handle: (exchange: Exchange) => Promise<void>
  /** Told of connections that sent what is no HTTP. */
  readonly onBadConnection?: (error: Error) => void
}

/** As Go's servers: a selector of thousands of terms is part of the URL, and so of the head. */
const MAX_HEAD_BYTES = 1024 * 1024
const HEADERS_DEADLINE_MS = 30_000
const REQUEST_DEADLINE_MS = 90_000
const KEEP_ALIVE_MS = 180_000
const PROBE_MS = 60_000
/** In an HTTP/2 header, which may be a long URL: more than 64 KiB, packed, would end the connection with all its streams. */
const MAX_HEADER_LIST_BYTES = 72 * 1024
/** What one HTTP/2 connection may have waiting before it takes no more streams; Node's 10 MB is one large list. */
const MAX_SESSION_MEGABYTES = 256

/** An HTTPS server that speaks HTTP/2 and HTTP/1.1, drains before it closes, and survives whatever a client sends. */
export class HttpServer {
  readonly #server: Server | Http2SecureServer
  readonly #exchanges: Set<Exchange>
  readonly #sockets: Set<Socket>
  readonly #sessions: Set<ServerHttp2Session>

  private constructor(
    server: Server | Http2SecureServer,
    exchanges: Set<Exchange>,
    sockets: Set<Socket>,
    sessions: Set<ServerHttp2Session>,
  ) {
    this.#server = server
    this.#exchanges = exchanges
    this.#sockets = sockets
    this.#sessions = sessions
  }

  /** Listens, or rejects with the system's error (`code` EADDRINUSE, EACCES, …). */
  static async listen(options: HttpServerOptions): Promise<HttpServer> {
    const exchanges = new Set<Exchange>()
    const sockets = new Set<Socket>()
    const sessions = new Set<ServerHttp2Session>()
    const keepAliveMs = options.keepAliveMs ?? KEEP_ALIVE_MS
    const limits: ExchangeLimits = { ...options, bodies: new BodyReader(options.bodyMs) }
    const onRequest = (request: Incoming, response: Outgoing): void => {
      if (request.httpVersionMajor === 1) request.socket.setTimeout(0)
      const exchange = new Exchange(request, response, limits)
      exchanges.add(exchange)
      response.on('close', () => {
        exchanges.delete(exchange)
        exchange.hangUp()
      })
      response.on('error', () => exchange.hangUp())
      if (lacksHost(request)) refuseWithoutHost(exchange)
      else void options.handle(exchange)
    }
    const server =
      options.tls === undefined
        ? createServer(HTTP1_OPTIONS, onRequest)
        : options.http1Only === true
          ? createHttpsServer({ ...tlsOptions(options.tls), ...HTTP1_OPTIONS }, onRequest)
          : createSecureServer({ ...tlsOptions(options.tls), ...HTTP2_OPTIONS }, onRequest)
    const timed = server as Server
    timed.headersTimeout = HEADERS_DEADLINE_MS
    timed.requestTimeout = REQUEST_DEADLINE_MS
    timed.keepAliveTimeout = keepAliveMs
    // Node would drop what is beyond its limit of headers, and so whom a request acts as. The size of the head bounds them.
    timed.maxHeadersCount = 0
    server.on('connection', (socket: Socket) => {
      sockets.add(socket)
      socket.setNoDelay(true)
      // Who has vanished without a word is found out even where nothing is sent, as over a quiet watch.
      socket.setKeepAlive(true, PROBE_MS)
      socket.on('close', () => sockets.delete(socket))
    })
    server.on('session', (session: ServerHttp2Session) => {
      sessions.add(session)
      session.on('close', () => sessions.delete(session))
      session.on('error', (error: Error) => options.onBadConnection?.(error))
      closeWhenIdle(session, keepAliveMs)
    })
    // Node's own deadlines begin with the first request.
    server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol !== 'h2') socket.setTimeout(keepAliveMs)
    })
    server.on('clientError', (error: Error & { rawPacket?: Buffer }, socket: Socket) => {
      // What was sent may hold a token, and is no use in a log.
      delete error.rawPacket
      options.onBadConnection?.(error)
      refuseBadHttp(error, socket)
    })
    for (const event of ['tlsClientError', 'sessionError', 'unknownProtocol']) {
      server.on(event, (problem: unknown) => {
        if (problem instanceof Error) options.onBadConnection?.(problem)
        else (problem as Socket).destroy()
      })
    }
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host: options.host, port: options.port, backlog: 4096 }, () => {
        server.off('error', reject)
        resolve()
      })
    })
    return new HttpServer(server, exchanges, sockets, sessions)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /**
   * From now on new connections are answered with this certificate; those that are open stay. Throws when the texts are no
   * certificate with its key, and then nothing has changed.
   */
  useCertificate(tls: TlsTexts): void {
    const options = tlsOptions(tls)
    createSecureContext(options)
    if ('setSecureContext' in this.#server) (this.#server as TlsServer).setSecureContext(options)
  }

  /** Takes no new connections, lets requests finish for at most `patienceMs` (streams are ended at once), then closes. */
  async drain(patienceMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    for (const session of this.#sessions) session.close()
    for (const exchange of this.#exchanges) if (exchange.answered) exchange.hangUp()
    if ('closeIdleConnections' in this.#server) this.#server.closeIdleConnections()
    const deadline = Date.now() + patienceMs
    while (this.#exchanges.size > 0 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}

/** HTTP/1.1 connections that carry nothing are ended by `keepAliveTimeout`; over HTTP/2 nothing else does. */
function closeWhenIdle(session: ServerHttp2Session, keepAliveMs: number): void {
  let streams = 0
  session.on('stream', (stream) => {
    streams++
    stream.on('close', () => streams--)
  })
  session.setTimeout(keepAliveMs, () => {
    if (streams === 0) session.close()
  })
}

const HTTP1_OPTIONS = {
  maxHeaderSize: MAX_HEAD_BYTES,
  // Node would answer 400 with nothing; `refuseWithoutHost` says why.
  requireHostHeader: false,
}

const HTTP2_OPTIONS = {
  ...HTTP1_OPTIONS,
  allowHTTP1: true,
  settings: { maxConcurrentStreams: 1000, maxHeaderListSize: MAX_HEADER_LIST_BYTES },
  maxSessionMemory: MAX_SESSION_MEGABYTES,
}

function tlsOptions(tls: TlsTexts) {
  return {
    key: tls.key,
    cert: tls.cert,
    minVersion: 'TLSv1.2' as const,
    ...(tls.clientCa === undefined ? {} : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: false }),
  }
}

/** HTTP/1.0 knows no such header, and HTTP/2 has `:authority` for it. */
const lacksHost = ({ httpVersion, headers }: Incoming): boolean => httpVersion === '1.1' && headers.host === undefined

function refuseWithoutHost(exchange: Exchange): void {
  const { status } = badRequest('missing required Host header')
  exchange.respond(status.code, 'application/json', JSON.stringify(status), { connection: 'close' })
}

function refuseBadHttp(error: Error & { code?: string }, socket: Socket): void {
  // Node's parser does not take up again what came while it waited for a client that sends requests and reads no answers.
  if (!socket.writable || error.code === 'ECONNRESET' || error.code === 'HPE_PAUSED') {
    socket.destroy()
    return
  }
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const [code, phrase] = late
    ? [408, 'Request Timeout']
    : error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large']
      : [400, 'Bad Request']
  const status = badRequest(`the connection did not carry a valid HTTP request: ${error.message}`).status
  const text = JSON.stringify({ ...status, code, reason: late ? 'Timeout' : status.reason })
  socket.end(
    `HTTP/1.1 ${code} ${phrase}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  )
}
