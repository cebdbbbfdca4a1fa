import { describe, expect, test } from 'vitest'
import { compileKarmadaQuota, costsOf } from '../../src/charges/karmada-quota/karmada-quota-costs.ts'
import {
  add,
  formatResourceList,
  lessThanOrEqual,
  parseResourceList,
  type ResourceList,
} from '../../src/quantity/resource-list.ts'
import {
  bindingsIn,
  deployed,
  forKarmada,
  type KarmadaWorld,
  kquotasIn,
} from '../operator/karmada-quota/karmada-world.ts'
import { operatedServers } from '../operator/operated.ts'
import { MERGE } from '../operator/pool-objects.ts'
import { seed, SeededRandom, soak, tellingSeed } from '../seeded-random.ts'
import { StormWatch } from './quota-storm/storm-watch.ts'

const BINDINGS = soak ? 100 : 12
const CLIENTS = 10
const OPERATIONS = soak ? 40 : 3
const STORM_MS = soak ? 1_800_000 : 120_000
const NAMESPACE = 'kq-storm'
/** About half of what the bindings ask for together. */
const HARD = { cpu: String(BINDINGS * 3), pods: String(BINDINGS * 4) }
const HIGH = {
  hard: { cpu: String(BINDINGS) },
  scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
}
const QUOTAS = { all: compileKarmadaQuota({ hard: HARD }), high: compileKarmadaQuota(HIGH) }
const PROPER = new Set([200, 201, 403, 404, 409, 429])

/** One client's operations on one binding. Only the first deletes and creates: a create of a name that is taken reserves room for nothing. */
async function storm(world: KarmadaWorld, name: string, client: number, random: SeededRandom): Promise<number[]> {
  const path = `${bindingsIn(NAMESPACE)}/${name}`
  const some = () =>
    deployed({
      requests: { cpu: '500m' },
      priorityClassName: random.pick(['high', 'low']),
      clusters: { a: random.between(0, 9), b: random.between(0, 5) },
    })
  const stale = (await world.server.send('GET', path)).json
  const statuses: number[] = []
  for (let count = 0; count < OPERATIONS; count++) {
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

for (const { name, available, share } of operatedServers)
  describe(`${name}: KarmadaQuotas`, { skip: !available }, () => {
    const suite = forKarmada(share)

    test(
      `${CLIENTS} clients on each of ${BINDINGS} bindings never bring a quota over its limit, and cost no room`,
      () =>
        tellingSeed('storm of KarmadaQuotas', async () => {
          const random = new SeededRandom(seed)
          const { world, server } = suite
          await world.namespace(NAMESPACE)
          await world.quota(NAMESPACE, 'all', HARD)
          await world.quota(NAMESPACE, 'high', HIGH.hard, { scopeSelector: HIGH.scopeSelector })
          await using bindings = await StormWatch.start(server, bindingsIn(NAMESPACE))
          const names = Array.from({ length: BINDINGS }, (_, index) => `web-${index}`)
          for (const one of names)
            await world.bind(NAMESPACE, one, deployed({ requests: { cpu: '500m' }, replicas: 1 }))
          const statuses = await Promise.all(
            names.flatMap((one) =>
              Array.from({ length: CLIENTS }, (_, client) =>
                storm(world, one, client, new SeededRandom(random.between(0, 1e9))),
              ),
            ),
          )
          const counts = Map.groupBy(statuses.flat(), (status) => status)
          expect([...counts.keys()].filter((status) => !PROPER.has(status))).toEqual([])
          expect(counts.get(403)?.length ?? 0).toBeGreaterThan(0)

          const events = await bindings.caughtUp()
          for (const [quota, compiled] of Object.entries(QUOTAS)) {
            const costs = new Map<string, ResourceList>()
            let used: ResourceList = {}
            for (const { type, object } of events) {
              if (type === 'DELETED') costs.delete(object.metadata.name ?? '')
              else costs.set(object.metadata.name ?? '', costsOf(compiled, object))
              used = [...costs.values()].reduce<ResourceList>(add, {})
              const { ok } = lessThanOrEqual(used, compiled.hard)
              expect({ quota, used: ok ? {} : formatResourceList(used) }).toEqual({ quota, used: {} })
            }
            await world.until(
              `${kquotasIn(NAMESPACE)}/${quota}`,
              ({ status }) => lessThanOrEqual(parseResourceList(status.used), used).ok,
            )
            await world.used(NAMESPACE, quota, formatResourceList(used))
          }
        }),
      STORM_MS,
    )
  })
