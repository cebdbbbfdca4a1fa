import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ControlPlane } from '../src/apiserver/control-plane.ts'
import type { StartWorkloads } from '../src/apiserver/port/workload-port.ts'
import { startWorkloads } from '../src/apiserver/workload/workloads.ts'
import { HttpServer, type TlsTexts } from '../src/runtime/http/server.ts'
import { createLogger } from '../src/runtime/process/logger.ts'
import type { RequestDeadlines } from '../src/runtime/time/request-deadlines.ts'
import { Metrics } from '../src/runtime/process/metrics.ts'
import { Store, type StoreLocation, type StoreOptions } from '../src/store/store.ts'
import { eventually } from './eventually.ts'

const read = (name: string): unknown => JSON.parse(readFileSync(new URL(`../schemas/${name}`, import.meta.url), 'utf8'))
const data = {
  definitions: read('kubernetes-1.36-definitions.json'),
  resources: read('kubernetes-1.36-resources.json'),
  openapiMessages: read('openapi-v2-protobuf.json'),
  protobuf: read('kubernetes-1.36-protobuf.json'),
}

export interface Answer {
  readonly status: number
  // The body of an answer can be anything; tests examine it and fail when it is something else.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  readonly headers: Headers
}

export interface InProcess {
  readonly url: string
  /** The same server over TLS, where HTTP/2 is spoken; only with `tls`. */
  readonly secureUrl: string | undefined
  /** The administrator's. */
  readonly token: string
  readonly store: Store
  /** The errors that it has logged so far. */
  readonly complaints: readonly string[]
  /** How many wrong usages the regular count has found. */
  readonly drifts: () => Promise<number>
  /** Sends JSON as the administrator and reads the answer. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  /** Repeats a GET until the answer satisfies `test`; fails after a while with the last answer. */
  until(path: string, test: (body: Answer['body']) => boolean): Promise<Answer['body']>
  stop(): Promise<void>
}

export interface InProcessOptions {
  readonly location?: StoreLocation
  readonly store?: StoreOptions
  /** Milliseconds since the epoch; default: the real time. */
  readonly now?: () => number
  readonly random?: () => number
  readonly eventLifeSeconds?: number
  /** Host and port that the server says of itself; default: none. */
  readonly serverAddress?: string
  /** Counts the time of requests; default: the real time. */
  readonly deadlines?: RequestDeadlines
  /** Run the workload controllers and a simulated node, or what starts them instead; default: no. */
  readonly workloads?: boolean | StartWorkloads
  /** Serve over TLS, and so over HTTP/2, besides. */
  readonly tls?: TlsTexts
}

const TOKEN = 'in-process-administrator'

/** The control plane behind a plain HTTP server in this very process: for tests that need its insides or another clock. */
export async function startInProcess(options: InProcessOptions = {}): Promise<InProcess> {
  const store = await Store.open(options.location ?? { memory: true }, { freeze: true, ...options.store })
  const complaints: string[] = []
  const metrics = new Metrics()
  const plane = await ControlPlane.start({
    store,
    data,
    adminToken: TOKEN,
    caCertificate: 'certificate',
    logger: createLogger('error', { write: (line) => void complaints.push(line) }),
    metrics,
    serverContext: { now: options.now ?? Date.now, uuid: randomUUID, random: options.random ?? Math.random },
    workloads: workloadsOf(options.workloads),
    ...(options.deadlines === undefined ? {} : { deadlines: options.deadlines }),
    ...(options.serverAddress === undefined ? {} : { serverAddress: options.serverAddress }),
    ...(options.eventLifeSeconds === undefined ? {} : { eventLifeSeconds: options.eventLifeSeconds }),
  })
  const listen = (tls: { readonly tls?: TlsTexts }): Promise<HttpServer> =>
    HttpServer.listen({
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 3 * 1024 * 1024,
      handle: (exchange) => plane.handle(exchange),
      ...tls,
    })
  const server = await listen({})
  const secure = options.tls === undefined ? undefined : await listen({ tls: options.tls })
  const url = `http://127.0.0.1:${server.port}`
  const send: InProcess['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    let read: { readonly value: unknown } | undefined
    return {
      status: response.status,
      headers: response.headers,
      // Read when a test looks at it: where the time of requests is measured, that of their client is not to count.
      get body() {
        read ??= { value: parsed(text) }
        return read.value
      },
    }
  }
  return {
    url,
    secureUrl: secure === undefined ? undefined : `https://127.0.0.1:${secure.port}`,
    token: TOKEN,
    store,
    complaints,
    drifts: async () => Number(/^allot_quota_drift_total (\d+)$/m.exec(await metrics.text())?.[1]),
    send,
    until: (path, test) => eventually(async () => (await send('GET', path)).body, test, { everyMs: 5, what: path }),
    stop: async () => {
      await Promise.all([server.drain(1000), secure?.drain(1000)])
      await plane.stop()
      await store.close()
    },
  }
}

const workloadsOf = (chosen: boolean | StartWorkloads = false): StartWorkloads | undefined =>
  typeof chosen === 'boolean' ? (chosen ? startWorkloads : undefined) : chosen

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
