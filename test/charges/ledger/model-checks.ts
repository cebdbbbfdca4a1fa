import { isAdvance, type LedgerState } from '../../../src/charges/ledger/ledger-state.ts'
import type { Decisions } from './model-decisions.ts'
import { viewsOf } from './model-view.ts'
import type { ModelState, Operation, RequestState } from './model-world.ts'

/** Something happened that the protocol must not let happen. */
export class Violation extends Error {}

/** The claims of all reservations, each once. */
export function claimsOf(ledgers: readonly LedgerState[]): readonly string[] {
  const names = ledgers.flatMap((one) => [...one.names.values()])
  return [...new Set(names.flatMap(({ reservations }) => reservations.map(({ claim }) => claim)))].toSorted()
}

/**
 * A refusal must be of a request that does not fit beside what is stored and what the ledger knows may still be stored. Throws
 * Violation.
 */
export function checkRefusal(
  state: ModelState,
  { replica, ledger }: RequestState,
  operation: Operation,
  limit: number,
  decidedOn: LedgerState,
): void {
  if (operation.type === 'remove') return
  const charges = new Map<string, number>()
  const charge = (name: string, cost: number): void =>
    void charges.set(name, Math.max(charges.get(name) ?? (name in state.objects ? -Infinity : 0), cost))
  for (const [name, { costs }] of Object.entries(state.objects)) charge(name, costs[ledger] ?? 0)
  const { released = [], listed = 0, ahead = [] } = state.replicas[replica] ?? {}
  const own = ahead[ledger]?.entries.map(({ request }) => ({ name: request.name, reservations: [request] })) ?? []
  const named = decidedOn.names.values().filter((one) => !isAdvance(one))
  for (const { name, reservations } of [...own, ...named])
    for (const { uid, base, cost, claim } of reservations)
      if (!released.includes(claim) && !isDisproved(state, listed, uid, base)) charge(name, Number(cost.value()))
  const isTaken = operation.type === 'create' && operation.name in state.objects
  charge(isTaken ? 'beside it' : operation.name, operation.costs[ledger] ?? 0)
  const total = charges.values().reduce((sum, cost) => sum + cost, 0)
  if (total <= limit) throw new Violation(`a request is refused that fits: ${total}`)
}

/**
 * Can a replica know that a request was stored or cannot be stored any more? What was gone when the replica started it never saw.
 */
function isDisproved({ events }: ModelState, listed: number, uid: string, base: string): boolean {
  const isForgotten = events.slice(0, listed).some((event) => event.costs === undefined && event.uid === uid)
  return !isForgotten && events.some((event) => event.uid === uid && (base === '' || event.version > Number(base)))
}

/** When nothing is under way, a replica that has seen everything must come to a ledger that holds what is stored. Throws Violation. */
export function checkQuiet(state: ModelState, decisions: Decisions): void {
  for (const [ledger, { text }] of state.ledgers.entries()) {
    const views = viewsOf(state.events, 0, state.events.length, ledger)
    const seen = decisions.look(text, views, [], [])
    for (const { reservations } of seen.names.values())
      if (reservations.some(({ uid, base }) => isDisproved(state, 0, uid, base)))
        throw new Violation('room is lost: a reservation stays that was observed')
    const settled = decisions.look(text, views, [], claimsOf([seen]))
    const total = Object.values(state.objects).reduce((sum, { costs }) => sum + (costs[ledger] ?? 0), 0)
    const charged = Number(decisions.room.totalOf(settled).value())
    if (settled.names.size > 0 || charged !== total)
      throw new Violation(`${charged} are charged for ${total} when all is quiet`)
  }
}
