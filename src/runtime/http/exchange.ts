import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { constants } from 'node:http2'
import { getDefaultHighWaterMark } from 'node:stream'
import type { Socket } from 'node:net'
import { tooLarge } from '../../machinery/status.ts'
import { DEAR_PIECE_BYTES, type Piece, PIECE_BYTES, piecesOf, prepended, slicesOf } from './answer/pieces.ts'
import { endGently } from './head/bad-http.ts'
import type { BodyReader } from './body/reader.ts'
import type { HeadAccount } from './head/account.ts'
import { type Incoming, originForm, type Outgoing, sentCode } from './message.ts'
import { networkOf } from './network-of.ts'
import { RequestMemory } from './request-memory.ts'
import type { AnswerBounds } from './answer/bounds.ts'
import { type PartsOptions, sendPieces } from './answer/send-pieces.ts'
import { type PresentedCertificate, presentedBy } from './shown-credential.ts'
import type { WorkTurns } from './work-turns.ts'

const JSON_TYPE = 'application/json'
const NO_QUERY = new URLSearchParams()
/** Why what belongs to an exchange ends: one for all, as to make one costs more than most answers. */
const OVER = new DOMException('the exchange is over', 'AbortError')
/** How long a client may take for a piece. */
const UNREAD_DEADLINE_MS = 60_000
/** A sender waits while so many bytes are buffered. Node emits `drain` when as many have been sent. */
const FULL_BUFFER_BYTES = getDefaultHighWaterMark(false)

/** A body of so many bytes is read to its end even when nobody wants it, so that its connection can be used again. */
const LITTLE_BYTES = 64 * 1024
/** A stream of text to one client. A client that does not read is cut off at `maxBuffered` bytes. */
export interface TextStream {
  /** Sends text, or lines of it together; false when the client has fallen so far behind that it was disconnected, or is gone. */
  write(text: string | readonly (string | Buffer)[]): boolean
  /** Undefined while the buffer takes more. Otherwise resolves when it has drained, or the stream has ended. */
  drained(): Promise<void> | undefined
  end(): void
  /** Disconnects a client that does not keep up. */
  cut(): void
}

/** Another encoding for what would be answered as JSON. */
export interface Transcoding {
  readonly contentType: string
  readonly streamType: string
  /** Undefined for what has no such encoding, and stays JSON. */
  readonly body: (json: string) => Buffer | undefined
  /** A list by its fields and the JSON texts of its items, which stay the same whenever they are gone through. */
  readonly list: (
    fields: Readonly<Record<string, unknown>>,
    texts: Iterable<string>,
  ) => Promise<Iterable<Buffer> | undefined>
  /** A line of a stream. */
  readonly frame: (json: string) => Buffer | undefined
}

/** The limits of all exchanges of a server. */
export interface ExchangeLimits {
  readonly bodies: BodyReader
  readonly answers: AnswerBounds
  readonly work: WorkTurns
  /** The heads of known clients; undefined: they are not counted. */
  readonly heads?: HeadAccount
  readonly maxBodyBytes: number
  readonly unreadMs?: number
}

/** One request and its response, over HTTP/1.1 or HTTP/2 alike. Its creator calls `hangUp` when the response closes. */
export class Exchange {
  readonly method: string
  /** The path as sent, still percent-encoded, without the query. */
  readonly path: string
  readonly search: string
  readonly #headers: IncomingHttpHeaders
  #extra: readonly (readonly [string, string])[] = []
  #transcoding: { readonly accept: string; readonly to: Transcoding } | undefined
  readonly #request: Incoming
  readonly #socket: Socket
  readonly #response: Outgoing
  readonly #limits: ExchangeLimits
  #abort: AbortController | undefined
  readonly #onAdmit: () => void
  readonly #onRecognize: () => void
  #user = ''
  #isAdmitted = false
  #gone = false
  #onLeave: (() => void) | undefined
  readonly #memory = new RequestMemory()
  #query: URLSearchParams | undefined

