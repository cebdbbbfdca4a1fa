import { connect, type TLSSocket } from 'node:tls'

export interface RawAnswer {
  readonly code: number
  /** As it came, chunk sizes included where the server sends chunks. */
  readonly body: Buffer
}

interface Waiting {
  readonly resolve: (answer: RawAnswer) => void
  readonly reject: (error: Error) => void
}

const HEAD_END = '\r\n\r\n'
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/**
 * One keep-alive HTTP/1.1 connection over TLS that sends what it is given and only looks for the end of the answer: the
 * load must cost less than the server that it is put on, for both run on the same cores.
 */
export class RawConnection {
  readonly #socket: TLSSocket
  #received: Buffer | undefined
  #waiting: Waiting | undefined

  private constructor(socket: TLSSocket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  /** The certificate is not looked at: a benchmark talks to a server that it has started. */
  static open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
        socket.off('error', reject)
        resolve(new RawConnection(socket))
      })
      socket.once('error', reject)
    })
  }

  /** Sends one whole request; there must be none on the way. */
  send(request: string | Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk])
    this.#received = received
    const end = received.indexOf(HEAD_END)
    if (end < 0) return
    const head = received.toString('latin1', 0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    const from = end + HEAD_END.length
    const complete =
      length === undefined
        ? received.length - from >= LAST_CHUNK.length && received.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
        : received.length - from >= Number(length)
    if (!complete) return
    this.#received = undefined
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.resolve({ code: Number(head.slice(9, 12)), body: received.subarray(from) })
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error)
    this.#waiting = undefined
  }
}

/** The bytes of a request, body included. */
export function rawRequest(
  target: { readonly url: string; readonly token: string },
  method: string,
  path: string,
  body = '',
): string {
  const length =
    method === 'GET' ? '' : `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: ${new URL(target.url).host}\r\nauthorization: Bearer ${target.token}\r\naccept: application/json\r\n${length}\r\n${body}`
}
