import type { CountedCost, KindView, LedgerViews, Sight } from '../../../src/systems/counted/protocol/kind-view.ts'
import { Quantity } from '../../../src/quantity/quantity.ts'
import type { ReplicaState, WatchEvent, World } from './model-world.ts'

export const KIND = '/v1/Pod'
export const FIRST_REVISION = 100

const AMOUNTS = new Map<number, Quantity>()

export function amount(value: number): Quantity {
  let known = AMOUNTS.get(value)
  if (known === undefined) AMOUNTS.set(value, (known = Quantity.of(value)))
  return known
}

/** The cost of an object to a budget by a generation of the quotas. */
export function costBy(
  { limits, specs = [] }: Pick<World, 'limits' | 'specs'>,
  costs: readonly number[],
  budget: number,
  generation: number,
): number {
  return costs[(specs[generation - 1] ?? 0) * limits.length + budget] ?? 0
}

/** How far a replica has come: its list contained the first `listed` events, and it has seen `seen` events. */
export type Seen = Pick<ReplicaState, 'listed' | 'seen' | 'generation' | 'widenedAt'>

export function viewsOf(events: readonly WatchEvent[], at: Seen, budget: number, world: World): LedgerViews {
  const { listed, seen, generation, widenedAt } = at
  const objects = new Map<string, CountedCost>()
  const sights = new Map<string, Sight>()
  let revision = FIRST_REVISION
  let total = 0
  for (const [index, { name, uid, version, costs }] of events.slice(0, seen).entries()) {
    revision = version
    total -= Number(objects.get(name)?.cost.value() ?? 0n)
    if (index < listed && costs === undefined) sights.delete(uid)
    else sights.set(uid, { version: String(version), isGone: costs === undefined })
    if (costs === undefined) objects.delete(name)
    else {
      const cost = costBy(world, costs, budget, generation)
      objects.set(name, { uid, version: String(version), cost: amount(cost) })
      total += cost
    }
  }
  const view: KindView = {
    revision: String(revision),
    newest: String(revision),
    total: amount(total),
    get: (_namespace, name) => objects.get(name),
    lastSight: (_namespace, _name, uid) => sights.get(uid),
  }
  const { specs = [], isSecondEmpty = false, isUnnumbered = false } = world
  const isCounted = !isSecondEmpty || specs[generation - 1] !== 1
  const kinds = new Map(isCounted ? [[KIND, view]] : [])
  if (!isUnnumbered) return { generation, widenedAt, selection: '', kinds }
  const widenedBy = widenedAt === 1 ? '' : String(widenedAt)
  return { generation: 1, selection: '', kinds, unnumbered: { has: () => isCounted, widenedBy } }
}
