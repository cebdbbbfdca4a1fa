import { AnswerTooLarge } from '../kube/client/answer-reader.ts'
import type { UsageHistory } from '../insight/history/usage-history.ts'
import type { SystemContext } from '../kube/time/system-context.ts'
import { ServerUnreachable } from '../kube/transport/server-unreachable.ts'
import { AdvisingError } from '../machinery/advising-error.ts'
import {
  ApiError,
  badRequest,
  failure,
  internalError,
  methodNotAllowed,
  type Status,
  tooManyRequests,
  unauthorized,
  unsupportedMediaType,
} from '../machinery/status.ts'
import type { KeyPair } from '../runtime/certificate/check.ts'
import type { Exchange } from '../runtime/http/exchange.ts'
import type { HttpServer } from '../runtime/http/server.ts'
import { type AddressFlags, listen } from '../runtime/http/listen.ts'
import { networkOf } from '../runtime/http/network-of.ts'
import { warningValues } from '../runtime/http/warning-headers.ts'
import type { Logger } from '../runtime/process/logger.ts'
import { explanation } from './answer/explanation.ts'
import { history } from './answer/history.ts'
import { namespaceView } from './answer/namespace-view.ts'
import { pools } from './answer/pools.ts'
import { Parameters, type Question, type Responder } from './answer/question.ts'
import { quotas } from './answer/quotas.ts'
import { RecordedUsage } from './answer/recorded-usage.ts'
import { refusals } from './answer/refusals.ts'
import { createClaim, createIncrease } from './answer/requests-for-room.ts'
import type { Account } from './bounds/accounts.ts'
import type { OwnWork } from './answer/own-work.ts'
import { SharedReads } from './answer/shared-reads.ts'
import { FairLists } from './bounds/fair-lists.ts'
import { Reading } from './bounds/reading.ts'
import { type ShareBounds, Shares } from './bounds/shares.ts'
import { settings } from './answer/settings.ts'
import { isFromOwnPage, type Place } from './own-page.ts'
import { Page } from './page/page.ts'
import { Streams } from './stream/streams.ts'
import { STRICT_HEADERS } from './strict-headers.ts'
import { bearerToken } from './viewer/bearer-token.ts'
import type { BearerAccess } from './viewer/viewer.ts'
import { isUnauthorized, Viewers } from './viewer/viewers.ts'

/** The header of a request for a view that has nothing to show yet. */
const OPENS_VIEW = 'allot-opens-view'
const JSON_TYPE = 'application/json'
const NOTHING = Buffer.alloc(0)
/** More than any claim or increase needs. */
const MAX_BODY_BYTES = 64 * 1024
/** A page sends its body at once. */
const BODY_MS = 5_000
const BODY_BOUNDS = { all: 16 * 1024 * 1024, user: 1024 * 1024, unknown: MAX_BODY_BYTES }
/** Bodies that are waited for at a time, of all networks and of each. */
const WAITED_BODIES: ShareBounds = { all: 128, each: 32 }
const DRAIN_MS = 2_000

export interface DashboardOptions extends BearerAccess {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly flags: AddressFlags
  /** By which names, besides addresses, this machine is asked. */
  readonly names: readonly string[]
  /** The certificate until `useCertificate` replaces it; by default plain HTTP, which is only for the own machine. */
  readonly tls?: KeyPair
  /** The folder of the page. */
  readonly page: string
  /** The percentages of limits at which usage is warned of. */
  readonly warnAt: readonly number[]
  readonly context: SystemContext
  /** What the operator of this process records; left out: nothing does. */
  readonly history?: UsageHistory
  readonly logger: Logger
}

/** An answer as it goes out. */
interface Sent {
  readonly code: number
  readonly text: Buffer
}

interface Endpoint {
  readonly method: 'GET' | 'POST'
  readonly parameters: readonly string[]
  readonly respond: Responder
}

