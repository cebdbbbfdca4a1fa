import { type Faults, FaultyProxy } from '../../operator/faulty-proxy.ts'
import { type BareServer, type OperatorProcess, SHORT_LEASE, startOperator } from '../../operator/operated.ts'
import { kubeconfigFor } from '../../operator/replicas.ts'
import { freePort } from '../../free-ports.ts'
import type { SeededRandom } from '../../seeded-random.ts'
import type { UnsteadyBalancer } from './unsteady-balancer.ts'

/** A replica that reaches its API server through a proxy of its own. */
interface Replica {
  readonly proxy: FaultyProxy
  readonly operator: OperatorProcess
  readonly port: number
}

export interface StormReplicasOptions {
  readonly random: SeededRandom
  readonly faults: Faults
  readonly balancer: UnsteadyBalancer
  /** The API server's. */
  readonly requestTimeoutMs: number
}

/** Replicas of the operator behind one balancer, which are killed and started again. */
export class StormReplicas implements AsyncDisposable {
  readonly #server: BareServer
  readonly #options: StormReplicasOptions
  #running: readonly Replica[] = []
  readonly #killed = new WeakSet<Replica>()
  /** The logs of replicas that ended although the test did not kill them. */
  readonly ended: string[] = []
  kills = 0

  static async start(server: BareServer, count: number, options: StormReplicasOptions): Promise<StormReplicas> {
    const replicas = new StormReplicas(server, options)
    for (let index = 0; index < count; index++) await replicas.#start()
    return replicas
  }

  private constructor(server: BareServer, options: StormReplicasOptions) {
    this.#server = server
    this.#options = options
  }

  /** Kills one of them in the midst of whatever it does, and starts another; resolves when that is ready. */
  async replaceOne(): Promise<void> {
    const replica = this.#options.random.pick(this.#running)
    this.kills++
    await this.#end(replica)
    await this.#start()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map((replica) => this.#end(replica)))
  }

  async #end(replica: Replica): Promise<void> {
    this.#killed.add(replica)
    this.#running = this.#running.filter((one) => one !== replica)
    // The signal is sent before anything is awaited. The balancer finds out as a Service does: nobody answers.
    const killed = replica.operator.kill9()
    await killed
    this.#show()
    await replica.proxy[Symbol.asyncDispose]()
  }

  async #start(): Promise<void> {
    const { faults, balancer, requestTimeoutMs } = this.#options
    const proxy = await FaultyProxy.before(this.#server.url, faults)
    const port = await freePort()
    // One that starts is ready only when it is asked.
    this.#show(port)
    const operator = await startOperator(kubeconfigFor(proxy.url, this.#server.token), [
      ...SHORT_LEASE,
      `--apiserver-request-timeout=${requestTimeoutMs}ms`,
      `--webhook-url=https://127.0.0.1:${balancer.port}`,
      `--webhook-port=${port}`,
      '--log-level=error',
    ])
    const replica = { proxy, operator, port }
    this.#running = [...this.#running, replica]
    this.#show()
    void operator.exited.then((code) => {
      if (!this.#killed.has(replica)) this.ended.push(`ended with ${code}: ${operator.logs()}`)
    })
  }

  #show(...starting: readonly number[]): void {
    this.#options.balancer.ports = [...this.#running.map(({ port }) => port), ...starting]
  }
}
