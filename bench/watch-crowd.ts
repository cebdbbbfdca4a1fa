import { connect, type TLSSocket } from 'node:tls'
import type { Target } from './load.ts'
import { rawRequest } from './raw-connection.ts'

/** Many watches at once, each over a connection of its own. */
export interface WatchCrowd {
  /** For each watch the revisions of its events, in the order in which they came. */
  readonly seen: readonly (readonly number[])[]
  /** Resolves when each watch has received so many events, in the order of the watches; rejects when one ends before. */
  received(events: readonly number[]): Promise<void>
  close(): void
}

/** Opens a watch of each path, at most 50 at a time; resolves when all are answered. */
export async function watchCrowd(target: Target, paths: readonly string[]): Promise<WatchCrowd> {
  const watches: Watch[] = []
  for (let from = 0; from < paths.length; from += 50)
    watches.push(...(await Promise.all(paths.slice(from, from + 50).map((path) => Watch.open(target, path)))))
  return {
    seen: watches.map(({ revisions }) => revisions),
    received: async (events) => void (await Promise.all(watches.map((watch, n) => watch.received(events[n] ?? 0)))),
    close: () => watches.forEach((watch) => watch.close()),
  }
}

class Watch {
  readonly revisions: number[] = []
  readonly #socket: TLSSocket
  #rest = ''
  #ended = false
  #onChange: (() => void) | undefined

  private constructor(socket: TLSSocket) {
    this.#socket = socket
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => this.#take(text))
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      this.#ended = true
      this.#onChange?.()
    })
  }

  static open(target: Target, path: string): Promise<Watch> {
    const { hostname, port } = new URL(target.url)
    return new Promise((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
        socket.write(rawRequest(target, 'GET', path))
      })
      socket.once('error', reject)
      socket.once('data', (head: Buffer) => {
        socket.off('error', reject)
        if (!head.toString('latin1').startsWith('HTTP/1.1 200')) return reject(new Error(head.toString()))
        const watch = new Watch(socket)
        const end = head.indexOf('\r\n\r\n')
        watch.#take(head.toString('latin1', end + 4))
        return resolve(watch)
      })
    })
  }

  received(events: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onChange = () => {
        if (this.revisions.length >= events) resolve()
        else if (this.#ended) reject(new Error(`a watch ended after ${this.revisions.length} events`))
      }
      this.#onChange()
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Events are lines of JSON, which hold no line break; the lines between them tell the sizes of chunks. */
  #take(text: string): void {
    const lines = (this.#rest + text).split('\n')
    this.#rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('{"type":"')) continue
      this.revisions.push(Number(/"resourceVersion":"(\d+)"/.exec(line)?.[1] ?? NaN))
    }
    this.#onChange?.()
  }
}
