import { isDeepStrictEqual } from 'node:util'
import { eventually } from '../../eventually.ts'
import type { Answer } from '../../start-allot.ts'
import { mapsIn } from '../custom-quota/quota-world.ts'
import { type BareServer, type OperatorProcess, SHORT_LEASE, startOperator } from '../operated.ts'
import { podsIn, PoolWorld, quotasIn } from '../pool-objects.ts'
import { freePort } from '../../free-ports.ts'
import { TcpBalancer } from '../tcp-balancer.ts'

/** Those of ResourceQuotas. */
export const LEDGERS = '/apis/capsule.clastix.io/v1beta2/namespaces/allot-system/quantityledgers'
const FLAGS = [...SHORT_LEASE, '--apiserver-request-timeout=2s']
/** So many lines of the log of an operator show what it did last. */
const LOG_LINES = 40

export interface Ledger {
  readonly spec: { readonly targetRef: { readonly namespace: string; readonly name: string; readonly uid: string } }
  readonly status?: { readonly outstanding?: string; readonly resourceQuota?: { readonly allocated: object } }
}

/** A control plane without some parts, with operators that find out which, behind a balancer. */
export class Lacking {
  readonly server: BareServer
  readonly world: PoolWorld
  readonly #kubeconfig: string
  readonly #balancer: TcpBalancer
  readonly #operators: OperatorProcess[] = []

  private constructor(server: BareServer, kubeconfig: string, balancer: TcpBalancer) {
    this.server = server
    this.#kubeconfig = kubeconfig
    this.world = new PoolWorld(server)
    this.#balancer = balancer
  }

  /** The server is the caller's to stop. The operators have the credentials of the kubeconfig. */
  static async on(server: BareServer, enforce = 'auto', kubeconfig = server.kubeconfig): Promise<Lacking> {
    const place = new Lacking(server, kubeconfig, await TcpBalancer.start())
    await place.replica(enforce)
    return place
  }

  /** The one that leads. */
  get operator(): OperatorProcess {
    const [first] = this.#operators
    if (first === undefined) throw new Error('no operator has been started')
    return first
  }

  /** Starts an operator, and has the API server ask it too. */
  async replica(enforce = 'auto'): Promise<void> {
    const { port, ports } = this.#balancer
    const own = await freePort()
    const flags = ['--webhook-url', `https://127.0.0.1:${port}`, '--webhook-port', String(own)]
    if (ports.length === 0) this.#balancer.ports = [own]
    this.#operators.push(
      await startOperator(this.#kubeconfig, [...flags, ...FLAGS, `--enforce-resourcequota=${enforce}`]),
    )
    this.#balancer.ports = [...new Set([...ports, own])]
  }

  /** Ends all operators, and starts one with another setting in the place of the first. */
  async restart(enforce: string): Promise<void> {
    await Promise.all(this.#operators.splice(0).map((operator) => operator[Symbol.asyncDispose]()))
    this.#balancer.ports = []
    await this.replica(enforce)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#operators.map((operator) => operator[Symbol.asyncDispose]()))
    await this.#balancer[Symbol.asyncDispose]()
  }

  /** Makes a namespace with a quota, and resolves when the quota is enforced: its ledger is open. */
  async quota(namespace: string, hard: Readonly<Record<string, string>>, more: object = {}): Promise<void> {
    await this.world.create('/api/v1/namespaces', { metadata: { name: namespace } })
    await this.world.until(`/api/v1/namespaces/${namespace}/serviceaccounts/default`, () => true)
    await this.world.create(quotasIn(namespace), { metadata: { name: 'limit' }, spec: { hard, ...more } })
    await this.enforced(namespace, 'limit')
  }

  async enforced(namespace: string, quota: string): Promise<void> {
    await eventually(
      () => this.ledger(namespace, quota),
      (ledger) => ledger?.status?.outstanding !== undefined,
      {
        patienceMs: 60_000,
        what: `the ledger of the quota ${quota} in ${namespace}`,
      },
    )
  }

  async ledger(namespace: string, quota = 'limit'): Promise<Ledger | undefined> {
    const { items } = await this.world.read(LEDGERS)
    return items.find(
      ({ spec: { targetRef } }: Ledger) => targetRef.namespace === namespace && targetRef.name === quota,
    )
  }

  /** Resolves when requests have reserved so much that this is allocated with them. */
  async reserved(namespace: string, allocated: Readonly<Record<string, string>>): Promise<void> {
    await eventually(
      () => this.ledger(namespace),
      (ledger) => isDeepStrictEqual(ledger?.status?.resourceQuota?.allocated, allocated),
      { what: `the reservations in ${namespace}` },
    )
  }

  /** Sends a request again as long as it cannot be decided. */
  async decided(send: () => Promise<Answer>): Promise<Answer> {
    return await eventually(send, ({ status }) => status !== 429, { what: 'a decision' })
  }

  map(namespace: string, name: string, query = ''): Promise<Answer> {
    return this.decided(() => this.server.send('POST', `${mapsIn(namespace)}${query}`, { metadata: { name } }))
  }

  pod(namespace: string, name: string, requests?: object, more: object = {}): Promise<Answer> {
    const container = { name: 'main', image: 'main', resources: requests === undefined ? {} : { requests } }
    const spec = { automountServiceAccountToken: false, containers: [container], ...more }
    return this.decided(() => this.server.send('POST', podsIn(namespace), { metadata: { name }, spec }))
  }

  async usage(namespace: string): Promise<unknown> {
    return (await this.world.read(`${quotasIn(namespace)}/limit`)).status?.used
  }

  /** Resolves when the status of the quota of a namespace shows this usage. Rejects with all that may say why it does not. */
  async shows(namespace: string, used: Readonly<Record<string, string>>): Promise<void> {
    const path = `${quotasIn(namespace)}/limit`
    try {
      await this.world.until(path, ({ status }) => isDeepStrictEqual(status?.used, used))
    } catch (error) {
      const evidence = [await this.world.read(path), await this.ledger(namespace)]
      const log = this.operator.logs().split('\n').slice(-LOG_LINES)
      throw new Error([String(error), ...evidence.map((one) => JSON.stringify(one)), ...log].join('\n'), {
        cause: error,
      })
    }
  }
}
