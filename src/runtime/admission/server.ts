import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError, failure, internalError, methodNotAllowed } from '../../machinery/status.ts'
import { MOST_WEIGHT, refuseHeavyText } from '../../machinery/value-weight.ts'
import { reviewDeadline } from './deadline.ts'
import { type AdmissionDecision, answerText, errored, ranOutOfTime, type ReviewVerdict } from './decision.ts'
import type { AdmissionMetrics, CallRefusal, ReviewMeter } from './metrics.ts'
import { type AdmissionRequest, type AskedReview, readReview } from './request.ts'
import type { CallerCheck } from './caller-check.ts'
import type { KeyPair } from '../certificate/check.ts'
import type { Exchange } from '../http/exchange.ts'
import type { HttpServer, TlsTexts } from '../http/server.ts'
import { isKnownHost } from '../http/known-host.ts'
import { type AddressFlags, listen } from '../http/listen.ts'
import type { Logger } from '../process/logger.ts'
import { afterRunning } from '../time/running-time.ts'

/** Decides the reviews of one webhook. */
export interface AdmissionWebhook {
  /** As in the URL, with the slash in front. */
  readonly path: string
  /**
   * Decides one review. The signal aborts when the API server is about to give up, or has: what is answered right then
   * still counts, such as `retryLater`. An exception is answered as an error and logged. `withinMs`: how many milliseconds after
   * the call the signal aborts at the latest.
   */
  readonly handle: (request: AdmissionRequest, signal: AbortSignal, withinMs: number) => Promise<AdmissionDecision>
}

export interface AdmissionServerOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** The certificate to present until `useCertificate` replaces it. */
  readonly certificate: KeyPair
  /** PEM of the authorities of which callers have to present a certificate, until `useClientAuthority` replaces it; left out: none is asked for. */
  readonly clientAuthority?: string
  /** Those at fixed paths, or what answers at a path now. */
  readonly webhooks: readonly AdmissionWebhook[] | ((path: string) => AdmissionWebhook | undefined)
  readonly metrics: AdmissionMetrics
  readonly logger: Logger
  /** By which names, besides addresses, it is asked where only this machine gets in; left out: `localhost`. */
  readonly names?: readonly string[]
  /** By which flags host and port were given. */
  readonly flags?: AddressFlags
  /** Called after a review that nobody waited for any more when it was decided. */
  readonly onUnanswered?: () => void
  /** Which callers are answered; left out: all that know a path. */
  readonly callers?: CallerCheck
  /** May a call come from this address? Left out: from any. */
  readonly isPeer?: (address: string) => boolean
}

/** How a server is to end, in milliseconds. */
export interface DrainTimes {
  /** How long it goes on, asking every client to connect elsewhere next time, before it takes no more connections. */
  readonly noticeMs: number
  /** How long reviews may go on after that. */
  readonly timeoutMs: number
}

/** Of an object and its predecessor, each up to the 3 MiB that API servers read. */
const MAX_BODY_BYTES = 8 * 1024 * 1024
/** Of both of them too. */
const MOST_REVIEW_WEIGHT = 2 * MOST_WEIGHT
const JSON_TYPE = 'application/json'
/** The code of an exchange whose client left before it was answered. */
const CLIENT_LEFT = 499
const CERTIFICATE_MISSING = 'the webhooks demand a client certificate of an authority that --webhook-client-ca names'

/** Reviews of probes are smaller. Larger ones are not read before their caller is known. */
const PROBE_BYTES = 16_384
/** This part of its time a review waits for its caller to be known, at most. */
const WAITING_PART = 0.5

interface Answer {
  readonly verdict: ReviewVerdict
  readonly code: number
  readonly text: string
}

/** A body as it was read, or the reason for which it could not be. */
type Reading = { readonly review: AskedReview } | { readonly error: unknown }

/** A caller that is to be answered, what was read of its review to know that, and how long that took. */
interface Admitted {
  readonly reading?: Reading
  readonly waitedMs: number
}

/** Answers the admission reviews (v1 and v1beta1) of API servers over HTTPS, one webhook at each path. */
export class AdmissionServer {
  readonly #server: HttpServer
  readonly #handler: ReviewHandler
  #presented: KeyPair
  #clientAuthority: string | undefined

  private constructor(
    server: HttpServer,
    handler: ReviewHandler,
    { certificate, clientAuthority }: AdmissionServerOptions,
  ) {
    this.#server = server
    this.#handler = handler
    this.#presented = certificate
    this.#clientAuthority = clientAuthority
  }

