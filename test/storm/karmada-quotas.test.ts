import { describe, expect, test } from 'vitest'
import { compileKarmadaQuota, costsOf } from '../../src/systems/karmada-quota/decide/costs.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import {
  add,
  formatResourceList,
  lessThanOrEqual,
  parseResourceList,
  type ResourceList,
} from '../../src/quantity/resource-list.ts'
import { assets, startRealServer } from '../differential/real-server.ts'
import { Faults } from '../operator/faulty-proxy.ts'
import { bindingsIn, deployed, forKarmada, KarmadaWorld, kquotasIn } from '../operator/karmada-quota/karmada-world.ts'
import { operatedServers, over } from '../operator/operated.ts'
import { MERGE } from '../operator/pool-objects.ts'
import { seed, SeededRandom, soak, tellingSeed } from '../seeded-random.ts'
import { StormReplicas } from './quota-storm/storm-replicas.ts'
import { StormWatch } from './quota-storm/storm-watch.ts'
import { UnsteadyBalancer } from './quota-storm/unsteady-balancer.ts'

interface Size {
  readonly bindings: number
  /** Of each binding. */
  readonly clients: number
  /** Of each client, at least. */
  readonly operations: number
}

/** Ten concurrent requests for each of a hundred bindings, or of thirty in the short form. */
const SIZE: Size = { bindings: soak ? 100 : 30, clients: 10, operations: soak ? 40 : 1 }
/** The clients go on until the last replica has started that takes the place of a killed one. */
const SIZE_WITH_REPLICAS: Size = soak ? SIZE : { bindings: 12, clients: 3, operations: 3 }
const STORM_MS = soak ? 1_800_000 : 120_000
const NAMESPACE = 'kq-storm'
/** About half of what so many bindings ask for together. */
const specsFor = (bindings: number) => ({
  all: { hard: { cpu: String(bindings * 3), pods: String(bindings * 4) } },
  high: {
    hard: { cpu: String(bindings) },
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' as const, values: ['high'] }] },
  },
})
const PROPER = [200, 201, 403, 404, 409, 429]
const REPLICAS = 3
const KILLS = soak ? 20 : 3
/** The API server's, short enough for reservations to lapse within the test. */
const REQUEST_TIMEOUT_MS = 8_000
const HELD_MS = REQUEST_TIMEOUT_MS + 1_000

/**
 * One client's operations on one binding, so many, and on until it is over. Only the first deletes and creates: a create of a name that
 * is taken reserves room for nothing.
 */
async function storm(
  world: KarmadaWorld,
  name: string,
  client: number,
  operations: number,
  random: SeededRandom,
  isOver: () => boolean,
): Promise<number[]> {
  const path = `${bindingsIn(NAMESPACE)}/${name}`
  const some = () =>
    deployed({
      requests: { cpu: '500m' },
      priorityClassName: random.pick(['high', 'low']),
      clusters: { a: random.between(0, 9), b: random.between(0, 5) },
    })
  const stale = (await world.server.send('GET', path)).json
  const statuses: number[] = []
  for (let count = 0; count < operations || !isOver(); count++) {
    const kind = random.between(0, client === 0 ? 3 : 2)
    if (kind === 3) {
      statuses.push(
        (await world.server.send('DELETE', path)).status,
        (await world.bind(NAMESPACE, name, some())).status,
      )
    } else if (kind === 2 && stale.metadata !== undefined) {
      statuses.push((await world.server.send('PUT', path, { ...stale, spec: some() })).status)
    } else statuses.push((await world.server.send('PATCH', path, { spec: some() }, MERGE)).status)
  }
  return statuses
}

/**
 * Makes quotas and bindings and lets `each` clients storm on each binding, `meanwhile` at the same time. Then nothing has ever exceeded a
 * limit, and the usage is exact. Gives the number of refusals.
 */
