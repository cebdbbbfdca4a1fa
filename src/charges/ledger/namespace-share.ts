/** How many reservations a namespace may have in one ledger, unless its requests lapse. */
export const NAMESPACE_SHARE = 256

/**
 * Returns the rest of the share of a namespace, at least one: half of it after one lapse that no observed request has made up for, a
 * third after two, and so on. So a namespace whose requests are always refused behind the ledger holds the room of others
 * for one round of lapses and hardly any after it, also where the whole limit is smaller than the share.
 */
export function shareOf(lapses: ReadonlyMap<string, number>, namespace: string, share = NAMESPACE_SHARE): number {
  return Math.max(1, Math.floor(share / (1 + (lapses.get(namespace) ?? 0))))
}

/** A request of the namespace was never stored: its reservation held room for nothing. */
export function lapsed(lapses: ReadonlyMap<string, number>, namespace: string): ReadonlyMap<string, number> {
  const count = lapses.get(namespace) ?? 0
  return count >= NAMESPACE_SHARE ? lapses : new Map(lapses).set(namespace, count + 1)
}

/** A request of the namespace was stored. */
export function observed(lapses: ReadonlyMap<string, number>, namespace: string): ReadonlyMap<string, number> {
  const count = lapses.get(namespace)
  if (count === undefined) return lapses
  const rest = new Map(lapses)
  if (count > 1) rest.set(namespace, count - 1)
  else rest.delete(namespace)
  return rest
}
