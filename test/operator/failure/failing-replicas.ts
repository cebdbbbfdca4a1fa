import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '../../start-allot.ts'
import { eventually } from '../../eventually.ts'
import { type BareServer, launchOperator, type OperatorProcess, SHORT_LEASE } from '../operated.ts'
import { kubeconfigFor } from '../replicas.ts'
import { freePort } from '../../free-ports.ts'
import { TcpBalancer } from '../tcp-balancer.ts'
import { FlakyProxy } from './flaky-proxy.ts'

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/allot-system/leases/allot'
const CLOCK = fileURLToPath(new URL('set-clock.mjs', import.meta.url))
/** How long a Service may go on leading to a replica that is ending. */
const NOTICED_MS = 500

interface Replica {
  readonly operator: OperatorProcess
  readonly port: number
}

/** Replicas behind a Service, before an API server that they reach through a proxy, with a wall clock that can be set. */
export class FailingReplicas implements AsyncDisposable {
  readonly proxy: FlakyProxy
  readonly #server: BareServer
  readonly #balancer: TcpBalancer
  readonly #flags: readonly string[]
  readonly #clock: string
  readonly #kubeconfig: string
  #running: readonly Replica[] = []
  /** The logs of replicas that have ended. */
  #ended = ''
  #ahead = 0

  static async start(server: BareServer, count: number, flags: readonly string[]): Promise<FailingReplicas> {
    const replicas = new FailingReplicas(server, await FlakyProxy.before(server.url), await TcpBalancer.start(), flags)
    for (let n = 0; n < count; n++) await replicas.#join()
    return replicas
  }

  private constructor(server: BareServer, proxy: FlakyProxy, balancer: TcpBalancer, flags: readonly string[]) {
    this.#server = server
    this.proxy = proxy
    this.#balancer = balancer
    this.#flags = flags
    this.#clock = join(temporaryDirectory(), 'clock')
    this.#kubeconfig = kubeconfigFor(proxy.url, server.token)
    writeFileSync(this.#clock, '0')
  }

  /** All that replicas have logged. */
  logs(): string {
    return [this.#ended, ...this.#running.map(({ operator }) => operator.logs())].join('')
  }

  /** Sets the clocks of all replicas, those that start later included. */
  setClock(byMs: number): void {
    this.#ahead += byMs
    writeFileSync(this.#clock, String(this.#ahead))
  }

  /** Starts a replica in the place of each, which ends in good order; its exit code is 0. */
  async roll(): Promise<void> {
    for (const old of this.#running) {
      await this.#join()
      const ended = old.operator[Symbol.asyncDispose]()
      await new Promise((resolve) => setTimeout(resolve, NOTICED_MS))
      this.#leave(old)
      await ended
      const code = await old.operator.exited
      if (code !== 0) throw new Error(`a replica ended with ${code}: ${old.operator.logs()}`)
      this.#ended += old.operator.logs()
    }
  }

  /** Kills the replica that leads, and starts another. */
  async killLeader(): Promise<void> {
    const leader = await eventually(
      async () => await this.#leader(),
      (found) => found !== undefined,
      { what: 'a leader' },
    )
    if (leader === undefined) return
    await leader.operator.kill9()
    this.#leave(leader)
    this.#ended += leader.operator.logs()
    await this.#join()
  }

  async #leader(): Promise<Replica | undefined> {
    const { json } = await this.#server.send('GET', LEASE)
    const identity = String(json.spec?.holderIdentity)
    return this.#running.find(({ operator }) =>
      operator.logs().includes(`"identity":"${identity}","msg":"became the leader"`),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#running.map(({ operator }) => operator.kill9()))
    await this.#balancer[Symbol.asyncDispose]()
    await this.proxy[Symbol.asyncDispose]()
  }

  async #join(): Promise<void> {
    const port = await freePort()
    if (this.#running.length === 0) this.#balancer.ports = [port]
    const url = `https://127.0.0.1:${this.#balancer.port}`
    const flags = ['--webhook-url', url, '--webhook-port', String(port), '--shutdown-delay-duration=2s', ...SHORT_LEASE]
    const environment = { ...process.env, NODE_OPTIONS: `--import=${CLOCK}`, ALLOT_TEST_CLOCK: this.#clock }
    const operator = await launchOperator(this.#kubeconfig, [...flags, ...this.#flags], undefined, environment).ready()
    this.#running = [...this.#running, { operator, port }]
    this.#balancer.ports = this.#running.map((replica) => replica.port)
  }

  #leave(replica: Replica): void {
    this.#running = this.#running.filter((one) => one !== replica)
    this.#balancer.ports = this.#running.map(({ port }) => port)
  }
}
