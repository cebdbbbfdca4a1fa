import { arch, platform } from 'node:os'
import type { Dispatcher } from 'undici'
import type { ClusterAccess } from '../access/cluster-access.ts'
import { type ConnectionSets, Connections } from './connections.ts'
import type { Credential, CredentialSource } from '../credentials/source.ts'
import { NEVER_ABORTED } from '../time/clock.ts'
import { AbortDeadline } from '../time/deadline.ts'
import { warningTexts } from '../../runtime/http/warning-headers.ts'
import { impersonationHeaders } from '../credentials/impersonation-headers.ts'
import type { SystemContext } from '../time/system-context.ts'
import { RateLimit, type Rate } from '../time/rate-limit.ts'
import { retryDelay } from '../time/retry-delay.ts'
import { isDropped, isTlsProblem, ServerUnreachable, unreachable } from './server-unreachable.ts'
import { TlsFiles } from './tls-files.ts'
import { sendWhole } from './whole-answer.ts'

export interface TransportRequest {
  readonly method: string
  /** With its query; begins with a slash. */
  readonly path: string
  /** Left out: JSON. */
  readonly accept?: string
  readonly body?: string
  /** The media type of `body`; by default JSON. */
  readonly contentType?: string
  /** From its turn to the end of the answer, or to its beginning when it is streamed; left out: `DEADLINE_MS`. */
  readonly deadlineMs?: number
  readonly signal?: AbortSignal
  /** Is it sent over a connection of its own? */
  readonly single?: boolean
  /** Told of the bytes of a whole answer as they come. What it throws ends the request. */
  readonly received?: (bytes: number) => void
  /** Told of each warning of a whole answer, whatever its status. */
  readonly warned?: (text: string) => void
  /** The `authorization` header of another caller; left out: the transport's own credential. */
  readonly authorization?: string
}

/** An answer that is complete. */
export interface TransportAnswer {
  readonly status: number
  readonly contentType: string
  readonly retryAfterSeconds: number | undefined
  readonly text: string
}

/** An answer of status 200 that is read as it comes. To leave the loop closes the connection. */
export interface TransportStream {
  readonly chunks: AsyncIterable<Uint8Array>
}

export interface TransportOptions {
  readonly access: ClusterAccess
  readonly credentials: CredentialSource
  readonly context: SystemContext
  /** allot's, for the user agent. */
  readonly version: string
  /** Left out: `DEFAULT_RATE`. */
  readonly rate?: Rate
  /** Left out: 32. */
  readonly maxConnections?: number
  /** Through which to go; secrets in it are not printed. */
  readonly proxyUrl?: string
  /** Called for every answer, whatever its status: the server is there. */
  readonly onAnswer?: (() => void) | undefined
}

export const DEADLINE_MS = 30_000
/** Enough that a controller never starves; a server protects itself with 429 besides. */
export const DEFAULT_RATE: Rate = { qps: 200, burst: 400 }
const MAX_CONNECTIONS = 32

interface Received extends TransportAnswer {
  readonly body?: Dispatcher.ResponseData['body']
  /** The headers `Warning` of a whole answer. */
  readonly warning?: string | readonly string[] | undefined
}

/**
 * Sends requests to one API server as one caller. It repeats 429 and 503 with Retry-After within the deadline. It
 * repeats a request whose credential was refused once, with a renewed credential. It repeats a GET once if its kept
 * connection was dropped. Throws ServerUnreachable, CredentialError, KubeconfigError, or the reason of the caller's
 * signal.
 */
export class Transport {
  readonly #options: TransportOptions
  readonly #limit: RateLimit
  readonly #tls: TlsFiles
  readonly #connections: Connections
  readonly #origin: string
  readonly #prefix: string
  readonly #headers: Readonly<Record<string, string | string[]>>

