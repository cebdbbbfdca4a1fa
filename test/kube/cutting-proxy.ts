import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net'

/** A TCP proxy in front of a server, that loses connections when asked to. */
export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #cutting: NodeJS.Timeout | undefined
  /** While it is set, connections are accepted and closed without an answer. */
  refusing = false
  cuts = 0

  static async before(url: string): Promise<CuttingProxy> {
    const { hostname, port } = new URL(url)
    const proxy: CuttingProxy = new CuttingProxy((client) => proxy.#join(client, connect(Number(port), hostname)))
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  private constructor(accept: (client: Socket) => void) {
    this.#server = createServer(accept)
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** Ends every connection that is open now, in the middle of whatever it carries. */
  cut(chance = 1, random: () => number = Math.random): void {
    for (const socket of this.#sockets)
      if (random() < chance) {
        this.cuts++
        socket.resetAndDestroy()
      }
  }

  /** From now on each connection has a chance of being cut, every so many milliseconds. */
  cutAtRandom(everyMs: number, chance: number, random: () => number): void {
    this.#cutting = setInterval(() => this.cut(chance, random), everyMs)
  }

  leaveInPeace(): void {
    clearInterval(this.#cutting)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.leaveInPeace()
    this.refusing = true
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(client: Socket, server: Socket): void {
    if (this.refusing) {
      server.destroy()
      client.resetAndDestroy()
      return
    }
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        this.#sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  }
}
