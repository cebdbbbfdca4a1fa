import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Two ends of one connection within this process. */
export interface LocalPair {
  readonly outer: Socket
  readonly inner: Socket
}

const LOOPBACK = '127.0.0.1'
/** How long a connection may stay that nobody in this process waits for. */
const STRANGER_MS = 5000

/** Makes connections of this process to itself, over a port that opens with the first of them and serves nobody else. */
export class LocalPairs {
  #server: Promise<Server> | undefined
  /** By the port of the outer end. An inner end may arrive before the outer end knows its own port. */
  readonly #arrived = new Map<number, Socket>()
  readonly #awaited = new Map<number, (inner: Socket) => void>()
  readonly #strangerMs: number
  #isClosed = false

  constructor(strangerMs = STRANGER_MS) {
    this.#strangerMs = strangerMs
  }

  async open(): Promise<LocalPair> {
    if (this.#isClosed) throw new Error('no more pairs are made')
    this.#server ??= this.#listen()
    const server = await this.#server
    const { port } = server.address() as AddressInfo
    return await new Promise((resolve, reject) => {
      const outer = connect({ host: LOOPBACK, port, noDelay: true, allowHalfOpen: true })
      let own: number | undefined
      outer.on('error', reject)
      outer.once('close', () => {
        if (own !== undefined) this.#awaited.delete(own)
        reject(new Error('the connection has ended'))
      })
      outer.once('connect', () => {
        own = outer.localPort ?? 0
        const found = (inner: Socket): void => resolve({ outer, inner: inner.setTimeout(0) })
        const inner = this.#arrived.get(own)
        if (inner === undefined) this.#awaited.set(own, found)
        else {
          this.#arrived.delete(own)
          found(inner)
        }
      })
    })
  }

  /** Opens no more; what is open stays. */
  close(): void {
    this.#isClosed = true
    void this.#server?.then(
      (server) => server.close(),
      () => undefined,
    )
  }

  #listen(): Promise<Server> {
    const server = createServer({ noDelay: true, allowHalfOpen: true }, (inner) => this.#take(inner))
    return new Promise((resolve, reject) => {
      server.once('error', (error) => {
        this.#server = undefined
        reject(error)
      })
      server.listen({ host: LOOPBACK, port: 0, backlog: 4096 }, () => {
        if (this.#isClosed) server.close()
        resolve(server)
      })
    })
  }

  #take(inner: Socket): void {
    const port = inner.remotePort ?? 0
    inner.on('error', () => inner.destroy())
    const found = this.#awaited.get(port)
    if (found !== undefined) {
      this.#awaited.delete(port)
      return found(inner)
    }
    this.#arrived.set(port, inner)
    inner.setTimeout(this.#strangerMs, () => {
      if (this.#arrived.get(port) === inner) inner.destroy()
    })
    inner.once('close', () => {
      if (this.#arrived.get(port) === inner) this.#arrived.delete(port)
    })
  }
}
