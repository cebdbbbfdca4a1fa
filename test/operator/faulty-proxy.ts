import { request as forward } from 'node:https'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SeededRandom } from '../seeded-random.ts'
import { TlsServer } from '../kube/tls-server.ts'

/** The ways in which a request can fail. */
const WAYS = ['refused', 'unavailable', 'dropped', 'answer lost'] as const
/** When somebody strikes: the server never gets the write, or is at it, or has done it and its answer is lost. */
const MOMENTS = ['before', 'under way', 'after'] as const
/** A write of the work itself: not of Leases, Events, certificates and definitions, and no probe. */
const WORK = /^\/apis\/capsule\.clastix\.io\/|\/resourcequotas(?:[/?]|$)/

interface Strike {
  left: number
  readonly blow: (proxy: FaultyProxy) => void
}

export interface FaultRates {
  /** Of so many requests exactly one fails. */
  readonly oneIn: number
  /** After how many milliseconds a watch is cut, at most. */
  readonly watchMs: number
}

/** The failures, in all proxies together. */
export class Faults {
  readonly #random: SeededRandom
  readonly #rates: FaultRates
  #next: number
  #strike: Strike | undefined
  #isArmed = false
  /** Do requests fail, and are watches cut? */
  active = true
  requests = 0
  failed = 0
  cut = 0

  constructor(random: SeededRandom, rates: FaultRates) {
    this.#random = random
    this.#rates = rates
    this.#next = random.between(1, rates.oneIn)
  }

  /** Calls `blow` in the midst of the n-th write of the work from now, with the proxy that it came through. */
  strike(n: number, blow: (proxy: FaultyProxy) => void): void {
    this.#isArmed = true
    this.#strike = {
      left: n,
      blow: (proxy) => {
        this.#isArmed = false
        blow(proxy)
      },
    }
  }

  /** Is a blow still to come? */
  get isArmed(): boolean {
    return this.#isArmed
  }

  /** Which way this request fails, if it does. */
  wayOf(): (typeof WAYS)[number] | undefined {
    if (!this.active) return undefined
    this.requests++
    if (this.requests !== this.#next) return undefined
    const { oneIn } = this.#rates
    this.#next = Math.ceil(this.requests / oneIn) * oneIn + this.#random.between(1, oneIn)
    this.failed++
    return this.#random.pick(WAYS)
  }

  /** Whether it is in the midst of this request that somebody strikes: in which moment, and how. */
  blowAt({ method, url = '' }: IncomingMessage) {
    if (method === 'GET' || !WORK.test(url) || url.includes('dryRun=')) return undefined
    const strike = this.#strike
    if (strike === undefined || --strike.left > 0) return undefined
    this.#strike = undefined
    return { moment: this.#random.pick(MOMENTS), blow: strike.blow }
  }

  /** For how many milliseconds a watch lasts; undefined: as long as it does. */
  watchMs(): number | undefined {
    return this.active ? this.#random.next() * this.#rates.watchMs : undefined
  }
}

/** An HTTPS proxy in front of an API server, through which some requests fail and no watch lasts. */
export class FaultyProxy implements AsyncDisposable {
  readonly #server: TlsServer
  readonly #faults: Faults
  readonly #target: URL
  /** The watches that go on, with their paths. */
  readonly #watches = new Map<ServerResponse, string>()
  /** The paths whose requests wait, with what they wait for. */
  readonly #held = new Map<string, Promise<void>>()
  readonly #paths: string[] = []

  static async before(url: string, faults: Faults): Promise<FaultyProxy> {
    const server = await TlsServer.start(() => undefined)
    const proxy = new FaultyProxy(server, new URL(url), faults)
    server.handle = (request, response, body) => proxy.#handle(request, response, body)
    return proxy
  }

  private constructor(server: TlsServer, target: URL, faults: Faults) {
    this.#server = server
    this.#target = target
    this.#faults = faults
  }

  get url(): string {
    return this.#server.url
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server[Symbol.asyncDispose]()
  }

  /** Lets requests whose paths begin so wait until the result is called. */
  hold(path: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held.set(path, promise)
    return () => {
      this.#held.delete(path)
      resolve()
    }
  }

  /** Has a request with such a path come? */
  hasSeen(path: string): boolean {
    return this.#paths.some((one) => one.startsWith(path))
  }

  /** Cuts the connections of the watches whose paths begin so. */
  cutWatches(path: string): void {
    for (const [response, url] of this.#watches) if (url.startsWith(path)) response.socket?.destroy()
  }

  #handle(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { url = '' } = request
    this.#paths.push(url)
    const [held] = [...this.#held].filter(([path]) => url.startsWith(path))
    if (held === undefined) this.#pass(request, response, body)
    else void held[1].then(() => this.#pass(request, response, body))
  }

  #pass(request: IncomingMessage, response: ServerResponse, body: string): void {
    const struck = this.#faults.blowAt(request)
    if (struck !== undefined) return this.#beStruck(struck, request, response, body)
    const way = this.#faults.wayOf()
    if (way === 'refused') return answer(response, 500, 'InternalError')
    if (way === 'unavailable') return answer(response, 503, 'ServiceUnavailable')
    if (way === 'dropped') return void response.socket?.destroy()
    const onward = this.#forward(request, body, (back) => {
      if (way === 'answer lost') {
        response.socket?.destroy()
        return
      }
      response.writeHead(back.statusCode ?? 500, back.headers)
      // A watch has begun, although nothing happens yet.
      response.flushHeaders()
      back.on('error', () => response.socket?.destroy())
      back.pipe(response)
      if (request.url?.includes('watch=true') === true) this.#begins(response, request.url)
    })
    onward.on('error', () => response.socket?.destroy())
    response.on('close', () => onward.destroy())
  }

  /** Nobody gets an answer any more: the client or the server is gone. */
  #beStruck(
    { moment, blow }: NonNullable<ReturnType<Faults['blowAt']>>,
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
  ): void {
    let isOver = false
    const end = (): void => {
      if (!isOver) blow(this)
      isOver = true
      response.socket?.destroy()
    }
    if (moment === 'before') return end()
    const onward = this.#forward(request, body, (back) => {
      back.resume()
      end()
    })
    onward.on('error', end)
    if (moment === 'under way') onward.once('finish', end)
  }

  #forward({ method, url, headers }: IncomingMessage, body: string, answered: (back: IncomingMessage) => void) {
    const { hostname, port } = this.#target
    const onward = forward({ host: hostname, port, method, path: url, headers, rejectUnauthorized: false }, answered)
    onward.end(body)
    return onward
  }

  #begins(response: ServerResponse, url: string): void {
    this.#watches.set(response, url)
    response.once('close', () => this.#watches.delete(response))
    const ms = this.#faults.watchMs()
    if (ms === undefined) return
    const timer = setTimeout(() => {
      this.#faults.cut++
      response.socket?.destroy()
    }, ms)
    response.once('close', () => clearTimeout(timer))
  }
}

function answer(response: ServerResponse, code: number, reason: string): void {
  response.writeHead(code, { 'content-type': 'application/json' })
  response.end(
    JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'a fault',
      reason,
      code,
    }),
  )
}