  /** `socket`: what the request came over. */
  constructor(
    request: Incoming,
    response: Outgoing,
    limits: ExchangeLimits,
    onAdmit: () => void = () => undefined,
    socket: Socket = request.socket,
    onRecognize: () => void = () => undefined,
  ) {
    const url = originForm(request.url ?? '/')
    const mark = url.indexOf('?')
    this.method = request.method ?? 'GET'
    this.path = mark < 0 ? url : url.slice(0, mark)
    this.search = mark < 0 ? '' : url.slice(mark + 1)
    this.#headers = request.headers
    this.#request = request
    this.#socket = socket
    this.#response = response
    this.#limits = limits
    this.#onAdmit = onAdmit
    this.#onRecognize = onRecognize
  }

  get headers(): IncomingHttpHeaders {
    return this.#transcoding === undefined ? this.#headers : { ...this.#headers, accept: this.#transcoding.accept }
  }

  /** From now on what is answered as JSON goes out in another encoding, and `accept` is what the client seems to take. */
  transcode(accept: string, to: Transcoding): void {
    this.#transcoding = { accept, to }
  }

  /** Has a header go with whatever is answered, before others of its name. Its value is given in bytes, as text of Latin-1. */
  append(name: string, value: string): void {
    this.#extra = [...this.#extra, [name, value]]
  }

  /** Not to be changed. */
  get query(): URLSearchParams {
    this.#query ??= this.search === '' ? NO_QUERY : new URLSearchParams(this.search)
    return this.#query
  }

