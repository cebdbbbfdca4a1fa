import type { CountedCost, KindView, LedgerViews, Sight } from '../../../src/charges/ledger/kind-view.ts'
import { Quantity } from '../../../src/quantity/quantity.ts'
import type { WatchEvent } from './model-world.ts'

export const KIND = '/v1/Pod'
export const FIRST_REVISION = 100

const AMOUNTS = new Map<number, Quantity>()

export function amount(value: number): Quantity {
  let known = AMOUNTS.get(value)
  if (known === undefined) AMOUNTS.set(value, (known = Quantity.of(value)))
  return known
}

/** The view of a replica whose list contained the first `listed` events, and that has seen `seen` events. */
export function viewsOf(events: readonly WatchEvent[], listed: number, seen: number, budget: number): LedgerViews {
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
      objects.set(name, { uid, version: String(version), cost: amount(costs[budget] ?? 0) })
      total += costs[budget] ?? 0
    }
  }
  const view: KindView = {
    revision: String(revision),
    newest: String(revision),
    total: amount(total),
    get: (_namespace, name) => objects.get(name),
    lastSight: (_namespace, _name, uid) => sights.get(uid),
  }
  return { generation: 1, selection: '', kinds: new Map([[KIND, view]]) }
}
