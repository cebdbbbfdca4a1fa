import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Place } from '../api-client.ts'

/** The memory of the process for everything except the connections of a crowd. */
const RESERVED = 1000
/** Handshakes that are under way at the same time. */
const AT_ONCE = 64

/** So many connections may a process have here, at most `wanted`. Node has raised its limit to the hard one already. */
export function mostConnections(wanted: number): number {
  const limit = /^Max open files\s+\d+\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
  return Math.min(wanted, limit === undefined || limit === 'unlimited' ? wanted : Number(limit) - RESERVED)
}

/** Connections that are opened and then say nothing. */
export class Crowd {
  readonly #sockets: readonly Socket[]

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets
  }

  /**
   * With TLS, as clients keep them between requests: each has asked for something with its token. Sessions are taken up again,
   * which spares both sides work.
   */
  static async tls({ url, ca, token }: Place, count: number): Promise<Crowd> {
    const { hostname: host, port } = new URL(url)
    let session: Buffer | undefined
    return await Crowd.#gather(count, () => {
      const socket = connectTls({
        host,
        port: Number(port),
        ca,
        ALPNProtocols: ['http/1.1'],
        ...(session === undefined ? {} : { session }),
      })
      socket.once('session', (ticket: Buffer) => (session = ticket))
      socket.write(`GET /livez HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      return [socket, 'data']
    })
  }

  /** Without a handshake. */
  static async tcp({ url }: Place, count: number): Promise<Crowd> {
    const { hostname: host, port } = new URL(url)
    return await Crowd.#gather(count, () => [connectTcp(Number(port), host), 'connect'])
  }

  static async #gather(count: number, open: () => readonly [Socket, string]): Promise<Crowd> {
    const sockets: Socket[] = []
    let left = count
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        const [socket, event] = open()
        sockets.push(socket)
        await new Promise<void>((resolve, reject) => {
          socket.once(event, () => resolve()).once('error', reject)
        })
        socket.on('error', () => undefined).resume()
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    return new Crowd(sockets)
  }

  /** How many are still open. */
  get size(): number {
    return this.#sockets.filter((socket) => !socket.destroyed && socket.readyState === 'open').length
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}

/** A connection takes 1,000 streams at a time. */
const WATCHES_EACH = 500

/** Watches of one client, over a few connections of HTTP/2. */
export class Watches {
  readonly #sessions: readonly ClientHttp2Session[]
  readonly #texts: ReadonlyMap<ClientHttp2Stream, { text: string }>

  private constructor(sessions: readonly ClientHttp2Session[], streams: readonly ClientHttp2Stream[]) {
    this.#sessions = sessions
    this.#texts = new Map(streams.map((stream) => [stream, { text: '' }]))
    for (const [stream, read] of this.#texts)
      stream.setEncoding('utf8').on('data', (text: string) => (read.text += text))
  }

  /** Resolves when all of them have begun. `path`: with the query. */
  static async open({ url, ca, token }: Place, path: string, count: number): Promise<Watches> {
    const sessions = Array.from({ length: Math.ceil(count / WATCHES_EACH) }, () => connectHttp2(url, { ca }))
    const streams = sessions.flatMap((session, at) => {
      session.on('error', () => undefined)
      return Array.from({ length: Math.min(WATCHES_EACH, count - at * WATCHES_EACH) }, () =>
        session.request({ ':path': path, authorization: `Bearer ${token}` }).on('error', () => undefined),
      )
    })
    await Promise.all(
      streams.map(async (stream) => {
        const [{ ':status': status }] = (await once(stream, 'response')) as [{ ':status': number }]
        if (status !== 200) throw new Error(`a watch was answered with ${status}`)
      }),
    )
    return new Watches(sessions, streams)
  }

  /** How many are still open. */
  get size(): number {
    return [...this.#texts.keys()].filter((stream) => !stream.closed).length
  }

  /** How many have sent this text. */
  seen(text: string): number {
    return [...this.#texts.values()].filter((read) => read.text.includes(text)).length
  }

  leave(): void {
    for (const session of this.#sessions) session.destroy()
  }
}