  /** Listens. Throws StartupError when host or port cannot be had. */
  static async listen(options: AdmissionServerOptions): Promise<AdmissionServer> {
    const { host, port, certificate, clientAuthority, logger } = options
    const handler = new ReviewHandler(options)
    const server = await listen(
      {
        host,
        port,
        tls: tlsOf(certificate, clientAuthority),
        http1Only: true,
        maxBodyBytes: MAX_BODY_BYTES,
        handle: (exchange) => handler.handle(exchange),
        onBadConnection: (error) => logger.debug({ error }, 'a connection to the webhooks was refused'),
      },
      options.flags,
    )
    return new AdmissionServer(server, handler, options)
  }

  get port(): number {
    return this.#server.port
  }

  /** Presents another certificate to new connections. Throws, and keeps the old one, when it cannot be used. */
  useCertificate(certificate: KeyPair): void {
    this.#server.useCertificate(tlsOf(certificate, this.#clientAuthority))
    this.#presented = certificate
  }

  /** Demands certificates of other authorities on new connections. Throws, and keeps the old ones, when they cannot be used. */
  useClientAuthority(authority: string): void {
    this.#server.useCertificate(tlsOf(this.#presented, authority))
    this.#clientAuthority = authority
  }

  /** Answers what has been asked, then closes. */
  async stop({ noticeMs, timeoutMs }: DrainTimes): Promise<void> {
    this.#handler.closing = true
    if (noticeMs > 0) await sleep(noticeMs)
    await this.#server.drain(timeoutMs)
  }
}

const tlsOf = ({ certificate, key }: KeyPair, clientCa: string | undefined): TlsTexts => ({
  cert: certificate,
  key,
  ...(clientCa === undefined ? {} : { clientCa }),
})

/** Decides about requests, and answers them. */
class ReviewHandler {
  readonly #webhookAt: (path: string) => AdmissionWebhook | undefined
  readonly #metrics: AdmissionMetrics
  /** By the paths that webhooks say that they have. */
  readonly #meters = new Map<string, ReviewMeter>()
  readonly #logger: Logger
  readonly #isKnown: (host: string | undefined) => boolean
  readonly #demandsCertificate: boolean
  readonly #onUnanswered: () => void
  readonly #callers: CallerCheck | undefined
  readonly #isPeer: (address: string) => boolean
  /** Clients are asked not to use their connections again. */
  closing = false

  constructor(options: AdmissionServerOptions) {
    const { webhooks, metrics, logger, host, names = [], clientAuthority, onUnanswered = () => undefined } = options
    this.#demandsCertificate = clientAuthority !== undefined
    this.#onUnanswered = onUnanswered
    this.#callers = options.callers
    this.#isPeer = options.isPeer ?? (() => true)
    this.#isKnown = (asked) => isKnownHost(host, names, asked)
    this.#metrics = metrics
    if (typeof webhooks === 'function') this.#webhookAt = webhooks
    else {
      const byPath = new Map(webhooks.map((webhook) => [webhook.path, webhook]))
      this.#webhookAt = (path) => byPath.get(path)
      for (const { path } of webhooks) this.#meterOf(path)
    }
    this.#logger = logger
  }

