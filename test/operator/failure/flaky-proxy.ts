import type { Socket } from 'node:net'
import { TcpBalancer } from '../tcp-balancer.ts'

/** Before an API server: passes on what is sent, delays it, or cuts its connections over and over. */
export class FlakyProxy implements AsyncDisposable {
  readonly #balancer: TcpBalancer
  readonly #open = new Set<Socket>()
  /** Everything that is sent arrives so much later, either way. */
  delayMs = 0

  private constructor(balancer: TcpBalancer) {
    this.#balancer = balancer
  }

  static async before(url: string): Promise<FlakyProxy> {
    const proxy: FlakyProxy = new FlakyProxy(await TcpBalancer.start((socket, onwards) => proxy.#join(socket, onwards)))
    proxy.#balancer.ports = [Number(new URL(url).port)]
    return proxy
  }

  get url(): string {
    return `https://127.0.0.1:${this.#balancer.port}`
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#open) socket.destroy()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#balancer[Symbol.asyncDispose]()
  }

  #join(socket: Socket, onwards: Socket): void {
    this.#open.add(socket)
    socket.on('close', () => this.#open.delete(socket))
    this.#pass(socket, onwards)
    this.#pass(onwards, socket)
  }

  #pass(from: Socket, to: Socket): void {
    let arrived = Promise.resolve()
    from.on('data', (chunk: Buffer) => {
      const due = performance.now() + this.delayMs
      arrived = arrived.then(async () => {
        const left = due - performance.now()
        if (left > 0) await new Promise((resolve) => setTimeout(resolve, left))
        if (!to.destroyed) to.write(chunk)
      })
    })
  }
}
