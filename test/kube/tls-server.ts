import '../../src/runtime/certificate/reflect-metadata.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { makeAuthority, makeServerCertificate } from '../../src/runtime/certificate/certificates.ts'
import type { KeyPair } from '../../src/runtime/certificate/check.ts'

export type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void

export interface TlsServerOptions {
  /** Names on the certificate. */
  readonly names?: readonly string[]
  /** Ask for client certificates; whom they are from is looked at by the handler. */
  readonly requestCert?: boolean
}

/** An HTTPS server whose every answer the test decides. */
export class TlsServer implements AsyncDisposable {
  readonly authority: KeyPair
  /** The requests, `METHOD path`, in order. */
  readonly requests: string[] = []
  /** All connections that were ever made. */
  readonly sockets: Socket[] = []
  readonly #server: Server
  handle: Handler

  private constructor(server: Server, authority: KeyPair, handle: Handler) {
    this.#server = server
    this.authority = authority
    this.handle = handle
    server.on('secureConnection', (socket: TLSSocket) => this.sockets.push(socket))
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      this.requests.push(`${request.method} ${request.url}`)
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => this.handle(request, response, body))
    })
  }

  static async start(handle: Handler, { names = ['127.0.0.1'], requestCert = false }: TlsServerOptions = {}) {
    const authority = await makeAuthority(Date.now())
    const { certificate: cert, key } = await makeServerCertificate(authority, names, Date.now())
    const server = createServer({
      cert,
      key,
      requestCert,
      rejectUnauthorized: false,
      ca: authority.certificate,
      keepAliveTimeout: 60_000,
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    return new TlsServer(server, authority, handle)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`
  }

  get open(): number {
    return this.sockets.filter((socket) => !socket.destroyed).length
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    for (const socket of this.sockets) socket.destroy()
    await new Promise((resolve) => {
      this.#server.close(resolve)
    })
  }
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
