import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '../start-allot.ts'
import { type Faults, FaultyProxy } from './faulty-proxy.ts'
import { type BareServer, type OperatorProcess, startOperator } from './operated.ts'

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/allot-system/leases/allot'
const MERGE = { 'content-type': 'application/merge-patch+json' }
const PATIENCE_MS = 90_000

/** An operator that reaches its API server through a proxy of its own. */
interface Replica {
  readonly proxy: FaultyProxy
  readonly operator: OperatorProcess
}

/** The replicas of an operator, which elect a leader, and are killed and started again. */
export class Replicas implements AsyncDisposable {
  readonly #server: BareServer
  readonly #faults: Faults
  readonly #running = new Set<Replica>()
  readonly #killed = new WeakSet<Replica>()
  /** The logs of replicas that ended although the test did not kill them. */
  readonly ended: string[] = []

  static async start(server: BareServer, faults: Faults, count: number): Promise<Replicas> {
    const replicas = new Replicas(server, faults)
    await Promise.all(Array.from({ length: count }, () => replicas.#start()))
    return replicas
  }

  private constructor(server: BareServer, faults: Faults) {
    this.#server = server
    this.#faults = faults
  }

  /** Kills the replica behind a proxy at once, and starts another; resolves when that is ready. */
  async replace(proxy: FaultyProxy): Promise<void> {
    const replica = [...this.#running].find((one) => one.proxy === proxy)
    if (replica === undefined) throw new Error('nobody runs behind this proxy')
    await this.#end(replica)
    await this.#start()
  }

  /** Lets the lease of the leader expire, as after its time: a waiting replica takes it with its next try. */
  async expireLease(): Promise<void> {
    const { send } = this.#server
    await untilDone(async () => {
      const { status, text } = await send('PATCH', LEASE, { spec: { holderIdentity: '' } }, MERGE)
      if (status !== 200) throw new Error(`the lease is kept: ${status} ${text}`)
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running].map((replica) => this.#end(replica)))
  }

  async #end(replica: Replica): Promise<void> {
    this.#killed.add(replica)
    this.#running.delete(replica)
    // The signal is sent before anything is awaited.
    await replica.operator.kill9()
    await replica.proxy[Symbol.asyncDispose]()
  }

  /** As a kubelet does: one that finds the server failing, and ends before it is ready, is started again. */
  async #start(): Promise<void> {
    const proxy = await FaultyProxy.before(this.#server.url, this.#faults)
    const kubeconfig = kubeconfigFor(proxy.url, this.#server.token)
    const operator = await untilDone(() => startOperator(kubeconfig, ['--log-level', 'error']))
    const replica = { proxy, operator }
    this.#running.add(replica)
    void operator.exited.then((code) => {
      if (!this.#killed.has(replica)) this.ended.push(`ended with ${code}: ${operator.logs()}`)
    })
  }
}

/** Tries until it is done, and for `PATIENCE_MS` does not mind what it throws. */
async function untilDone<T>(tried: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    try {
      return await tried()
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** The file of a kubeconfig for a server whose certificate nobody looks at. */
export function kubeconfigFor(url: string, token: string): string {
  const file = join(temporaryDirectory(), 'kubeconfig')
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster: { server: url, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  }
  writeFileSync(file, JSON.stringify(config))
  return file
}
