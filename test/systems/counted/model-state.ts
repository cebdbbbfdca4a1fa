import type { AheadState } from '../../../src/systems/counted/protocol/ahead-state.ts'
import type { ModelState, ReplicaState, RequestState, StoredText } from './model-world.ts'

/** A request that nobody has made yet. */
export const IDLE: RequestState = {
  phase: 'to come',
  attempt: 0,
  replica: 0,
  uid: '',
  base: '',
  oldCosts: [],
  ledger: 0,
  isConsulting: false,
  generation: 0,
  next: undefined,
  isLate: false,
}

/** Is a replica at it? */
export function isDecided({ phase }: RequestState): boolean {
  return phase !== 'to come' && phase !== 'allowed' && phase !== 'over'
}

export function withRequest(state: ModelState, index: number, change: Partial<RequestState>): ModelState {
  const request = { ...(state.requests[index] ?? IDLE), ...change }
  return {
    ...state,
    requests: state.requests.with(index, request.phase === 'over' ? { ...IDLE, phase: 'over' } : request),
  }
}

export function withReplica(state: ModelState, index: number, replica: ReplicaState): ModelState {
  return { ...state, replicas: state.replicas.with(index, replica) }
}

export function withLedger(replica: ReplicaState, ledger: number, stored: StoredText): ReplicaState {
  return { ...replica, ledgers: replica.ledgers.with(ledger, stored) }
}

export function withAhead(
  state: ModelState,
  index: number,
  ledger: number,
  change: (ahead: AheadState) => AheadState,
): ModelState {
  const replica = state.replicas[index]
  const ahead = replica?.ahead[ledger]
  if (replica === undefined || ahead === undefined) return state
  return withReplica(state, index, { ...replica, ahead: replica.ahead.with(ledger, change(ahead)) })
}