async function stormThrough(
  world: KarmadaWorld,
  random: SeededRandom,
  { bindings: count, clients: each, operations }: Size,
  proper: readonly number[],
  meanwhile: () => Promise<void>,
): Promise<number> {
  const { server } = world
  const specs = specsFor(count)
  await world.namespace(NAMESPACE)
  for (const [quota, { hard, ...scopes }] of Object.entries(specs)) await world.quota(NAMESPACE, quota, hard, scopes)
  await using bindings = await StormWatch.start(server, bindingsIn(NAMESPACE))
  await using quotas = await StormWatch.start(server, kquotasIn(NAMESPACE))
  const names = Array.from({ length: count }, (_, index) => `web-${index}`)
  for (const one of names) await world.bind(NAMESPACE, one, deployed({ requests: { cpu: '500m' }, replicas: 1 }))
  let isOver = false
  const clients = names.flatMap((one) =>
    Array.from({ length: each }, (_, client) =>
      storm(world, one, client, operations, new SeededRandom(random.between(0, 1e9)), () => isOver),
    ),
  )
  try {
    await meanwhile()
  } finally {
    isOver = true
  }
  const counts = Map.groupBy((await Promise.all(clients)).flat(), (status) => status)
  expect([...counts.keys()].filter((status) => !proper.includes(status))).toEqual([])

  const events = await bindings.caughtUp()
  for (const [quota, spec] of Object.entries(specs)) {
    const compiled = compileKarmadaQuota(spec)
    const costs = new Map<string, ResourceList>()
    let used: ResourceList = {}
    for (const { type, object } of events) {
      if (type === 'DELETED') costs.delete(object.metadata.name ?? '')
      else costs.set(object.metadata.name ?? '', costsOf(compiled, object))
      used = [...costs.values()].reduce<ResourceList>(add, {})
      expect({ quota, exceeding: exceeding(used, compiled.hard) }).toEqual({ quota, exceeding: undefined })
    }
    await world.until(
      `${kquotasIn(NAMESPACE)}/${quota}`,
      ({ status }) => lessThanOrEqual(parseResourceList(status.used), used).ok,
    )
    await world.used(NAMESPACE, quota, formatResourceList(used))
  }
  for (const { object } of await quotas.caughtUp()) {
    const { hard = {}, used = {} } =
      (object as KubeObject & { status?: Record<'hard' | 'used', Record<string, string>> }).status ?? {}
    expect(exceeding(parseResourceList(used), parseResourceList(hard))).toBeUndefined()
  }
  return counts.get(403)?.length ?? 0
}

const exceeding = (used: ResourceList, hard: ResourceList): unknown =>
  lessThanOrEqual(used, hard).ok ? undefined : formatResourceList(used)

for (const { name, available, share } of operatedServers)
  describe(`${name}: KarmadaQuotas`, { skip: !available }, () => {
    const suite = forKarmada(share)

    test(
      `${SIZE.clients} clients on each of ${SIZE.bindings} bindings never bring a quota over its limit, and cost no room`,
      () =>
        tellingSeed('storm of KarmadaQuotas', async () => {
          const refused = await stormThrough(suite.world, new SeededRandom(seed), SIZE, PROPER, async () => undefined)
          expect(refused).toBeGreaterThan(0)
        }),
      STORM_MS,
    )
  })

describe('a real API server: KarmadaQuotas with three replicas', { skip: assets === undefined }, () => {
  test(
    `${SIZE_WITH_REPLICAS.clients} clients on each of ${SIZE_WITH_REPLICAS.bindings} bindings never bring a quota over its limit while replicas are killed, and cost no room`,
    () =>
      tellingSeed('storm of KarmadaQuotas with replicas', async () => {
        const random = new SeededRandom(seed)
        await using server = over(await startRealServer({ flags: `--request-timeout=${REQUEST_TIMEOUT_MS}ms` }))
        const world = new KarmadaWorld(server)
        await world.define()
        const faults = new Faults(random, { oneIn: 100, watchMs: 5_000 })
        faults.active = false
        await using balancer = await UnsteadyBalancer.start(random, { cut: 0.002, held: 0.004, heldMs: HELD_MS })
        await using replicas = await StormReplicas.start(server, REPLICAS, {
          random,
          faults,
          balancer,
          requestTimeoutMs: REQUEST_TIMEOUT_MS,
        })
        // A call that is cut off, or that nobody answers, fails the request.
        const refused = await stormThrough(world, random, SIZE_WITH_REPLICAS, [...PROPER, 500, 504], async () => {
          faults.active = balancer.active = true
          for (let kills = 0; kills < KILLS; kills++) await replicas.replaceOne()
          faults.active = balancer.active = false
        })
        expect(refused).toBeGreaterThan(0)
        expect(replicas.ended).toEqual([])
        expect(replicas.kills).toBe(KILLS)
        expect(faults.failed + faults.cut + balancer.cut + balancer.held).toBeGreaterThan(0)
      }),
    soak ? 4 * 3_600_000 : 600_000,
  )
})
