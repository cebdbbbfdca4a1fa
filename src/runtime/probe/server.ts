import type { Registry } from '@prometheus-io/client'
import type { KeyPair } from '../certificate/check.ts'
import type { Exchange } from '../http/exchange.ts'
import { type HealthChecks, healthPage } from './health-page.ts'
import type { HttpServer } from '../http/server.ts'
import { isKnownHost } from '../http/known-host.ts'
import { type AddressFlags, listen } from '../http/listen.ts'
import type { Logger } from '../process/logger.ts'

/** May a client read a page? `unknown`: the API server cannot be asked now. */
export type PageAccess = 'allowed' | 'unauthenticated' | 'forbidden' | 'unknown'

/** Where something listens, and by which flags that was given. */
export interface Listening {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly flags: AddressFlags
}

/** Where `/metrics` is, and its permitted readers. */
export interface MetricsListening extends Listening {
  /** Left out: everybody. */
  readonly access?: (authorization: string | undefined, path: string, signal: AbortSignal) => Promise<PageAccess>
  /** The certificate to present until `useCertificate` replaces it; by default plain HTTP. */
  readonly tls?: KeyPair
}

export interface ProbeOptions {
  readonly metrics: MetricsListening
  /** `/healthz`, `/livez` and `/readyz` are there. Both may be at the same port, unless metrics are served over TLS. */
  readonly health: Listening
  /** By which names, besides addresses, this machine is asked where only itself gets in; left out: `localhost`. */
  readonly names?: readonly string[]
  readonly registry: Registry
  /** Why the process should be killed, if it should; each check in memory and at once. */
  readonly live: HealthChecks
  /** Why nothing should be sent to the process now, if so. */
  readonly ready: HealthChecks
  readonly logger: Logger
}

type Page = (exchange: Exchange, rest: string) => void | Promise<void>
type Pages = Readonly<Record<string, Page>>

const TEXT = 'text/plain; charset=utf-8'
/** All readers of metrics share the unread bytes of one user. */
const SCRAPER = 'metrics'

/** Serves the metrics and probes of the process to Prometheus and the kubelet. */
export class ProbeServer {
  readonly #servers: readonly HttpServer[]
  readonly #secured: HttpServer | undefined
  readonly metricsPort: number
  readonly healthPort: number

  private constructor(metrics: HttpServer, health: HttpServer, secured: boolean) {
    this.#servers = metrics === health ? [metrics] : [metrics, health]
    this.#secured = secured ? metrics : undefined
    this.metricsPort = metrics.port
    this.healthPort = health.port
  }

  /** Listens. Throws StartupError when a port cannot be had. */
  static async listen(options: ProbeOptions): Promise<ProbeServer> {
    const { metrics, health, names = [], logger } = options
    const authenticates = metrics.access !== undefined
    const open = ({ host, port, flags }: Listening, pages: Pages, tls?: KeyPair): Promise<HttpServer> =>
      listen(
        {
          host,
          port,
          maxBodyBytes: 0,
          authenticates: authenticates && Object.hasOwn(pages, 'metrics'),
          ...(tls === undefined ? {} : { tls: { key: tls.key, cert: tls.certificate }, http1Only: true }),
          handle: (exchange) => serve(exchange, pages, logger, isKnownHost(host, names, exchange.headers.host)),
        },
        flags,
      )
    const { tls } = metrics
    const isOne = metrics.port === health.port && metrics.host === health.host && metrics.port !== 0
    if (isOne && tls === undefined) {
      const both = await open(metrics, { ...metricsPages(options), ...healthPages(options) })
      return new ProbeServer(both, both, false)
    }
    const first = await open(metrics, metricsPages(options), tls)
    try {
      return new ProbeServer(first, await open(health, healthPages(options)), tls !== undefined)
    } catch (error) {
      await first.drain(0)
      throw error
    }
  }

  /** Presents another certificate to readers of the metrics from now on; nothing when they are served without one. */
  useCertificate({ certificate, key }: KeyPair): void {
    this.#secured?.useCertificate({ cert: certificate, key })
  }

  /** Lets requests finish for at most so long. */
  async stop(timeoutMs: number): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.drain(timeoutMs)))
  }
}

function metricsPages({ registry, metrics: { access } }: ProbeOptions): Pages {
  return {
    metrics: async (exchange, rest) => {
      if (rest !== '') return
      const { authorization } = exchange.headers
      const verdict = (await access?.(authorization, '/metrics', exchange.closed)) ?? 'allowed'
      if (verdict === 'allowed') {
        if (access !== undefined) exchange.admit(SCRAPER)
        return exchange.respond(200, registry.contentType, await registry.metrics())
      }
      const { code, text, headers } = DENIED[verdict]
      exchange.respond(code, TEXT, text, headers)
    },
  }
}

const DENIED = {
  unauthenticated: {
    code: 401,
    text: 'metrics are only for clients that the API server authenticates: send a bearer token\n',
    headers: { 'www-authenticate': 'Bearer' },
  },
  forbidden: { code: 403, text: 'no role allows you to get /metrics\n', headers: {} },
  unknown: {
    code: 503,
    text: 'the API server cannot be asked who you are, please try again\n',
    headers: { 'retry-after': '1' },
  },
} as const

function healthPages({ live, ready }: ProbeOptions): Pages {
  const page =
    (name: string, checks: HealthChecks): Page =>
    (exchange, rest) => {
      const answer = healthPage(name, checks, rest, exchange.query)
      if (answer !== undefined) exchange.respond(answer.code, TEXT, answer.text)
    }
  return { healthz: page('healthz', live), livez: page('livez', live), readyz: page('readyz', ready) }
}

/** Never rejects. A page that answers nothing is not there. */
async function serve(exchange: Exchange, pages: Pages, logger: Logger, isKnown: boolean): Promise<void> {
  const { method, path } = exchange
  if (!isKnown) return exchange.respond(403, TEXT, 'this host is not known here\n')
  const [first = '', ...rest] = path.split('/').filter((part) => part !== '')
  try {
    if (method !== 'GET' && method !== 'HEAD')
      return exchange.respond(405, TEXT, 'only GET and HEAD\n', { allow: 'GET, HEAD' })
    if (Object.hasOwn(pages, first)) await pages[first]?.(exchange, rest.join('/'))
    const there = Object.keys(pages).map((page) => `/${page}`)
    exchange.respond(404, TEXT, `there is nothing at ${path}, only at ${there.join(', ')}\n`)
  } catch (error) {
    logger.error({ error, path }, 'a probe was not answered')
    exchange.respond(500, TEXT, 'internal error\n')
  }
}