  /** Never rejects. */
  async handle(exchange: Exchange): Promise<void> {
    const { path, method } = exchange
    if (!this.#isPeer(exchange.remoteAddress))
      return this.#turnAway(exchange, 'peer', failure(403, 'Forbidden', 'this address may not ask the webhooks'))
    if (!this.#isKnown(exchange.headers.host))
      return this.#turnAway(exchange, 'host', failure(403, 'Forbidden', 'this host is not known here'))
    if (this.#demandsCertificate && exchange.clientCertificate?.verified !== true)
      return this.#turnAway(exchange, 'certificate', failure(401, 'Unauthorized', CERTIFICATE_MISSING))
    const webhook = this.#webhookAt(path)
    // API servers quote the message in errors for their clients, so it does not repeat the path.
    if (webhook === undefined) return this.#turnAway(exchange, 'path', noWebhook())
    if (method !== 'POST') return this.#refuse(exchange, methodNotAllowed())
    const admitted = await this.#admit(webhook, exchange)
    if (admitted === undefined) return this.#turnAway(exchange, 'caller', noWebhook())
    exchange.recognize()
    const meter = this.#meterOf(webhook.path)
    const began = performance.now()
    meter.started()
    const { verdict, code, text, isLast } = await this.#answer(webhook, exchange, admitted)
    exchange.respond(code, JSON_TYPE, text, this.#headers(isLast))
    meter.finished(verdict, (performance.now() - began) / 1000)
    if (exchange.code === CLIENT_LEFT) this.#onUnanswered()
  }

  /** Resolves when it is known whether the caller is answered; undefined: it is not. */
  async #admit(webhook: AdmissionWebhook, exchange: Exchange): Promise<Admitted | undefined> {
    const callers = this.#callers
    const address = exchange.remoteAddress
    if (callers === undefined || callers.isProven(address)) return { waitedMs: 0 }
    const began = performance.now()
    const isSmall = Number(exchange.headers['content-length']) <= PROBE_BYTES
    const reading = isSmall ? await read(exchange) : undefined
    if (reading !== undefined && 'review' in reading && callers.isProbe(reading.review.request, address, webhook.path))
      return { reading, waitedMs: 0 }
    const { abortMs } = reviewDeadline(exchange.query.get('timeout'))
    if (!(await callers.admits(address, abortMs * WAITING_PART, exchange.closed))) return undefined
    return { ...(reading === undefined ? {} : { reading }), waitedMs: performance.now() - began }
  }

  async #answer(
    webhook: AdmissionWebhook,
    exchange: Exchange,
    admitted: Admitted,
  ): Promise<Answer & { readonly isLast: boolean }> {
    const reading = admitted.reading ?? (await read(exchange))
    if ('error' in reading) {
      const { error } = reading
      this.#logger.warn({ error, path: webhook.path }, 'a webhook got an invalid review')
      const { status } = error instanceof ApiError ? error : internalError(String(error))
      return { verdict: 'invalid', code: status.code, text: JSON.stringify(status), isLast: false }
    }
    const { apiVersion, request } = reading.review
    // The next probe is to come over another connection, which a Service may lead to another replica.
    const isLast = this.#callers?.isProbe(request, exchange.remoteAddress, webhook.path) ?? false
    const answered = (decision: AdmissionDecision) => ({
      verdict: decision.verdict,
      code: 200,
      text: answerText(apiVersion, request.uid, decision),
      isLast,
    })
    const given = reviewDeadline(exchange.query.get('timeout'))
    const abortMs = Math.max(1, Math.floor(given.abortMs - admitted.waitedMs))
    const answerMs = Math.max(abortMs, given.answerMs - admitted.waitedMs)
    const late = (): AdmissionDecision =>
      ranOutOfTime(`the webhook ${webhook.path} did not decide within ${abortMs / 1000}s, please try again`)
    const signal = exchange.closed
    const timer = new Countdown(abortMs, answerMs, () => exchange.hangUp())
    try {
      const decision = await Promise.race([webhook.handle(request, signal, abortMs), timer.over])
      return answered(decision ?? late())
    } catch (error) {
      const { uid, operation, namespace, name, resource } = request
      const fields = { path: webhook.path, uid, operation, resource: resource.resource, namespace, name }
      // An API server that waits no longer is not a failure of allot, and a client that hangs up must not fill the log with stacks.
      if (signal.aborted) this.#logger.warn(fields, 'a review was not decided in time')
      else this.#logger.error({ error, ...fields }, 'a webhook failed')
      return answered(signal.aborted ? late() : errored(error instanceof Error ? error.message : String(error)))
    } finally {
      timer.stop()
    }
  }

  #meterOf(path: string): ReviewMeter {
    const meter = this.#meters.get(path) ?? this.#metrics.webhook(path)
    this.#meters.set(path, meter)
    return meter
  }

  #turnAway(exchange: Exchange, reason: CallRefusal, error: ApiError): void {
    this.#metrics.refused(reason)
    this.#refuse(exchange, error)
  }

  #refuse(exchange: Exchange, { status }: ApiError): void {
    exchange.respond(status.code, JSON_TYPE, JSON.stringify(status), this.#headers())
  }

  #headers(isLast = false): Readonly<Record<string, string>> {
    return this.closing || isLast ? { connection: 'close' } : {}
  }
}

async function read(exchange: Exchange): Promise<Reading> {
  try {
    const text = (await exchange.body()).toString('utf8')
    refuseHeavyText(text, MOST_REVIEW_WEIGHT)
    return { review: readReview(text) }
  } catch (error) {
    return { error }
  }
}

const noWebhook = (): ApiError => failure(404, 'NotFound', 'there is no webhook at this path')

/** Gives a sign when the time to decide is up, and ends a little later. Time in which this process stood still does not count. */
class Countdown {
  #cancel: () => void
  /** Resolves at the end; never once it was stopped. */
  readonly over: Promise<undefined>

  constructor(signMs: number, endMs: number, sign: () => void) {
    let end: () => void
    this.over = new Promise((resolve) => (end = () => resolve(undefined)))
    this.#cancel = afterRunning(signMs, () => {
      this.#cancel = afterRunning(endMs - signMs, end)
      sign()
    })
  }

  stop(): void {
    this.#cancel()
  }
}