  /** Aborts when the client goes away or the server drains. Made when first asked for: most requests need none. */
  get closed(): AbortSignal {
    this.#abort ??= new AbortController()
    if (this.#gone) this.#abort.abort(OVER)
    return this.#abort.signal
  }

  /** Calls back when the client leaves without an answer; at once if it has left. Cheaper than `closed`; the last callback counts. */
  whenLeft(callback: () => void): void {
    if (!this.#gone) this.#onLeave = callback
    else if (!this.answered) callback()
  }

  get answered(): boolean {
    return this.#response.headersSent
  }

  /** Does the client still wait for an answer? It has none yet, and has not left. */
  get isAwaited(): boolean {
    return !this.#gone && !this.#response.headersSent && !this.#response.destroyed
  }

  /** The status code that was answered; 499 when the client left before. */
  get code(): number {
    return this.#response.headersSent ? this.#response.statusCode : 499
  }

  /** The headers as they were sent: name, value, name, value … `headers` joins the values of one that comes twice. */
  get rawHeaders(): readonly string[] {
    return this.#request.rawHeaders
  }

  /** The same object for all exchanges over one connection. */
  get connection(): object {
    const request = this.#request
    return ('stream' in request ? request.stream.session : undefined) ?? request.socket
  }

  /**
   * The client has authenticated: bounds for unknown clients do not hold for its connection any more, and what it does not read
   * counts as this user's. Throws 429 where large heads of this user wait already.
   */
  admit(user: string): void {
    this.#user = user
    this.#isAdmitted = true
    this.#onAdmit()
    const { rawHeaders, url = '' } = this.#request
    this.#memory.keepHead(this.#limits.heads?.hold(user, rawHeaders, url))
  }

  /** The client has shown that it knows what strangers do not: their connections do not crowd out this one any more. */
  recognize(): void {
    this.#onRecognize()
  }

  /** Has the client authenticated? */
  get isAdmitted(): boolean {
    return this.#isAdmitted
  }

  /** The address of the client, an IPv4 one as such; empty where it has left. */
  get remoteAddress(): string {
    return (this.#socket.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '')
  }

  /** The certificate that the client presented; undefined where it presented none. */
  get clientCertificate(): PresentedCertificate | undefined {
    return presentedBy(this.#socket)
  }

  /**
   * Resolves when an answer that is dear to make may begin, which others wait for. Gives false when nobody waits for it by then.
   * Throws 429 when too many of the client's answers are waited for or not read.
   */
  async mayBeginDear(): Promise<boolean> {
    await this.#limits.answers.turn(this.#user)
    if (!this.isAwaited) return false
    this.#limits.answers.assertUnread(this.#user)
    return true
  }

  /** The other encoding of what would be answered as JSON. */
  get transcoding(): Transcoding | undefined {
    return this.#transcoding?.to
  }

  /** Ends the exchange from the server's side: streams stop, what waits for `closed` wakes. */
  hangUp(): void {
    const hasLeft = !this.#gone && !this.answered
    this.#gone = true
    this.#abort?.abort(OVER)
    this.#memory.closed()
    if (hasLeft) this.#onLeave?.()
  }

  /** Nothing works on the request any more. */
  handled(): void {
    this.#memory.handled()
  }

  /** Resolves when the next step of a long request may begin: users have their turns one after the other. */
  turn(): Promise<void> {
    return this.#limits.work.next(this.#user)
  }

  /**
   * The whole body, when it is this user's turn. Throws 413 past the limit, 408 when the client is too slow, and 503 when unfinished
   * bodies hold too much.
   */
  async body(): Promise<Buffer> {
    const isKnown = this.#user !== ''
    const name = isKnown ? this.#user : networkOf(this.#socket.remoteAddress ?? '')
    const body = await this.#limits.bodies.read(this.#request, {
      maxBytes: this.#limits.maxBodyBytes,
      owner: { name, isKnown },
      tooLarge: () => tooLarge(this.#limits.maxBodyBytes),
      keep: (release) => this.#memory.keepBody(release),
    })
    const turn = isKnown ? this.#limits.work.begin(name) : undefined
    if (turn !== undefined) await turn
    return body
  }

  /** Answers once; a client that is gone is not an error. */
  respond(
    code: number,
    contentType: string,
    text: string | Buffer,
    headers: Readonly<Record<string, string | readonly string[]>> = {},
  ): void {
    const response = this.#response as ServerResponse
    if (response.headersSent || response.destroyed) return
    const other = this.#otherThan(contentType)
    const transcoded = other?.body(text.toString())
    // Node writes headers in the encoding of a text that goes with them.
    const content = transcoded ?? (this.#extra.length > 0 ? Buffer.from(text) : text)
    const all: OutgoingHttpHeaders = {
      'content-type': transcoded === undefined ? contentType : other?.contentType,
      'cache-control': 'no-cache, private',
      'content-length': Buffer.byteLength(content),
    }
    for (const name in headers) all[name] = headers[name] as string | string[]
    this.#addExtra(all)
    this.#giveUpBody()
    response.writeHead(sentCode(this.#response, code), all)
    if (this.method === 'HEAD') response.end()
    else if (content.length <= PIECE_BYTES) response.end(content)
    else this.#send(slicesOf(typeof content === 'string' ? Buffer.from(content) : content))
  }

  /**
   * As `respond` with 200, for what may be long: beyond the first piece it is made only as fast as the client reads it. The parts
   * must stay the same meanwhile; they go out as they are, in no other encoding. Where they are dear to make, the pieces are
   * smaller, and each waits for its turn among those of all clients.
   */
  respondInParts(
    contentType: string,
    parts: Iterable<string | Buffer>,
    { headers = {}, isDear = false }: PartsOptions = {},
  ): void {
    const response = this.#response as ServerResponse
    if (response.headersSent || response.destroyed) return
    const pieces = piecesOf(parts, isDear ? DEAR_PIECE_BYTES : PIECE_BYTES)
    const first = pieces.next()
    const isWhole = first.done === true || first.value.left === 0
    const whole = first.done === true ? Buffer.alloc(0) : first.value.bytes
    const all: OutgoingHttpHeaders = {
      'content-type': contentType,
      'cache-control': 'no-cache, private',
      ...(isWhole ? { 'content-length': whole.length } : {}),
    }
    for (const name in headers) all[name] = headers[name] as string | string[]
    this.#addExtra(all)
    this.#giveUpBody()
    response.writeHead(200, all)
    if (this.method === 'HEAD') return void response.end()
    if (first.done === true || isWhole) return void response.end(whole)
    this.#send(prepended(first.value, pieces), isDear ? () => this.#limits.answers.anyTurn(this.#user) : undefined)
  }

  #send(pieces: Iterator<Piece>, turn?: () => Promise<void>): void {
    const unreadMs = this.#limits.unreadMs ?? UNREAD_DEADLINE_MS
    const { buffers } = this.#limits.answers
    sendPieces(this.#response as ServerResponse, pieces, { user: this.#user, unreadMs, buffers, turn })
  }

  /** Starts a stream of text that ends with the exchange. */
  stream(contentType: string, maxBuffered: number): TextStream {
    const response = this.#response as ServerResponse
    const other = this.#otherThan(contentType)
    const framed = (line: string | Buffer): string | Buffer => other?.frame(line.toString()) ?? line
    const all: OutgoingHttpHeaders = {
      'content-type': other?.streamType ?? contentType,
      'cache-control': 'no-cache, private',
    }
    this.#addExtra(all)
    this.#giveUpBody()
    response.writeHead(200, all)
    response.flushHeaders()
    const end = (): void => {
      if (!response.writableEnded) response.end()
    }
    this.closed.addEventListener('abort', end, { once: true })
    response.once('close', () => this.#limits.answers.buffers.note(this.#user, response, true))
    return {
      write: (text) => {
        if (this.#gone || response.writableEnded) return false
        if (typeof text === 'string') response.write(framed(text))
        else {
          response.cork()
          for (const line of text) response.write(framed(line))
          response.uncork()
        }
        this.#limits.answers.buffers.note(this.#user, response)
        if (response.destroyed) return false
        if (response.writableLength <= maxBuffered) return true
        response.destroy()
        return false
      },
      drained: () => {
        if (response.writableLength < FULL_BUFFER_BYTES || this.closed.aborted) return undefined
        return new Promise((resolve) => {
          const goOn = (): void => {
            response.off('drain', goOn)
            this.closed.removeEventListener('abort', goOn)
            resolve()
          }
          response.once('drain', goOn)
          this.closed.addEventListener('abort', goOn, { once: true })
        })
      },
      end,
      cut: () => response.destroy(),
    }
  }

  /** After an answer that comes before the end of the body, the rest of the body is dropped; a long rest is not even parsed. */
  #giveUpBody(): void {
    const request = this.#request
    if (request.complete) return
    const { 'content-length': announced, 'transfer-encoding': coding } = request.headers
    const isShort = coding === undefined && Number(announced ?? 0) <= Math.min(LITTLE_BYTES, this.#limits.maxBodyBytes)
    if ('stream' in request) {
      const { stream } = request
      if (stream.endAfterHeaders || (announced !== undefined && isShort)) return
      // Not in the same turn: a reset that comes before the end of the answer makes clients drop what they have of it.
      stream.once('finish', () => setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR)))
      return
    }
    // Node says that a request without a body is complete only after it was handled.
    if (isShort) return
    ;(this.#response as ServerResponse).shouldKeepAlive = false
    endGently(request.socket)
  }

  #addExtra(headers: OutgoingHttpHeaders): void {
    for (const [name, value] of this.#extra.toReversed()) {
      const own = headers[name] ?? []
      headers[name] = [value, ...(Array.isArray(own) ? own : [String(own)])]
    }
  }

  #otherThan(contentType: string): Transcoding | undefined {
    return contentType === JSON_TYPE ? this.#transcoding?.to : undefined
  }
}
