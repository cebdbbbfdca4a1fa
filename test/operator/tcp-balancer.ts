import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { PoolWorld } from './pool-objects.ts'

/** A Service that leads to a balancer, as one of a cluster leads to several Pods; it makes its namespace. */
export async function makeService(
  world: Pick<PoolWorld, 'create'>,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { port }: TcpBalancer,
): Promise<void> {
  const spec = { type: 'ExternalName', externalName: '127.0.0.1', ports: [{ port }] }
  await world.create('/api/v1/namespaces', { metadata: { name: namespace } })
  await world.create(`/api/v1/namespaces/${namespace}/services`, { metadata: { name }, spec })
}

/** Balances as a Service with several Pods does: it takes connections, and gives each to the next of its ports that takes it. */
export class TcpBalancer implements AsyncDisposable {
  readonly port: number
  /** On loopback. */
  ports: readonly number[] = []
  /** The addresses on loopback that connections come from where they lead to, one after the other, as from several API servers. */
  sources: readonly string[] = ['127.0.0.1']
  readonly #stop: () => Promise<void>
  readonly #join: Join
  readonly #open: Set<Socket>
  #next = 0
  #nextSource = 0

  private constructor(port: number, join: Join, open: Set<Socket>, stop: () => Promise<void>) {
    this.port = port
    this.#open = open
    this.#join = join
    this.#stop = stop
  }

  /** `join`: passes on what either end of a connection sends; left out: at once. */
  static async start(join: Join = pipeBoth): Promise<TcpBalancer> {
    const open = new Set<Socket>()
    const server = createServer((socket) => {
      open.add(socket)
      socket.on('close', () => open.delete(socket)).on('error', () => undefined)
      balancer.#forward(socket, balancer.ports.length)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const balancer = new TcpBalancer(port, join, open, async () => {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    })
    return balancer
  }

  #forward(socket: Socket, tries: number): void {
    const port = this.ports[this.#next++ % this.ports.length]
    if (port === undefined || tries === 0) return void socket.destroy()
    const localAddress = this.sources[this.#nextSource++ % this.sources.length]
    const onwards = connect({ port, host: '127.0.0.1', ...(localAddress === undefined ? {} : { localAddress }) })
    const tryNext = (): void => this.#forward(socket, tries - 1)
    onwards.once('error', tryNext)
    onwards.once('connect', () => {
      onwards.off('error', tryNext)
      this.#join(socket, onwards)
      socket.on('close', () => onwards.destroy())
      onwards.on('close', () => socket.destroy()).on('error', () => undefined)
    })
  }

  /** Ends all connections, so that later calls need others. Resolves when the clients have noticed: one that had not would lose its next call. */
  async end(): Promise<void> {
    await Promise.all(
      [...this.#open].map(
        (socket) =>
          new Promise<void>((resolve) => {
            socket.once('close', () => resolve())
            socket.end()
          }),
      ),
    )
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop()
  }
}

type Join = (socket: Socket, onwards: Socket) => void

function pipeBoth(socket: Socket, onwards: Socket): void {
  socket.pipe(onwards)
  onwards.pipe(socket)
}
