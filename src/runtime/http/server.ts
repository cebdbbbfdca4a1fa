import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { ServerHttp2Session } from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createSecureContext, type Server as TlsServer, type TLSSocket } from 'node:tls'
import { badRequest } from '../../machinery/status.ts'
import { answerBadHttp, answerHeadGivenUp } from './head/bad-http.ts'
import { BodyAllowance, type BodyBounds } from './body/allowance.ts'
import { BodyReader } from './body/reader.ts'
import { AnswerBounds } from './answer/bounds.ts'
import { Exchange, type ExchangeLimits } from './exchange.ts'
import type { ShownCredential } from './shown-credential.ts'
import type { Incoming, Outgoing } from './message.ts'
import { HEAD_DEADLINE_MS, headProblem, MAX_HEAD_BYTES, MAX_HEADER_FIELDS } from './head/bounds.ts'
import { HeadAccount, type HeadAccountBounds } from './head/account.ts'
import { HeadAllowance } from './head/allowance.ts'
import { HeadGate } from './head/gate.ts'
import { stopParserWhen } from './head/http-parser.ts'
import { Http2Sessions } from './http2/sessions.ts'
import { type PendingConnection, UnauthenticatedConnections } from './unauthenticated-connections.ts'
import { WorkTurns } from './work-turns.ts'

// An import of node:http reads all that it exports, which loads a WebSocket client: a twentieth of the CPU time of a start.
const { createServer } = process.getBuiltinModule('node:http')

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
  /** The bounds of the bodies of unfinished requests. */
  readonly bodyBounds?: BodyBounds
  /** The bounds of the heads of authenticated clients until their requests are over. */
  readonly headBounds?: HeadAccountBounds
  /** Connections that carry nothing are ended after so long. */
  readonly keepAliveMs?: number
  /** A client that takes no part of a large answer for so long is cut off. */
  readonly unreadMs?: number
  /** Does `handle` report authenticated clients (`Exchange.admit`)? Other connections are then not kept long. */
  readonly authenticates?: boolean
  /** Is this credential somebody's? Known clients of HTTP/2 that show one with their first request are served without a gate. */
  readonly knows?: (credential: ShownCredential) => boolean
  /** How long a client may take for the TLS handshake. */
  readonly handshakeMs?: number
  /** How long a client may take for the head of a request, and to show that it is known. */
  readonly headMs?: number
  /** Answers one exchange; must not throw. */
  readonly handle: (exchange: Exchange) => Promise<void>
  /** Called for connections that sent invalid HTTP. */
  readonly onBadConnection?: (error: Error) => void
}

const HANDSHAKE_MS = 10_000
const REQUEST_DEADLINE_MS = 90_000
const KEEP_ALIVE_MS = 180_000
const PROBE_MS = 60_000
/** The bytes that the unfinished heads of all connections may hold together. */
const MAX_UNFINISHED_BYTES = 64 * 1024 * 1024
/** The bytes that a request takes besides the text of its fields. */
const REQUEST_BYTES = 4096

/** An HTTPS server that speaks HTTP/2 and HTTP/1.1, drains before it closes, and survives whatever a client sends. */
export class HttpServer {
  readonly #server: Server
  readonly #http2: Http2Sessions | undefined
  readonly #options: HttpServerOptions
  readonly #limits: ExchangeLimits
  readonly #keepAliveMs: number
  readonly #headMs: number
  readonly #unauthenticated = new UnauthenticatedConnections()
  readonly #heads: HeadAllowance
  /** The unanswered requests of clients that are not authenticated, as they may hold back the answers. */
  readonly #asked: HeadAllowance
  readonly #exchanges = new Set<Exchange>()
  readonly #sockets = new Set<Socket>()
  /** By the socket or session that requests come over; those of known clients are not there. */
  readonly #pendingConnections = new WeakMap<object, PendingConnection>()
  readonly #gates = new WeakMap<object, HeadGate>()

