import type { LedgerState } from '../../../src/systems/counted/protocol/ledger-state.ts'
import type { Decisions } from './model-decisions.ts'
import { costBy, viewsOf } from './model-view.ts'
import type { ModelState, Operation, RequestState, World } from './model-world.ts'

/** Something happened that the protocol must not let happen. */
export class Violation extends Error {}

/** The ids of all reservations, each once. */
export function reservationIds(ledgers: readonly LedgerState[]): readonly string[] {
  const reservations = ledgers.flatMap(({ names, advances }) => [
    ...names.values().flatMap((name) => name.reservations),
    ...advances.values(),
  ])
  return [...new Set(reservations.map(({ id }) => id))].toSorted()
}

/** The things that time alone ends in the ledgers: ids of reservations, and the texts of closed ones. */
export function outstandingIn(ledgers: readonly LedgerState[]): readonly string[] {
  return [...reservationIds(ledgers), ...ledgers.flatMap(({ settling }) => (settling === '' ? [] : [settling]))]
}

/**
 * A refusal must be of a request that does not fit beside what is stored and what the ledger knows may still be stored. Throws
 * Violation.
 */
export function checkRefusal(
  state: ModelState,
  { replica, ledger, generation }: RequestState,
  operation: Operation,
  world: World,
  decidedOn: LedgerState,
): void {
  if (operation.type === 'remove') return
  const charges = new Map<string, number>()
  const charge = (name: string, cost: number): void =>
    void charges.set(name, Math.max(charges.get(name) ?? (name in state.objects ? -Infinity : 0), cost))
  for (const [name, { costs }] of Object.entries(state.objects)) charge(name, costBy(world, costs, ledger, generation))
  const { released = [], listed = 0, ahead = [] } = state.replicas[replica] ?? {}
  const own = ahead[ledger]?.entries.map(({ request }) => ({ name: request.name, reservations: [request] })) ?? []
  for (const { name, reservations } of [...own, ...decidedOn.names.values()])
    for (const { uid, base, cost, id } of reservations)
      if (!released.includes(id) && !isDisproved(state, listed, uid, base)) charge(name, Number(cost.value()))
  const isTaken = operation.type === 'create' && operation.name in state.objects
  charge(isTaken ? 'beside it' : operation.name, costBy(world, operation.costs, ledger, generation))
  const total = charges.values().reduce((sum, cost) => sum + cost, 0)
  if (total <= (world.limits[ledger] ?? 0)) throw new Violation(`a request is refused that fits: ${total}`)
}

/**
 * Can a replica know that a request was stored or cannot be stored any more? What was gone when the replica started it never saw.
 */
function isDisproved({ events }: ModelState, listed: number, uid: string, base: string): boolean {
  const isForgotten = events.slice(0, listed).some((event) => event.costs === undefined && event.uid === uid)
  return !isForgotten && events.some((event) => event.uid === uid && (base === '' || event.version > Number(base)))
}

/** When nothing is under way, a replica that has seen everything must come to a ledger that holds what is stored. Throws Violation. */
export function checkQuiet(state: ModelState, decisions: Decisions, world: World): void {
  const { generation, events } = state
  for (const [ledger, { text }] of state.ledgers.entries()) {
    const at = { listed: 0, seen: events.length, generation, widenedAt: generation }
    const views = viewsOf(events, at, ledger, world)
    const seen = decisions.look(text, views, [], [], true)
    for (const { reservations } of seen.names.values())
      if (reservations.some(({ uid, base }) => isDisproved(state, 0, uid, base)))
        throw new Violation('room is lost: a reservation stays that was observed')
    const settled = decisions.look(decisions.room.ledgerText(seen), views, [], outstandingIn([seen]))
    const costs = Object.values(state.objects).map((object) => costBy(world, object.costs, ledger, generation))
    const total = costs.reduce((sum, cost) => sum + cost, 0)
    const charged = Number(decisions.room.totalOf(settled).value())
    if (settled.names.size > 0 || settled.advances.size > 0 || settled.settling !== '' || charged !== total)
      throw new Violation(`${charged} are charged for ${total} when all is quiet`)
  }
}
