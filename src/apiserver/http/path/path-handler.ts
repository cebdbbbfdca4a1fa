import { createHash } from 'node:crypto'
import { failure } from '../../../machinery/status.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import { healthPage } from '../../../runtime/probe/health-page.ts'
import type { PathAction } from '../../auth/request/action.ts'
import { createDiscovery, type Discovery } from '../../discovery/discovery.ts'
import { type OpenApi, openApiFactory } from '../../openapi/openapi.ts'
import type { Registry } from '../../resource/registry.ts'
import type { ServedResource } from '../../resource/served-resource.ts'
import { answerValue } from '../answer/answer.ts'
import { answerOpenApi } from './openapi-handler.ts'
import { PathNotFound } from '../answer/path-not-found.ts'
import { unknownResource } from '../request/builtin-request.ts'

export interface PathOptions {
  readonly registry: Registry
  readonly definitions: Readonly<Record<string, object>>
  readonly openApiMessages: Readonly<Record<string, unknown>>
  readonly serverAddress: string
  /** The checks of readiness, by name; `/readyz` is ok when all pass. */
  readonly checks: Readonly<Record<string, () => boolean | string>>
  readonly metrics: { readonly contentType: string; readonly text: () => Promise<string> }
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

export const VERSION = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0+allot',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
} as const

const READS: ReadonlySet<string> = new Set(['get', 'head'])
/** Pages with nothing below them: a caller that may read what is below one must not get the page itself. */
const ALONE: ReadonlyMap<string, readonly string[]> = new Map([
  ['version', ['/version', '/version/']],
  ['metrics', ['/metrics']],
])

type Page = (exchange: Exchange, rest: string) => void | Promise<void>

/** Answers paths that are not resources: health, version, metrics, discovery and OpenAPI. */
export class PathHandler {
  readonly #options: PathOptions
  readonly #openApiOf: (resources: readonly ServedResource[]) => OpenApi
  readonly #pages: Readonly<Record<string, Page>>
  #documents: { readonly generation: number; readonly discovery: Discovery; readonly openApi: OpenApi } | undefined

  constructor(options: PathOptions) {
    this.#options = options
    this.#openApiOf = openApiFactory({
      definitions: options.definitions as never,
      messages: options.openApiMessages,
      version: VERSION.gitVersion,
      hash,
    })
    this.#pages = {
      '': (exchange) => answerValue(exchange, 200, { paths: this.#paths() }),
      livez: (exchange, rest) => this.#health(exchange, 'livez', rest, { ping: () => true }),
      healthz: (exchange, rest) => this.#health(exchange, 'healthz', rest, options.checks),
      readyz: (exchange, rest) => this.#health(exchange, 'readyz', rest, options.checks),
      version: (exchange) => answerValue(exchange, 200, VERSION),
      metrics: async (exchange) => exchange.respond(200, options.metrics.contentType, await options.metrics.text()),
      api: (exchange, rest) => this.#discovery(exchange, 'api', rest),
      apis: (exchange, rest) => this.#discovery(exchange, 'apis', rest),
      openapi: (exchange, rest) => answerOpenApi(exchange, this.#current().openApi, rest, options.now()),
    }
  }

  /** Answers an action that the authorizer has allowed. Throws PathNotFound, and 405 for anything but reading. */
  async handle(exchange: Exchange, { path, verb }: PathAction): Promise<void> {
    if (path.startsWith('//')) return this.#unknown(exchange)
    const [first = '', ...rest] = path.split('/').filter((part) => part !== '')
    if (path.includes('//') && first.startsWith('api')) throw unknownResource()
    const page = Object.hasOwn(this.#pages, first) ? this.#pages[first] : undefined
    if (page === undefined || ALONE.get(first)?.includes(path) === false) return this.#unknown(exchange)
    if (!READS.has(verb))
      throw failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {})
    await page(exchange, rest.join('/'))
  }

  /** Answers an unknown path with the list of existing ones. */
  #unknown(exchange: Exchange): void {
    answerValue(exchange, 404, { paths: this.#paths() })
  }

  #health(exchange: Exchange, name: string, rest: string, checks: PathOptions['checks']): void {
    const results = Object.entries(checks).map(([check, passes]) => [check, () => reasonOf(passes())] as const)
    const page = healthPage(name, Object.fromEntries(results), rest, exchange.query)
    if (page === undefined) {
      // Anybody may ask for health, and a stranger must not learn from it what is served.
      if (!exchange.isAdmitted) throw new PathNotFound()
      this.#unknown(exchange)
    } else exchange.respond(page.code, 'text/plain; charset=utf-8', page.text)
  }

  #discovery(exchange: Exchange, root: 'api' | 'apis', rest: string): void {
    const { discovery } = this.#current()
    const { accept } = exchange.headers
    const [first, second, ...more] = rest.split('/')
    const answer =
      more.length > 0
        ? undefined
        : first === '' || first === undefined
          ? discovery[root](accept)
          : root === 'api'
            ? second === undefined
              ? discovery.version('', first)
              : undefined
            : second === undefined
              ? discovery.group(first)
              : discovery.version(first, second)
    if (answer === undefined) {
      const builtin = root === 'api' || this.#options.registry.hasBuiltinGroup(first ?? '')
      throw builtin ? unknownResource() : new PathNotFound()
    }
    const headers = { vary: 'Accept', ...(answer.etag === undefined ? {} : { etag: answer.etag }) }
    if (answer.etag !== undefined && exchange.headers['if-none-match'] === answer.etag)
      return exchange.respond(304, answer.contentType, '', headers)
    exchange.respond(200, answer.contentType, answer.body, headers)
  }

  /** The documents of what is served now, made anew when that has changed. */
  #current(): { readonly discovery: Discovery; readonly openApi: OpenApi } {
    const { registry, serverAddress } = this.#options
    if (this.#documents?.generation === registry.generation) return this.#documents
    const resources = registry.all().map(({ served }) => served)
    this.#documents = {
      generation: registry.generation,
      discovery: createDiscovery({ resources, serverAddress, hash }),
      openApi: this.#openApiOf(resources),
    }
    return this.#documents
  }

  #paths(): readonly string[] {
    const versions = this.#options.registry
      .all()
      .map(({ served }) => (served.group === '' ? `/api/${served.version}` : `/apis/${served.group}/${served.version}`))
    const groups = this.#options.registry
      .all()
      .filter(({ served }) => served.group !== '')
      .map(({ served }) => `/apis/${served.group}`)
    return [
      ...new Set([
        '/api',
        '/apis',
        ...groups,
        ...versions,
        '/healthz',
        '/livez',
        '/metrics',
        '/openapi/v2',
        '/openapi/v3',
        '/readyz',
        '/version',
      ]),
    ].toSorted()
  }
}

const hash = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex').toUpperCase()

/** A check passes (true), or fails with a reason that anyone may read, or with none. */
function reasonOf(answer: boolean | string): string | undefined {
  if (answer === true) return undefined
  return answer === false ? 'reason withheld' : answer
}
