// Covers pool-controller.ts: two operators at a time.
import { expect, test } from 'vitest'
import { claimOf, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { eventually } from '../../../../test/eventually.ts'
import { asCreated, operating, PoolServer } from '../../../../test/operator/pool-server.ts'
import { seed, SeededRandom, soak, tellingSeed } from '../../../../test/seeded-random.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { totalsOf } from '../decide/ledger/pool-ledger.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { Quantity } from '../../../quantity/quantity.ts'

const STEPS = soak ? 3000 : 150
const SIZE = 6
const NAMESPACES = ['a', 'b', 'c', 'd']
const HARD = amountsOf({ cpu: String(SIZE) })

/** A server that notes whenever more of the pool is handed out than it has, by its ledger or by its quotas. */
class StrictServer extends PoolServer {
  readonly excesses: string[] = []

  constructor() {
    super()
    for (const kind of [this.pools, this.quotas]) {
      const put = kind.put.bind(kind)
      kind.put = (object) => {
        const stored = put(object)
        this.#check()
        return stored
      }
    }
  }

  get ledger(): ResourcePool {
    return this.pools.state.get('/p') as object as ResourcePool
  }

  /** The sum of the limits of all quotas. */
  get allowed(): Quantity {
    const limits = [...this.quotas.state.values()].map(
      (quota) => (quota as object as ResourceQuota).spec?.hard?.['cpu'],
    )
    return limits.reduce((sum, limit = '0') => sum.add(Quantity.parse(limit)), Quantity.zero)
  }

  get granted(): Quantity {
    return totalsOf(HARD, this.ledger.status ?? {}).used['cpu'] ?? Quantity.zero
  }

  #check(): void {
    const { available } = totalsOf(HARD, this.ledger.status ?? {})
    if ((available['cpu'] ?? Quantity.zero).sign() < 0)
      this.excesses.push(`the ledger: ${JSON.stringify(this.ledger.status)}`)
    if (this.allowed.cmp(Quantity.parse(String(SIZE))) > 0)
      this.excesses.push(`the quotas allow ${this.allowed.toString()}`)
  }
}

const served = (name: string, pool: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { pool } },
})

/** Something that users do, or that happens to watches. */
function step(server: StrictServer, random: SeededRandom, at: number): void {
  const namespace = random.pick(NAMESPACES)
  const name = `c${random.between(0, 3)}`
  switch (random.weighted({ comes: 5, goes: 4, leaves: 1, joins: 2, lags: 2 })) {
    case 'comes':
      if (server.claims.state.has(`${namespace}/${name}`)) return
      server.claims.put(asCreated(claimOf(name, { cpu: String(random.between(1, 3)) }, { namespace, age: at })))
      return
    case 'goes':
      return server.claims.remove({ namespace, name })
    case 'leaves':
      return void server.namespaces.put(served(namespace, 'none'))
    case 'joins':
      return void server.namespaces.put(served(namespace, 'p'))
    case 'lags': {
      const kind = random.pick([server.pools, server.quotas, server.claims])
      kind.muted = !kind.muted
      if (!kind.muted) kind.deliver()
      kind.untilAnswer = random.chance(0.5) ? settled : undefined
    }
  }
}

test('two operators that both take themselves for the leader hand out no more than the pool has, and agree in the end', async () => {
  const server = new StrictServer()
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: String(SIZE) } } })))
  for (const name of NAMESPACES) server.namespaces.put(served(name, 'p'))
  const random = new SeededRandom(seed)
  const work = async (): Promise<void> => {
    for (let at = 0; at < STEPS; at++) {
      step(server, random, at)
      for (let n = random.between(0, 3); n > 0; n--) await settled()
    }
    for (const kind of [server.pools, server.quotas, server.claims]) {
      kind.muted = false
      kind.deliver()
    }
    for (const name of NAMESPACES) server.namespaces.put(served(name, 'p'))
    const isSettled = (): boolean =>
      server.allowed.cmp(server.granted) === 0 && server.ledger.status?.releasing === undefined
    await eventually(isSettled, Boolean, { what: 'quotas that allow what the ledger grants' })
    expect(server.excesses).toEqual([])
    expect(server.granted.sign()).toBeGreaterThan(0)
  }
  await tellingSeed('rival operators', () => operating(server, () => operating(server, work)))
})
