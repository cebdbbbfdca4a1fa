import type { AheadState } from '../../../src/systems/counted/protocol/ahead-state.ts'
import type { LedgerViews } from '../../../src/systems/counted/protocol/kind-view.ts'
import type { LedgerState } from '../../../src/systems/counted/protocol/ledger-state.ts'
import type { ChargeRequest } from '../../../src/systems/counted/protocol/reserve.ts'
import type { LedgerRoom } from './ledger-room.ts'
import { amount, KIND } from './model-view.ts'

/** The work of the ledger's port between reading and writing, as one step. */
export class Decisions {
  readonly room: LedgerRoom
  readonly #states = new Map<string, LedgerState>()

  constructor(room: LedgerRoom) {
    this.room = room
  }

  /** The state that a text holds. */
  read(text: string): LedgerState {
    let state = this.#states.get(text)
    if (state === undefined) this.#states.set(text, (state = this.room.readLedgerText(text)))
    return state
  }

  /** The ledger as a replica sees it. */
  look(
    text: string,
    views: LedgerViews,
    released: readonly string[],
    due: readonly string[],
    mayClose = false,
  ): LedgerState {
    const { reconciled, release } = this.room
    const read = this.read(text)
    const isSettled = read.settling !== '' && due.includes(read.settling)
    const state = reconciled(read, views, { over: new Set(due), isSettled }, mayClose)
    return released.length === 0 ? state : release(state, new Set(released))
  }

  /** The ledger as a replica decides on it that allowed requests ahead. */
  lookAhead(state: LedgerState, views: LedgerViews, owner: string, { entries }: AheadState): LedgerState {
    const { withNamed, withoutAdvance, canFold } = this.room
    if (!canFold(state, views)) return state
    return withNamed(
      withoutAdvance(state, owner),
      views,
      entries.map(({ request }) => request),
    )
  }

  /** Begins the write of a ledger, with so much ahead as there is room for; undefined where it has to be looked at again. */
  begin(
    ahead: AheadState,
    state: LedgerState,
    views: LedgerViews,
    { owner, id, most, limit }: { owner: string; id: string; most: number; limit: number },
  ): { readonly ahead: AheadState; readonly text: string } | undefined {
    const { beginWrite, roomIn, ledgerText } = this.room
    const room = roomIn(state, views, { amount: amount(limit) })
    const wanted = amount(most)
    const begun = beginWrite(ahead, state, ahead.order, {
      owner,
      id,
      amount: wanted.cmp(room) < 0 ? wanted : room,
      room: () => room,
    })
    return begun && { ahead: begun.ahead, text: ledgerText(begun.ledger) }
  }

  /** The ledger to write for a request that fits; undefined for one that does not. */
  fit(state: LedgerState, views: LedgerViews, limit: number, charge: ChargeRequest): LedgerState | undefined {
    const { ledgerAmounts, decideCharges, prepareRequest, reserve } = this.room
    const request = prepareRequest(state, views, charge)
    const room = ledgerAmounts({ limits: () => ({ amount: amount(limit) }) }, state, views)
    const [decision] = decideCharges(room, [{ prepared: [request], dryRun: false }])
    return decision?.verdict === 'admitted' ? reserve(state, request) : undefined
  }
}

/** The request in the production's words. */
export function chargeOf(
  { type, name }: { readonly type: string; readonly name: string },
  request: { readonly uid: string; readonly base: string; readonly attempt: number },
  costs: { readonly cost: number; readonly oldCost: number },
  index: number,
): ChargeRequest {
  return {
    operation: type === 'create' ? 'CREATE' : 'UPDATE',
    kind: KIND,
    namespace: 'n',
    name,
    uid: request.uid,
    base: request.base,
    cost: amount(costs.cost),
    oldCost: amount(costs.oldCost),
    id: reservationId(index, request.attempt),
  }
}

export const reservationId = (request: number, attempt: number): string => `r${request}.${attempt}`