const NAMESPACE = ['namespace']
const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/api/v1/quotas': { method: 'GET', parameters: NAMESPACE, respond: quotas },
  '/api/v1/history': { method: 'GET', parameters: NAMESPACE, respond: history },
  '/api/v1/pools': { method: 'GET', parameters: NAMESPACE, respond: pools },
  '/api/v1/explain': { method: 'GET', parameters: ['kind', 'name', 'namespace'], respond: explanation },
  '/api/v1/refusals': { method: 'GET', parameters: NAMESPACE, respond: refusals },
  '/api/v1/claims': { method: 'POST', parameters: ['dryRun'], respond: createClaim },
  '/api/v1/increases': { method: 'POST', parameters: ['dryRun'], respond: createIncrease },
}
const NAMESPACE_PATH = /^\/api\/v1\/namespaces\/([a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?)$/
const EVENTS_PATH = '/api/v1/events'
const SETTINGS_PATH = '/api/v1/settings'

/** Serves what a page shows, to each viewer as the API server lets that viewer read it. */
export class Dashboard {
  readonly #options: DashboardOptions
  readonly #place: Place
  readonly #page: Page
  readonly #settings: Endpoint
  readonly #viewers: Viewers
  readonly #streams: Streams
  readonly #bodies = new Shares(WAITED_BODIES)
  readonly #usage: RecordedUsage
  readonly #reads: SharedReads<Sent>
  #server: HttpServer | undefined

  private constructor(options: DashboardOptions) {
    const { host, names, tls } = options
    this.#options = options
    this.#place = { host, names, scheme: tls === undefined ? 'http' : 'https' }
    this.#page = new Page(options.page)
    this.#settings = { method: 'GET', parameters: [], respond: settings(options) }
    this.#usage = new RecordedUsage(options.history, options.context)
    this.#viewers = new Viewers(options)
    this.#streams = new Streams(options)
    this.#reads = new SharedReads(options.context)
  }

  /** Listens. Throws StartupError where the port cannot be had. */
  static async listen(options: DashboardOptions): Promise<Dashboard> {
    const dashboard = new Dashboard(options)
    const { host, port, flags, tls, logger } = options
    dashboard.#server = await listen(
      {
        host,
        port,
        ...(tls === undefined ? {} : { tls: { key: tls.key, cert: tls.certificate } }),
        maxBodyBytes: MAX_BODY_BYTES,
        bodyMs: BODY_MS,
        bodyBounds: BODY_BOUNDS,
        authenticates: true,
        handle: (exchange) => dashboard.#handle(exchange),
        onBadConnection: (error) => logger.debug({ error }, 'a connection was refused'),
      },
      flags,
    )
    return dashboard
  }

  get port(): number {
    return this.#server?.port ?? 0
  }

  /** Presents another certificate from now on, where it is served over TLS. */
  useCertificate({ certificate, key }: KeyPair): void {
    if (this.#options.tls !== undefined) this.#server?.useCertificate({ cert: certificate, key })
  }

  /** Ends all streams, and lets other requests finish for a moment. */
  async stop(): Promise<void> {
    this.#streams.stop()
    await this.#server?.drain(DRAIN_MS)
  }

  /** Never rejects. */
  async #handle(exchange: Exchange): Promise<void> {
    try {
      if (this.#page.answers(this.#place, exchange)) return
      for (const [name, value] of STRICT_HEADERS) exchange.append(name, value)
      await this.#answer(exchange)
    } catch (error) {
      if (!exchange.isAwaited) return
      const status = this.#statusOf(error)
      const { retryAfterSeconds } = status.details ?? {}
      exchange.respond(status.code, JSON_TYPE, JSON.stringify(status), {
        ...(status.code === 401 ? { 'www-authenticate': 'Bearer' } : {}),
        ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
      })
    }
  }

  async #answer(exchange: Exchange): Promise<void> {
    if (!isFromOwnPage(this.#place, exchange.headers))
      throw failure(403, 'Forbidden', 'this host or page may not ask the dashboard')
    const token = bearerToken(exchange.headers.authorization)
    if (token === undefined) throw unauthorized()
    const viewer = await this.#viewers.of(token, exchange.remoteAddress)
    exchange.admit(viewer.account.name)
    try {
      const { method, path } = exchange
      viewer.account.ask()
      if (path === EVENTS_PATH) {
        if (method !== 'GET') throw methodNotAllowed()
        const namespace = new Parameters(exchange.query, NAMESPACE).namespace()
        return await this.#streams.serve(exchange, viewer, namespace)
      }
      const endpoint = path === SETTINGS_PATH ? this.#settings : endpointAt(path)
      if (method !== endpoint.method) throw methodNotAllowed()
      if (method === 'POST') assertJson(exchange)
      const parameters = new Parameters(exchange.query, endpoint.parameters)
      // It comes as slowly as its sender likes, so nothing that others wait for is held meanwhile.
      const body = method === 'POST' ? await this.#body(exchange, viewer.account) : NOTHING
      const warnings: string[] = []
      const warn = (text: string): void => void warnings.push(text)
      const respond = (signal: AbortSignal, work?: OwnWork): Promise<Sent> => {
        const next = (): Promise<void> => exchange.turn()
        const turn = work === undefined ? next : () => work.step(next)
        return this.#respond(endpoint.respond, { viewer, parameters, body, signal, turn, warn })
      }
      const asking = {
        account: viewer.account,
        question: `${viewer.key} ${path} ${parameters.text}`,
        isOpening: exchange.headers[OPENS_VIEW] === 'true',
      }
      // A page signs in with the settings: nothing that it has read before makes it wait for them.
      const isShared = method === 'GET' && endpoint !== this.#settings
      const answering = isShared ? this.#reads.of(asking, exchange.closed, respond) : respond(exchange.closed)
      const answer = await answering.finally(() => {
        for (const value of warningValues(warnings)) exchange.append('warning', value)
      })
      exchange.respond(answer.code, JSON_TYPE, answer.text)
    } catch (error) {
      if (isUnauthorized(error)) this.#viewers.forget(viewer)
      throw error
    }
  }

  async #respond(
    respond: Responder,
    question: Omit<Question, 'client' | 'fairLists' | 'usage' | 'now'>,
  ): Promise<Sent> {
    const { viewer } = question
    using _counted = viewer.begin()
    using reading = new Reading(viewer.account)
    const now = this.#options.context.now()
    const client = viewer.clientFor(reading)
    const fairLists = new FairLists(reading, (reader) => viewer.clientFor(reader))
    const { code, value } = await respond({ ...question, client, fairLists, usage: this.#usage, now })
    return { code, text: Buffer.from(JSON.stringify(value)) }
  }

  async #body(exchange: Exchange, account: Account): Promise<Buffer> {
    using _counted = account.beginBody()
    const network = { name: networkOf(exchange.remoteAddress), isMinted: false }
    if (this.#bodies.take(network) !== undefined)
      throw tooManyRequests('too many bodies are waited for, please try again', 1)
    try {
      return await exchange.body()
    } finally {
      this.#bodies.give(network)
    }
  }

  /** Refusals of the API server are about the viewer's own request, and go out as they are. Of other errors nothing but their kind does. */
  #statusOf(error: unknown): Status {
    if (error instanceof ApiError || error instanceof AnswerTooLarge) return error.status
    if (error instanceof ServerUnreachable)
      return failure(503, 'ServiceUnavailable', 'the API server cannot be asked now, please try again', {
        retryAfterSeconds: 1,
      }).status
    if (error instanceof AdvisingError) return badRequest(`${error.message}: ${error.advice}`).status
    this.#options.logger.error({ error }, 'the dashboard failed to answer')
    return internalError('the dashboard failed to answer').status
  }
}

/** Paths are compared as they are sent: nothing is decoded, and nothing leads up. Throws 404. */
function endpointAt(path: string): Endpoint {
  const endpoint = Object.hasOwn(ENDPOINTS, path) ? ENDPOINTS[path] : undefined
  if (endpoint !== undefined) return endpoint
  const namespace = NAMESPACE_PATH.exec(path)?.[1]
  if (namespace === undefined) throw failure(404, 'NotFound', 'there is nothing at this path')
  const respond = (question: Question) => namespaceView(question, namespace)
  return { method: 'GET', parameters: [], respond }
}

/** A form of another site cannot send this type without a question that the dashboard does not answer. */
function assertJson({ headers }: Exchange): void {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== JSON_TYPE) throw unsupportedMediaType([JSON_TYPE])
}