  private constructor(options: HttpServerOptions) {
    this.#options = options
    this.#limits = {
      ...options,
      bodies: new BodyReader(options.bodyMs, new BodyAllowance(options.bodyBounds)),
      heads: new HeadAccount(options.headBounds),
      answers: new AnswerBounds(),
      work: new WorkTurns(),
    }
    this.#keepAliveMs = options.keepAliveMs ?? KEEP_ALIVE_MS
    this.#headMs = options.headMs ?? HEAD_DEADLINE_MS
    this.#heads = new HeadAllowance(MAX_UNFINISHED_BYTES, this.#headMs)
    this.#asked = new HeadAllowance(MAX_UNFINISHED_BYTES, this.#headMs)
    const onRequest = (request: Incoming, response: Outgoing): void => this.#onRequest(request, response)
    if (options.tls === undefined) {
      this.#server = createServer(HTTP1_OPTIONS, onRequest)
      this.#server.on('connection', (socket: Socket) => this.#await(this.#arrive(socket, this.#headMs)))
      this.#server.on('connection', (socket: Socket) => this.#gate(socket))
    } else {
      const http2 = options.http1Only !== true
      const protocols = http2 ? ['h2', 'http/1.1'] : ['http/1.1']
      this.#server = createHttpsServer(
        { ...tlsOptions(options.tls), ...HTTP1_OPTIONS, ALPNProtocols: protocols, handshakeTimeout: 0 },
        onRequest,
      )
      if (http2) this.#http2 = new Http2Sessions(options, this.#keepAliveMs, onRequest)
      this.#secure()
    }
    this.#server.headersTimeout = this.#headMs
    this.#server.requestTimeout = REQUEST_DEADLINE_MS
    this.#server.keepAliveTimeout = this.#keepAliveMs
    // Node drops what is beyond: one more than may be shows that there were too many.
    this.#server.maxHeadersCount = MAX_HEADER_FIELDS + 1
    this.#server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      this.#gates.get(request.socket)?.passed(request)
      response.writeHead(417, { connection: 'close' }).end()
    })
    this.#server.on('clientError', (error: Error & { rawPacket?: Buffer }, socket: Socket) => {
      // The bytes may hold a token, so they must not be logged.
      delete error.rawPacket
      options.onBadConnection?.(error)
      answerBadHttp(error, socket)
    })
    for (const event of ['tlsClientError', 'sessionError', 'unknownProtocol'])
      this.#server.on(event, (problem: unknown) => {
        if (problem instanceof Error) options.onBadConnection?.(problem)
        else (problem as Socket).destroy()
      })
  }

  /** Listens, or rejects with the system's error (`code` EADDRINUSE, EACCES, …). */
  static async listen(options: HttpServerOptions): Promise<HttpServer> {
    const server = new HttpServer(options)
    const { host, port } = options
    try {
      await new Promise<void>((resolve, reject) => {
        server.#server.once('error', reject)
        server.#server.listen({ host, port, backlog: 4096 }, () => {
          server.#server.off('error', reject)
          resolve()
        })
      })
    } catch (error) {
      server.#unauthenticated.close()
      throw error
    }
    return server
  }

  /** TLS comes before everything else; the protocol that it agrees on says which server goes on with a connection. */
  #secure(): void {
    const arrived = new Map<string, PendingConnection>()
    this.#server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket)
      arrived.set(peer, this.#arrive(socket, this.#options.handshakeMs ?? HANDSHAKE_MS))
      socket.once('close', () => arrived.delete(peer))
    })
    const [speakHttp1] = this.#server.listeners('secureConnection')
    this.#server.removeAllListeners('secureConnection')
    this.#server.on('secureConnection', (socket: TLSSocket) => {
      const peer = peerOf(socket)
      const pending = arrived.get(peer)
      if (pending === undefined) return void socket.destroy()
      arrived.delete(peer)
      this.#pendingConnections.set(socket, pending)
      if (socket.alpnProtocol === 'h2')
        return this.#http2?.speak(socket, {
          await: (warn) => this.#await(pending, warn),
          begun: (session) => void this.#pendingConnections.set(session, pending),
        })
      this.#await(pending)
      speakHttp1?.call(this.#server, socket)
      this.#gate(socket)
      // Node's own deadlines begin with the first request.
      socket.setTimeout(this.#keepAliveMs)
    })
  }

  /** Where clients can be known, they must be so in time, however much they ask meanwhile. */
  #await(pending: PendingConnection, warn?: () => void): void {
    if (this.#options.authenticates === true) pending.demand(this.#headMs, warn)
    else pending.allow(this.#headMs)
  }

  #arrive(socket: Socket, ms: number): PendingConnection {
    this.#sockets.add(socket)
    socket.setNoDelay(true)
    // A client that has vanished is detected even where nothing is sent, as over a quiet watch.
    socket.setKeepAlive(true, PROBE_MS)
    socket.on('close', () => this.#sockets.delete(socket))
    const pending = this.#unauthenticated.add(socket, ms)
    this.#pendingConnections.set(socket, pending)
    return pending
  }

  #gate(socket: Socket): void {
    const giveUp = (why: 'late' | 'crowded' | 'long'): void => answerHeadGivenUp(why, socket)
    stopParserWhen(socket, () => this.#pendingConnections.get(socket)?.isHasty === true)
    this.#gates.set(socket, new HeadGate(socket, this.#heads, giveUp))
  }

  #onRequest(request: Incoming, response: Outgoing): void {
    const { socket } = request
    const http1 = !('stream' in request)
    if (http1) {
      socket.setTimeout(0)
      this.#gates.get(socket)?.passed(request)
    }
    const connection = http1 ? socket : (request.stream.session ?? socket)
    const pending = this.#pendingConnections.get(connection)
    pending?.begin()
    const carrier = this.#http2?.socketOf(connection) ?? socket
    const exchange = new Exchange(
      request,
      response,
      this.#limits,
      () => this.#authenticated(connection),
      carrier,
      () => pending?.recognize(),
    )
    this.#exchanges.add(exchange)
    response.on('close', () => {
      this.#exchanges.delete(exchange)
      exchange.hangUp()
      pending?.end(this.#options.authenticates === true ? this.#headMs : this.#keepAliveMs)
    })
    response.on('error', () => exchange.hangUp())
    const problem =
      headProblem(request) ?? (lacksHost(request) ? badRequest('missing required Host header') : undefined)
    if (problem === undefined) void this.#options.handle(exchange).then(() => exchange.handled())
    else {
      const { status } = problem
      exchange.handled()
      exchange.respond(status.code, 'application/json', JSON.stringify(status), http1 ? { connection: 'close' } : {})
    }
    if (this.#options.authenticates === true && this.#pendingConnections.has(connection) && !response.writableFinished)
      this.#account(request, response, connection)
  }

  /** The client of this connection is authenticated. */
  #authenticated(connection: object): void {
    const pending = this.#pendingConnections.get(connection)
    if (pending === undefined) return
    pending.remove()
    this.#pendingConnections.delete(connection)
    this.#http2?.authenticated(connection)
  }

  /** A request of an unauthenticated client counts until its answer has left; connections that hold too much, or too long, are closed. */
  #account({ rawHeaders }: Incoming, response: Outgoing, connection: object): void {
    const asked = {
      giveUp: () => {
        if (this.#pendingConnections.has(connection)) (connection as Socket | ServerHttp2Session).destroy()
      },
    }
    this.#asked.hold(
      asked,
      rawHeaders.reduce((sum, text) => sum + text.length, REQUEST_BYTES),
    )
    response.once('close', () => this.#asked.release(asked))
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /**
   * From now on new connections are answered with this certificate; those that are open stay. Throws when the texts are not
   * a certificate with its key, and then nothing has changed.
   */
  useCertificate(tls: TlsTexts): void {
    const options = tlsOptions(tls)
    createSecureContext(options)
    if (this.#options.tls !== undefined) (this.#server as unknown as TlsServer).setSecureContext(options)
  }

  /** Takes no new connections, lets requests finish for at most `timeoutMs` (streams are ended at once), then closes. */
  async drain(timeoutMs: number): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()))
    this.#http2?.drain()
    for (const exchange of this.#exchanges) if (exchange.answered) exchange.hangUp()
    this.#server.closeIdleConnections()
    const deadline = performance.now() + timeoutMs
    while (this.#exchanges.size > 0 && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 10))
    for (const socket of this.#sockets) socket.destroy()
    this.#http2?.close()
    await closed
    this.#unauthenticated.close()
  }
}

const HTTP1_OPTIONS = {
  maxHeaderSize: MAX_HEAD_BYTES,
  // Node would answer 400 with nothing; here the answer says why.
  requireHostHeader: false,
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

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