  constructor(options: TransportOptions) {
    const { access, context } = options
    const url = new URL(access.server)
    this.#options = options
    this.#origin = url.origin
    this.#prefix = url.pathname === '/' ? '' : url.pathname
    this.#limit = new RateLimit(options.rate ?? DEFAULT_RATE, context)
    this.#tls = new TlsFiles(access, context)
    this.#connections = new Connections(access, {
      proxyUrl: options.proxyUrl,
      maxCalls: options.maxConnections ?? MAX_CONNECTIONS,
    })
    this.#headers = {
      'user-agent': `allot/${options.version} (${platform()}/${arch()})`,
      ...impersonationHeaders(access.impersonation),
    }
  }

  /** Where it sends to, for messages. */
  get server(): string {
    return this.#options.access.server
  }

  /** Sends a request and reads the whole answer, whatever its status. */
  async send(request: TransportRequest): Promise<TransportAnswer> {
    using deadline = await this.#begin(request)
    try {
      const over = request.single === true ? 'single' : 'calls'
      const { warning, ...answer } = await this.#persist(request, over, deadline.signal)
      if (warning !== undefined && request.warned !== undefined) warningTexts(warning).forEach(request.warned)
      return answer
    } catch (error) {
      throw this.#typed(error, request.signal)
    }
  }

  /**
   * Sends a request whose answer is read as it comes, at most `lifeMs` from its beginning; any other status than 200 gives
   * the complete answer.
   */
  async stream(request: TransportRequest, lifeMs: number): Promise<TransportAnswer | TransportStream> {
    const deadline = await this.#begin(request)
    try {
      const { body, ...answer } = await this.#persist(request, 'watches', deadline.signal)
      if (body === undefined) {
        deadline[Symbol.dispose]()
        return answer
      }
      deadline.restart(lifeMs)
      return { chunks: this.#chunks(body, deadline, request.signal) }
    } catch (error) {
      deadline[Symbol.dispose]()
      throw this.#typed(error, request.signal)
    }
  }

  /** Cuts every connection; what is under way rejects. */
  async close(): Promise<void> {
    await this.#connections.close()
  }

  /** To wait for one's turn does not count: else a long queue would fail instead of draining. */
  async #begin({ signal, deadlineMs = DEADLINE_MS }: TransportRequest): Promise<AbortDeadline> {
    signal?.throwIfAborted()
    await this.#limit.take(signal ?? NEVER_ABORTED)
    // Nor does it count that someone has to answer a plugin's questions first.
    await this.#options.credentials.current(signal ?? NEVER_ABORTED)
    return new AbortDeadline(deadlineMs, signal)
  }

  async #persist(request: TransportRequest, over: keyof ConnectionSets, signal: AbortSignal): Promise<Received> {
    const { context } = this.#options
    const endsAt = context.monotonic() + (request.deadlineMs ?? DEADLINE_MS)
    let renewed = false
    let repeated = false
    for (let attempt = 0; ; attempt++) {
      const credential = await this.#options.credentials.current(signal)
      let received: Received
      try {
        received = await this.#attempt(request, over, credential, signal)
      } catch (error) {
        if (isTlsProblem(unreachable(this.server, error))) this.#tls.invalidate()
        if (repeated || request.method !== 'GET' || signal.aborted || !isDropped(error)) throw error
        repeated = true
        continue
      }
      if (received.status === 401 && !renewed && request.authorization === undefined) {
        renewed = true
        this.#tls.invalidate()
        if (this.#options.credentials.refused(credential)) continue
      }
      const delay = retryDelay(received, attempt, context.random)
      if (delay === undefined || context.monotonic() + delay >= endsAt) return received
      await context.sleep(delay, signal)
      await this.#limit.take(signal)
    }
  }

  async #attempt(
    request: TransportRequest,
    over: keyof ConnectionSets,
    credential: Credential,
    signal: AbortSignal,
  ): Promise<Received> {
    const material = { ...this.#tls.current(), ...credential.clientCertificate }
    const { authorization = credential.authorization } = request
    const dispatcher = this.#connections.with(material)[over]
    const asked = {
      origin: this.#origin,
      path: this.#prefix + request.path,
      method: request.method,
      headers: {
        ...this.#headers,
        accept: request.accept ?? 'application/json',
        ...(authorization === undefined ? {} : { authorization }),
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      },
      body: request.body ?? null,
    }
    if (over !== 'watches') {
      const { text, ...head } = await sendWhole(dispatcher, asked, signal, request.received)
      this.#options.onAnswer?.()
      return { ...answerOf(head), text, warning: head.headers['warning'] }
    }
    const { body, ...head } = await dispatcher.request({ ...asked, signal })
    this.#options.onAnswer?.()
    const answer = answerOf(head)
    return answer.status === 200 ? { ...answer, text: '', body } : { ...answer, text: await body.text() }
  }

  async *#chunks(
    body: Dispatcher.ResponseData['body'],
    deadline: AbortDeadline,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of body) yield chunk
    } catch (error) {
      throw this.#typed(error, signal)
    } finally {
      deadline[Symbol.dispose]()
      // Nobody reads the rest of the body: without this the connection would stay until the server ends it.
      body.on('error', () => {}).destroy()
    }
  }

  #typed(error: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted === true) return signal.reason
    if (error instanceof Error && TYPED.has(error.name)) return error
    return unreachable(this.#origin, error)
  }
}

/** Errors that say already what is wrong. */
const TYPED: ReadonlySet<string> = new Set([
  ServerUnreachable.name,
  'AnswerTooLarge',
  'CredentialError',
  'KubeconfigError',
])

const answerOf = ({
  statusCode,
  headers,
}: Pick<Dispatcher.ResponseData, 'statusCode' | 'headers'>): Omit<TransportAnswer, 'text'> => ({
  status: statusCode,
  contentType: first(headers['content-type']),
  retryAfterSeconds: seconds(first(headers['retry-after'])),
})

const first = (header: string | string[] | undefined): string =>
  (typeof header === 'string' ? header : header?.[0]) ?? ''

/** Only the form with seconds, as client-go: API servers send no other. */
const seconds = (text: string): number | undefined => (/^\d{1,9}$/.test(text) ? Number(text) : undefined)
