import { request as forward } from 'node:https'
import { type RecordedRequest, requestsOf } from './recorded-requests.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { TlsServer } from '../../kube/tls-server.ts'

/** A write that an API server took. */
export interface RecordedWrite {
  readonly method: string
  /** `<plural>`, with the subresource behind it. */
  readonly resource: string
  /** Empty outside namespaces. */
  readonly namespace: string
  readonly name: string
}

const PATH = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/))?\/([a-z]+)(?:\/([^/]+)(?:\/([a-z]+))?)?$/

/**
 * An HTTPS proxy in front of an API server, which keeps what a client asks and writes through it. Dry runs and reviews are no writes.
 * It keeps the messages of refusals for want of a permission apart.
 */
export class RecordingProxy implements AsyncDisposable {
  readonly writes: RecordedWrite[] = []
  readonly refusals: string[] = []
  readonly #asked = new Map<string, RecordedRequest>()
  readonly #server: TlsServer
  readonly #target: URL

  static async before(url: string): Promise<RecordingProxy> {
    const server = await TlsServer.start(() => undefined)
    const proxy = new RecordingProxy(server, new URL(url))
    server.handle = (request, response, body) => proxy.#handle(request, response, body)
    return proxy
  }

  private constructor(server: TlsServer, target: URL) {
    this.#server = server
    this.#target = target
  }

  /** Each kind of request once. */
  get asked(): readonly RecordedRequest[] {
    return [...this.#asked.values()]
  }

  get url(): string {
    return this.#server.url
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#server[Symbol.asyncDispose]()
  }

  #handle(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { method = '', url = '', headers } = request
    const { hostname, port } = this.#target
    const onward = forward({ host: hostname, port, method, path: url, headers, rejectUnauthorized: false }, (back) => {
      const code = back.statusCode ?? 500
      for (const one of requestsOf(method, new URL(url, this.#target), code === 201))
        this.#asked.set(JSON.stringify(one), one)
      if (code === 403) {
        void this.#refuse(back, response)
        return
      }
      if (code < 300) this.#keep(method, url, body)
      response.writeHead(back.statusCode ?? 500, back.headers)
      response.flushHeaders()
      back.on('error', () => response.socket?.destroy())
      back.pipe(response)
    })
    onward.on('error', () => response.socket?.destroy())
    response.on('close', () => onward.destroy())
    onward.end(body)
  }

  async #refuse(back: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(back)
    const text = body.toString()
    // Quotas and webhooks refuse with the same code.
    if (text.includes('" cannot ') || text.includes('\\" cannot ')) this.refusals.push(text)
    response.writeHead(403, back.headers)
    response.end(body)
  }

  #keep(method: string, url: string, body: string): void {
    const { pathname, searchParams } = new URL(url, this.#target)
    if (method === 'GET' || searchParams.has('dryRun') || pathname.endsWith('reviews')) return
    const [, namespace = '', plural = '', named, subresource] = PATH.exec(pathname) ?? []
    const name = named ?? nameIn(body)
    this.writes.push({
      method,
      namespace,
      name,
      resource: subresource === undefined ? plural : `${plural}/${subresource}`,
    })
  }
}

function nameIn(body: string): string {
  const { metadata } = JSON.parse(body) as { readonly metadata?: { readonly name?: string } }
  return metadata?.name ?? ''
}
