import { failure } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import type { ShownCredential } from '../../runtime/http/shown-credential.ts'
import type { Logger } from '../../runtime/process/logger.ts'

/** Answers requests once the server accepts them. */
export interface RequestHandler {
  handle(exchange: Exchange): Promise<void>
  knows(credential: ShownCredential): boolean
}

const CLOSED = {
  starting: 'the server is starting and not ready yet, please try again',
  stopping: 'the server is shutting down, please try again',
} as const

/** `/readyz`, and each of its checks. */
const READINESS = /^\/readyz(\/|$)/

/**
 * Answers requests with 503 and Retry-After until everything is ready, and again when the end has begun. `/livez` is
 * always answered, because the process lives.
 */
export class ReadinessGate {
  readonly #logger: Logger
  #state: RequestHandler | keyof typeof CLOSED = 'starting'
  #isReady = false

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** Lets requests in, for clients that must reach the API before all is ready; `/readyz` still fails. */
  admit(handler: RequestHandler): void {
    this.#state = handler
  }

  open(handler: RequestHandler): void {
    this.#state = handler
    this.#isReady = true
  }

  close(): void {
    this.#state = 'stopping'
  }

  /** Is this credential somebody's? Nobody is known while nothing is answered. */
  knows(credential: ShownCredential): boolean {
    return typeof this.#state !== 'string' && this.#state.knows(credential)
  }

  /** Never rejects. */
  async handle(exchange: Exchange): Promise<void> {
    if (typeof this.#state === 'string') return turnAway(exchange, this.#state)
    if (!this.#isReady && READINESS.test(exchange.path)) return turnAway(exchange, 'starting')
    try {
      await this.#state.handle(exchange)
    } catch (error) {
      this.#logger.error({ error, method: exchange.method, path: exchange.path }, 'a request was not answered')
      answer(exchange, 500, 'InternalError', 'Internal error occurred')
      exchange.hangUp()
    }
  }
}

function turnAway(exchange: Exchange, state: keyof typeof CLOSED): void {
  if (exchange.path === '/livez') exchange.respond(200, 'text/plain; charset=utf-8', 'ok')
  else answer(exchange, 503, 'ServiceUnavailable', CLOSED[state])
}

function answer(exchange: Exchange, code: number, reason: string, message: string): void {
  const { status } = failure(code, reason, message, { retryAfterSeconds: 1 })
  exchange.respond(code, 'application/json', JSON.stringify(status), { 'retry-after': '1' })
}
