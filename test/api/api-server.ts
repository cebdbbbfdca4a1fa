import { afterAll, beforeAll } from 'vitest'
import { customVersion } from '../custom-version.ts'
import { type Answer, type InProcess, type InProcessOptions, startInProcess } from '../in-process.ts'

export const MERGE = { 'content-type': 'application/merge-patch+json' } as const
export const JSON_PATCH = { 'content-type': 'application/json-patch+json' } as const
export const STRATEGIC = { 'content-type': 'application/strategic-merge-patch+json' } as const
export const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' } as const
export const METADATA_ONLY = { accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io' } as const

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'

function require(wanted: number, status: number, body: unknown): void {
  if (status !== wanted) throw new Error(`answered with ${status} instead of ${wanted}: ${JSON.stringify(body)}`)
}

/** One line of a watch. */
export interface WatchEvent {
  readonly type: string
  readonly object: Answer['body']
}

export interface WatchStream extends AsyncDisposable {
  readonly status: number
  /** The next event; undefined when the server has ended the stream. */
  next(): Promise<WatchEvent | undefined>
  /** The next `count` events, as `TYPE name`; fewer when the stream ends. */
  lines(count: number): Promise<readonly string[]>
  /** All events until the server ends the stream. */
  rest(): Promise<readonly WatchEvent[]>
  close(): Promise<void>
}

/** A server for all tests of a file, and the requests that they have in common. */
export class ApiServer {
  #server: InProcess | undefined
  #namespaces = 0

  get running(): InProcess {
    if (this.#server === undefined) throw new Error('the server runs only during tests')
    return this.#server
  }

  async start(options: InProcessOptions): Promise<void> {
    this.#server = await startInProcess(options)
  }

  async stop(): Promise<void> {
    await this.#server?.stop()
    this.#server = undefined
  }

  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer> {
    return this.running.send(method, path, body, headers)
  }

  async get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer['body']> {
    const { status, body } = await this.send('GET', path, undefined, headers)
    require(200, status, body)
    return body
  }

  /** Creates and gives the object as it was answered; fails on anything but 201. */
  async create(path: string, object: unknown): Promise<Answer['body']> {
    const { status, body } = await this.send('POST', path, object)
    require(201, status, body)
    return body
  }

  async patch(
    path: string,
    patch: unknown,
    headers: Readonly<Record<string, string>> = MERGE,
  ): Promise<Answer['body']> {
    const { status, body } = await this.send('PATCH', path, patch, headers)
    require(200, status, body)
    return body
  }

  until(path: string, test: (body: Answer['body']) => boolean): Promise<Answer['body']> {
    return this.running.until(path, test)
  }

  /** A new namespace that has what every namespace has; gives the path of it. */
  async namespace(labels?: Readonly<Record<string, string>>): Promise<string> {
    const name = `ns-${++this.#namespaces}`
    await this.create('/api/v1/namespaces', { metadata: { name, ...(labels === undefined ? {} : { labels }) } })
    const path = `/api/v1/namespaces/${name}`
    await this.until(`${path}/configmaps/kube-root-ca.crt`, ({ kind }) => kind === 'ConfigMap')
    return path
  }

  /** Defines a custom resource, namespaced and with one version by default. */
  async define(plural: string, spec: Readonly<Record<string, unknown>> = {}): Promise<Answer['body']> {
    const singular = plural.replace(/s$/, '')
    const kind = singular.charAt(0).toUpperCase() + singular.slice(1)
    return await this.create(DEFINITIONS, {
      metadata: { name: `${plural}.harbour.test` },
      spec: {
        group: 'harbour.test',
        names: { plural, singular, kind, listKind: `${kind}List` },
        scope: 'Namespaced',
        versions: [customVersion('v1')],
        ...spec,
      },
    })
  }

  async watch(path: string, headers: Readonly<Record<string, string>> = {}): Promise<WatchStream> {
    const abort = new AbortController()
    const { url, token } = this.running
    const response = await fetch(url + path, {
      headers: { authorization: `Bearer ${token}`, ...headers },
      signal: abort.signal,
    })
    const lines = linesOf(response)
    const next: WatchStream['next'] = async () => {
      const { done, value } = await lines.next()
      return done === true ? undefined : (JSON.parse(value) as WatchEvent)
    }
    const close = async (): Promise<void> => abort.abort()
    return {
      status: response.status,
      next,
      lines: async (count) => {
        const seen: string[] = []
        while (seen.length < count) {
          const event = await next()
          if (event === undefined) break
          seen.push(`${event.type} ${event.object.metadata.name ?? ''}`)
        }
        return seen
      },
      rest: async () => {
        const events: WatchEvent[] = []
        for (let event = await next(); event !== undefined; event = await next()) events.push(event)
        return events
      },
      close,
      [Symbol.asyncDispose]: close,
    }
  }
}

/** Starts a server before the tests of a file and stops it behind them. */
export function apiServer(options: InProcessOptions = {}): ApiServer {
  const server = new ApiServer()
  beforeAll(() => server.start(options))
  afterAll(() => server.stop())
  return server
}

/** A pod with one container, with these requests where given. */
export const pod = (
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
  requests?: Readonly<Record<string, string>>,
): unknown => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: {
    containers: [{ name: 'c', image: 'nginx:1', ...(requests === undefined ? {} : { resources: { requests } }) }],
    ...spec,
  },
})

export const configMap = (
  name: string,
  data: Readonly<Record<string, string>> = {},
  metadata: Readonly<Record<string, unknown>> = {},
): unknown => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

export const namesOf = (list: Answer['body']): readonly string[] =>
  list.items.map((item: Answer['body']) => item.metadata.name)

async function* linesOf(response: Response): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    yield* lines
  }
}
