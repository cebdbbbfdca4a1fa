import type { Registry } from '@prometheus-io/client'
import type { Exchange } from './exchange.ts'
import { type HealthChecks, healthPage } from './health-page.ts'
import type { HttpServer } from './http-server.ts'
import { listen } from './listen.ts'
import type { Logger } from './logger.ts'

export interface ProbeOptions {
  readonly host: string
  /** `/metrics` is there; 0 takes a free port. */
  readonly metricsPort: number
  /** `/healthz`, `/livez` and `/readyz` are there; 0 takes a free port. It may be the same as for metrics. */
  readonly healthPort: number
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
const METRICS_FLAGS = { host: '--host', port: '--metrics-port' }
const HEALTH_FLAGS = { host: '--host', port: '--health-port' }

/** Tells Prometheus and the kubelet about the process, over plain HTTP. */
export class ProbeServer {
  readonly #servers: readonly HttpServer[]
  readonly metricsPort: number
  readonly healthPort: number

  private constructor(metrics: HttpServer, health: HttpServer) {
    this.#servers = metrics === health ? [metrics] : [metrics, health]
    this.metricsPort = metrics.port
    this.healthPort = health.port
  }

  /** Listens. Throws StartupError when a port cannot be had. */
  static async listen(options: ProbeOptions): Promise<ProbeServer> {
    const { host, metricsPort, healthPort, logger } = options
    const metrics = metricsPages(options)
    const health = healthPages(options)
    const open = (port: number, pages: Pages, flags: typeof METRICS_FLAGS): Promise<HttpServer> =>
      listen({ host, port, maxBodyBytes: 0, handle: (exchange) => serve(exchange, pages, logger) }, flags)
    if (metricsPort === healthPort && metricsPort !== 0) {
      const both = await open(metricsPort, { ...metrics, ...health }, METRICS_FLAGS)
      return new ProbeServer(both, both)
    }
    const first = await open(metricsPort, metrics, METRICS_FLAGS)
    try {
      return new ProbeServer(first, await open(healthPort, health, HEALTH_FLAGS))
    } catch (error) {
      await first.drain(0)
      throw error
    }
  }

  /** Lets requests finish for at most so long. */
  async stop(patienceMs: number): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.drain(patienceMs)))
  }
}

function metricsPages({ registry }: ProbeOptions): Pages {
  return {
    metrics: async (exchange, rest) =>
      rest === '' ? exchange.respond(200, registry.contentType, await registry.metrics()) : undefined,
  }
}

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
async function serve(exchange: Exchange, pages: Pages, logger: Logger): Promise<void> {
  const { method, path } = exchange
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
