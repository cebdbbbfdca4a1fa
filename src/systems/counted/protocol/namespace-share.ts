import type { Quantity } from '../../../quantity/quantity.ts'
import type { NamespaceWait } from './ledger-state.ts'

/** How many reservations a namespace may have in one ledger, unless its requests lapse. */
export const NAMESPACE_SHARE = 256
/**
 * The most reservations of a namespace that has a ledger of its own. An object has one for each limit whose usage it
 * raises.
 */
export const SOLE_NAMESPACE_SHARE = 1024

/**
 * Returns the share that a namespace has left, at least one. The share is halved after one lapse, and is a third after
 * two. Each observed request makes up for one lapse. So requests that always fail later hold room for little more than
 * one round of lapses.
 */
export function shareOf(lapses: ReadonlyMap<string, number>, namespace: string, share = NAMESPACE_SHARE): number {
  return Math.max(1, Math.floor(share / (1 + (lapses.get(namespace) ?? 0))))
}

/** A request of the namespace was never stored, so its reservation held room in vain. */
export function lapsed(lapses: ReadonlyMap<string, number>, namespace: string): ReadonlyMap<string, number> {
  const count = lapses.get(namespace) ?? 0
  return count >= NAMESPACE_SHARE ? lapses : noted(lapses, namespace, count + 1)
}

/** More namespaces than these are not remembered: the longest known is forgotten, and is let in as one of which nothing lapsed. */
export const MOST_REMEMBERED = 1024

function noted<T>(known: ReadonlyMap<string, T>, namespace: string, value: T): ReadonlyMap<string, T> {
  const next = new Map(known).set(namespace, value)
  const [oldest] = next.keys()
  if (next.size > MOST_REMEMBERED && oldest !== undefined) next.delete(oldest)
  return next
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

/** How many times in a row a namespace waits before it may reserve nothing meanwhile; later waits are not longer. */
export const MOST_STRIKES = 4

type Waits = ReadonlyMap<string, NamespaceWait>

/**
 * A reservation of the namespace lapsed: the namespace waits for two rounds, the next time for four, and so on. A lapse while it waits
 * does not prolong the wait, so that every wait ends.
 */
export function struck(waits: Waits, namespace: string): Waits {
  const wait = waits.get(namespace)
  if (wait !== undefined && wait.rounds > 0) return waits
  const strikes = Math.min(MOST_STRIKES, (wait?.strikes ?? 0) + 1)
  return noted(waits, namespace, { strikes, rounds: 2 ** strikes })
}

/**
 * A request of the namespace was stored: the namespace waits no longer and no more strictly than after its first lapse. The wait is not
 * forgotten at once, since a namespace could store something small between two large requests that lapse.
 */
export function restored(waits: Waits, namespace: string): Waits {
  const wait = waits.get(namespace)
  if (wait === undefined || (wait.strikes === 1 && wait.rounds > 0)) return waits
  const rest = new Map(waits)
  if (wait.rounds > 0) rest.set(namespace, { strikes: 1, rounds: Math.min(wait.rounds, 2) })
  else rest.delete(namespace)
  return rest
}

/** These namespaces have waited for one more round. */
export function passed(waits: Waits, namespaces: ReadonlySet<string>): Waits {
  if (namespaces.size === 0) return waits
  return new Map(
    waits
      .entries()
      .map(([namespace, wait]) => [
        namespace,
        namespaces.has(namespace) ? { ...wait, rounds: Math.max(0, wait.rounds - 1) } : wait,
      ]),
  )
}

/**
 * May a namespace have so much reserved at once? `room`: all that is free or that it has reserved. While it waits it may have half of
 * that, the next time a quarter, and so on; nothing from the last strike on.
 */
export function mayHold(wait: NamespaceWait | undefined, reserved: Quantity, room: Quantity): boolean {
  if (wait === undefined || wait.rounds === 0 || reserved.sign() <= 0) return true
  if (wait.strikes >= MOST_STRIKES) return false
  let times = reserved
  for (let strike = 0; strike < wait.strikes; strike++) times = times.add(times)
  return times.cmp(room) <= 0
}
