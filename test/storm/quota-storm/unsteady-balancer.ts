import type { Socket } from 'node:net'
import { TcpBalancer } from '../../operator/tcp-balancer.ts'
import type { SeededRandom } from '../../seeded-random.ts'

export interface UnsteadyRates {
  /** The part of what is sent, either way, with which its connection is cut before it arrives. */
  readonly cut: number
  /** The part of the answers that are held back, and for how many milliseconds. */
  readonly held: number
  readonly heldMs: number
}

/** A balancer that cuts connections and holds answers back for longer than anybody waits. */
export class UnsteadyBalancer implements AsyncDisposable {
  readonly #balancer: TcpBalancer
  readonly #random: SeededRandom
  readonly #rates: UnsteadyRates
  active = false
  cut = 0
  held = 0

  static async start(random: SeededRandom, rates: UnsteadyRates): Promise<UnsteadyBalancer> {
    const balancer: UnsteadyBalancer = new UnsteadyBalancer(
      await TcpBalancer.start((socket, onwards) => balancer.#join(socket, onwards)),
      random,
      rates,
    )
    return balancer
  }

  private constructor(balancer: TcpBalancer, random: SeededRandom, rates: UnsteadyRates) {
    this.#balancer = balancer
    this.#random = random
    this.#rates = rates
  }

  get port(): number {
    return this.#balancer.port
  }

  set ports(ports: readonly number[]) {
    this.#balancer.ports = ports
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#balancer[Symbol.asyncDispose]()
  }

  #join(socket: Socket, onwards: Socket): void {
    const { cut, held, heldMs } = this.#rates
    const pass = (from: Socket, to: Socket, heldPart: number): void => {
      from.on('data', (chunk: Buffer) => {
        if (this.active && this.#random.chance(cut)) {
          this.cut++
          socket.destroy()
          return
        }
        to.write(chunk)
        if (!this.active || !this.#random.chance(heldPart)) return
        // The next answer stays here, and the API server waits for it in vain.
        this.held++
        from.pause()
        setTimeout(() => from.resume(), heldMs).unref()
      })
    }
    pass(socket, onwards, 0)
    pass(onwards, socket, held)
  }
}
