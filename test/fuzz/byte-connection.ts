import { connect, type TLSSocket } from 'node:tls'
import type { Place } from '../api-client.ts'

/** The bytes that came back over a connection until it ended. */
export interface RawReply {
  /** 0 when nothing was answered. */
  readonly code: number
  readonly head: string
  readonly body: string
}

/** A TLS connection whose bytes the test writes itself. */
export class RawConnection {
  readonly socket: TLSSocket
  readonly #chunks: Buffer[] = []
  readonly #ended: Promise<void>

  private constructor(socket: TLSSocket) {
    this.socket = socket
    socket.on('data', (chunk: Buffer) => this.#chunks.push(chunk))
    socket.on('error', () => undefined)
    this.#ended = new Promise((resolve) => {
      socket.on('end', resolve).on('close', resolve)
    })
  }

  static async open({ url, ca }: Place, protocol = 'http/1.1'): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), ca, ALPNProtocols: [protocol] })
    const connection = new RawConnection(socket)
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject)
      socket.once('close', () => reject(new Error('the connection ended before it was secure')))
    })
    return connection
  }

  write(data: string | Buffer): void {
    if (this.socket.writable) this.socket.write(data)
  }

  /** The bytes received until now. */
  get received(): string {
    return Buffer.concat(this.#chunks).toString()
  }

  /** Resolves when the server has ended the connection, or after `deadlineMs`. */
  async reply(deadlineMs = 5000): Promise<RawReply> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, deadlineMs)
    })
    await Promise.race([this.#ended, late])
    clearTimeout(timer)
    this.socket.destroy()
    const mark = this.received.indexOf('\r\n\r\n')
    const head = this.received.slice(0, Math.max(mark, 0))
    return {
      code: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
      head,
      body: mark < 0 ? '' : unchunked(head, this.received.slice(mark + 4)),
    }
  }
}

function unchunked(head: string, body: string): string {
  return /transfer-encoding: chunked/i.test(head) ? body.replaceAll(/(^|\r\n)[0-9a-f]+\r\n/gi, '') : body
}
