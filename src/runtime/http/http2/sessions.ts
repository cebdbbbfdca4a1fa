import { type Http2Server, type ServerHttp2Session, constants, createServer } from 'node:http2'
import type { Socket } from 'node:net'
import { type ShownCredential, presentedBy } from '../shown-credential.ts'
import { type Begun, Http2Entrance } from './entrance.ts'
import { MAX_HEADER_FIELDS } from '../head/bounds.ts'
import type { Incoming, Outgoing } from '../message.ts'

/** Of HTTP/2, as nghttp2 counts them. One field of more than 64 KiB, packed, would end the connection with all its streams. */
const MAX_HEADER_LIST_BYTES = 256 * 1024
/** So many more than may be are read over HTTP/2, so that they are refused with an answer instead of a reset. */
const READ_FIELDS = 4 * MAX_HEADER_FIELDS
/** The megabytes that one HTTP/2 connection may have waiting before it takes no more streams; Node's 10 MB is one large list. */
const MAX_SESSION_MEGABYTES = 256

/** Streams of one HTTP/2 connection at a time, and those before its client is known. */
const MOST_STREAMS = 1000
const MOST_UNKNOWN_STREAMS = 16
interface Http2Options {
  readonly authenticates?: boolean
  readonly knows?: (credential: ShownCredential) => boolean
  readonly onBadConnection?: (error: Error) => void
}

/** How a session's connection is waited for. */
interface Wait {
  /** The client must be known in time; `warn` is called when that is over while a request is answered. */
  readonly await: (warn?: () => void) => void
  readonly begun: (session: ServerHttp2Session) => void
}

/** The connection that the requests of a session come over. */
interface Carrier {
  readonly socket: Socket
  /** Opens the gate before it, as its client has become known. */
  open?: () => void
}

/** The HTTP/2 sessions of a server. Where clients can be known, those that are not yet have theirs behind a gate. */
export class Http2Sessions {
  readonly #options: Http2Options
  readonly #keepAliveMs: number
  readonly #forKnown: Http2Server
  readonly #forUnknown: Http2Server
  readonly #sessions = new Set<ServerHttp2Session>()
  readonly #carriers = new WeakMap<object, Carrier>()
  readonly #entrance = new Http2Entrance()

  constructor(options: Http2Options, keepAliveMs: number, onRequest: (request: Incoming, response: Outgoing) => void) {
    this.#options = options
    this.#keepAliveMs = keepAliveMs
    this.#forKnown = createServer(http2Options(MOST_STREAMS), onRequest)
    this.#forUnknown = createServer(http2Options(MOST_UNKNOWN_STREAMS), onRequest)
    for (const server of [this.#forKnown, this.#forUnknown])
      server.on('sessionError', (error: Error) => options.onBadConnection?.(error))
  }

  speak(socket: Socket, wait: Wait): void {
    const { authenticates, knows } = this.#options
    const begin = (stream: Socket, isKnown: boolean): Begun | undefined => this.#begin(stream, isKnown, socket, wait)
    if (authenticates !== true) return void begin(socket, true)
    const certificate = presentedBy(socket)
    wait.await()
    this.#entrance.enter({
      socket,
      knows: (authorization) => knows?.({ certificate, authorization }) === true,
      begin,
    })
  }

  /** The connection of a session's client. */
  socketOf(session: object): Socket | undefined {
    return this.#carriers.get(session)?.socket
  }

  /** The client of this session is known from now on. */
  authenticated(session: object): void {
    this.#carriers.get(session)?.open?.()
  }

  /** Takes no more requests. */
  drain(): void {
    for (const session of this.#sessions) session.close()
  }

  /** To be called when all connections have ended. */
  close(): void {
    this.#entrance.close()
  }

  #begin(stream: Socket, isKnown: boolean, socket: Socket, wait: Wait): Begun | undefined {
    // Node would speak over a closed one through a stream of JavaScript, which cannot take all that a session writes.
    if (stream.destroyed) return undefined
    const server = isKnown ? this.#forKnown : this.#forUnknown
    const carrier: Carrier = { socket }
    let begun: Begun | undefined
    const onSession = (session: ServerHttp2Session): void => {
      begun = { end: () => endFlood(session), guard: (open) => void (carrier.open = () => letIn(session, open)) }
      wait.begun(session)
      wait.await(() => session.close())
      this.#sessions.add(session)
      this.#carriers.set(session, carrier)
      session.on('close', () => this.#sessions.delete(session))
      session.on('error', (error: Error) => this.#options.onBadConnection?.(error))
      closeWhenIdle(session, this.#keepAliveMs)
      rationFrames(session)
      readWhileOpen(stream, session)
    }
    server.once('session', onSession)
    server.emit('connection', stream)
    server.off('session', onSession)
    return begun
  }
}

/**
 * Node gives a new session in the next tick what its socket holds already, and fails where the session has ended by then. So an
 * ended one finds nothing to read.
 */
function readWhileOpen(stream: Socket, session: ServerHttp2Session): void {
  const read = stream.read.bind(stream)
  stream.read = (size) => (session.destroyed ? null : read(size))
  process.nextTick(() => Reflect.deleteProperty(stream, 'read'))
}

function letIn(session: ServerHttp2Session, open: () => void): void {
  open()
  if (!session.closed) session.settings({ maxConcurrentStreams: MOST_STREAMS })
}

/**
 * HTTP/1.1 connections that carry nothing are ended by `keepAliveTimeout`; over HTTP/2 nothing else does. The timer of a session itself (Node's
 * `setTimeout`) goes on after its end, and would keep all that belongs to it.
 */
function closeWhenIdle(session: ServerHttp2Session, keepAliveMs: number): void {
  let streams = 0
  const timer = setTimeout(() => {
    if (streams === 0) session.close()
  }, keepAliveMs).unref()
  session.on('stream', (stream) => {
    streams++
    stream.on('close', () => {
      streams--
      // One that has ended must not begin anew.
      if (streams === 0 && !session.destroyed) timer.refresh()
    })
  })
  session.on('close', () => clearTimeout(timer))
}

const http2Options = (maxConcurrentStreams: number) => ({
  settings: { maxConcurrentStreams, maxHeaderListSize: MAX_HEADER_LIST_BYTES },
  maxHeaderListPairs: READ_FIELDS,
  // A client that gives up all its requests at once resets as many streams as it may have open.
  streamResetBurst: 1000,
  streamResetRate: 33,
  maxSessionMemory: MAX_SESSION_MEGABYTES,
})

/** How many may come at once, and how many a second after that. */
interface Ration {
  readonly burst: number
  readonly perSecond: number
}

/** Clients need far fewer of these frames: a ping now and then, settings at the beginning. */
const PINGS: Ration = { burst: 200, perSecond: 10 }
const SETTINGS: Ration = { burst: 100, perSecond: 1 }

/** Ends a connection whose client sends more frames that ask for nothing than any client needs. */
function rationFrames(session: ServerHttp2Session): void {
  const end = (): void => endFlood(session)
  const pings = counter(PINGS, end)
  const settings = counter(SETTINGS, end)
  session.on('ping', pings)
  session.on('remoteSettings', settings)
}

/** Tells the client to be calm, and ends the connection. */
function endFlood(session: ServerHttp2Session): void {
  if (session.destroyed) return
  session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM)
  session.destroy()
}

function counter({ burst, perSecond }: Ration, exceeded: () => void): () => void {
  let left = burst
  let at = performance.now()
  return () => {
    const now = performance.now()
    left = Math.min(burst, left + ((now - at) / 1000) * perSecond) - 1
    at = now
    if (left < 0) exceeded()
  }
}
