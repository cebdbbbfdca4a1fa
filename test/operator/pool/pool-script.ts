import { SeededRandom } from '../../seeded-random.ts'

/** One thing that a user does. `prefix` stands before every name, so that the same can be done twice on one server. */
export interface Action {
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: object
}

const API = '/apis/capsule.clastix.io/v1beta2'
const NAMESPACES = ['a', 'b', 'c', 'd']
const POOLS = ['plain', 'ordered', 'zero'] as const
const CPUS = 12
const ROOM = 100_000

const podBody = (name: string, cpu: number): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'registry.test/app:1', resources: { requests: { cpu: String(cpu) } } }] },
})

/** A script of a platform's life with three pools. The same seed gives the same actions, whatever the prefix. */
export class PoolScript {
  readonly #prefix: string
  readonly #random: SeededRandom
  #serial = 0
  #stirs = 0
  /** The amounts that each claim is to request in the end, by path. */
  readonly #claims = new Map<string, object>()
  readonly #unclaimed: string[] = []
  readonly #pods: string[] = []

  constructor(prefix: string, seed: number) {
    this.#prefix = prefix
    this.#random = new SeededRandom(seed)
  }

  get namespaces(): readonly string[] {
    return NAMESPACES.map((name) => `${this.#prefix}-${name}`)
  }

  get pools(): readonly string[] {
    return POOLS.map((name) => `${this.#prefix}-${name}`)
  }

  /** The objects that must exist first. */
  begin(): readonly Action[] {
    const config = { plain: {}, ordered: { orderedQueue: true }, zero: { defaultsZero: true } }
    return [
      ...this.namespaces.map((name) => ({
        method: 'POST' as const,
        path: '/api/v1/namespaces',
        body: { metadata: { name, labels: { chaos: this.#prefix } } },
      })),
      ...POOLS.map((pool) => ({
        method: 'POST' as const,
        path: `${API}/resourcepools`,
        body: {
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind: 'ResourcePool',
          metadata: { name: `${this.#prefix}-${pool}` },
          spec: {
            config: config[pool],
            selectors: [{ matchLabels: { chaos: this.#prefix } }],
            quota: { hard: { 'requests.cpu': String(CPUS), pods: String(CPUS) } },
          },
        },
      })),
    ]
  }

  next(): Action {
    const random = this.#random
    const deed = random.weighted({ claim: 8, unclaim: 2, resize: 3, leave: 1, join: 1, pod: 4, unpod: 3 })
    const namespace = random.pick(this.namespaces)
    switch (deed) {
      case 'unclaim':
        if (this.#claims.size > 0) {
          const path = random.pick([...this.#claims.keys()])
          this.#claims.delete(path)
          this.#unclaimed.push(path)
          return { method: 'DELETE', path }
        }
        break
      case 'resize':
        if (this.#claims.size > 0) {
          const claim = { 'requests.cpu': String(random.between(1, 5)), pods: String(random.between(0, 3)) }
          const path = random.pick([...this.#claims.keys()])
          this.#claims.set(path, claim)
          return { method: 'PATCH', path, body: { spec: { claim } } }
        }
        break
      case 'leave':
      case 'join':
        return this.#labelled(namespace, deed === 'join' ? this.#prefix : 'nobody')
      case 'pod': {
        const name = `pod-${this.#serial++}`
        this.#pods.push(`/api/v1/namespaces/${namespace}/pods/${name}`)
        return {
          method: 'POST',
          path: `/api/v1/namespaces/${namespace}/pods`,
          body: podBody(name, random.between(1, 2)),
        }
      }
      case 'unpod':
        if (this.#pods.length > 0) return { method: 'DELETE', path: `${random.pick(this.#pods)}?gracePeriodSeconds=0` }
        break
      case 'claim':
        break
      default:
        return deed satisfies never
    }
    return this.#claim(namespace)
  }

  /** Gives pools something to do, so that they are written to; what it is does not matter in the end. */
  stir(): Action {
    const turn = this.#stirs++
    const name = this.namespaces[(turn >> 1) % NAMESPACES.length] ?? ''
    return this.#labelled(name, turn % 2 === 0 ? 'nobody' : this.#prefix)
  }

  #labelled(namespace: string, chaos: string): Action {
    return { method: 'PATCH', path: `/api/v1/namespaces/${namespace}`, body: { metadata: { labels: { chaos } } } }
  }

  #claim(namespace: string): Action {
    const random = this.#random
    const name = `claim-${this.#serial++}`
    const path = `${API}/namespaces/${namespace}/resourcepoolclaims`
    const amounts = { 'requests.cpu': String(random.between(1, 5)), pods: String(random.between(0, 3)) }
    this.#claims.set(`${path}/${name}`, amounts)
    const spec = { pool: `${this.#prefix}-${random.pick(POOLS)}`, claim: amounts }
    const claim = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'ResourcePoolClaim', metadata: { name }, spec }
    return { method: 'POST', path, body: claim }
  }

  /** Brings about a state that does not depend on what was faster: all belong, nothing is used, and there is room for all. */
  end(): readonly Action[] {
    return [
      ...this.#pods.map((path) => ({ method: 'DELETE' as const, path: `${path}?gracePeriodSeconds=0` })),
      ...this.namespaces.map((name) => this.#labelled(name, this.#prefix)),
      // The request that was refused before because of the usage.
      ...this.#unclaimed.map((path) => ({ method: 'DELETE' as const, path })),
      ...[...this.#claims].map(([path, claim]) => ({ method: 'PATCH' as const, path, body: { spec: { claim } } })),
      ...this.pools.map((name) => ({
        method: 'PATCH' as const,
        path: `${API}/resourcepools/${name}`,
        body: { spec: { quota: { hard: { 'requests.cpu': String(ROOM), pods: String(ROOM) } } } },
      })),
    ]
  }
}
