import type { AheadState } from '../../../src/systems/counted/protocol/ahead-state.ts'

/** An operation on an object, done once, at any time and in any order with the others. */
export type Operation =
  /** `costs`: what the object then costs each budget; where the spec changes, by the first spec and then by the second. */
  | { readonly type: 'create' | 'update' | 'status'; readonly name: string; readonly costs: readonly number[] }
  | { readonly type: 'remove'; readonly name: string }

/** A small world that is explored completely: what there is at first, what is done, and how often what may strike. */
export interface World {
  readonly title: string
  /** The limit of each budget; every one has a ledger. */
  readonly limits: readonly number[]
  readonly objects: Readonly<Record<string, readonly number[]>>
  readonly operations: readonly Operation[]
  readonly replicas?: number
  /** How often a request that was allowed may be refused by somebody behind. */
  readonly failures?: number
  /** How often the answer to a write of a ledger may be lost. */
  readonly lostAnswers?: number
  /** How often a replica may crash and start anew. */
  readonly crashes?: number
  /** How often the time of all requests under way may pass. */
  readonly ticks?: number
  /** How often the API server asks again where an update met another state than it started from. */
  readonly retries?: number
  /** How much the first replica has reserved ahead at first, and each write of a request reserves, as far as there is room. */
  readonly ahead?: number
  /** May the API server start an update from the state of an object before the last? */
  readonly staleReads?: boolean
  /** By which of two specs each generation of the quotas counts; left out: there is one generation. */
  readonly specs?: readonly (0 | 1)[]
  /** Does the second spec count no kinds at all? */
  readonly isSecondEmpty?: boolean
  /**
   * Have the specs no generations? Then the leader tells: worlds of one replica, which does not crash, and looks at its
   * ledger before it sees the next spec.
   */
  readonly isUnnumbered?: boolean
}

/** An object as it is stored. */
export interface StoredObject {
  readonly uid: string
  readonly version: number
  readonly costs: readonly number[]
  /** The generation of the quotas that the last request was decided by which wrote it; 0 where nobody was asked. */
  readonly by: number
}

/** An event of the watch; without costs the object is gone. */
export interface WatchEvent {
  readonly name: string
  readonly uid: string
  readonly version: number
  readonly costs: readonly number[] | undefined
  readonly by: number
}

export interface StoredText {
  readonly version: number
  readonly text: string
}

export type RequestPhase =
  | 'to come'
  /** A replica looks whether it fits, on what it has. */
  | 'looking'
  /** It reads the ledger live. */
  | 'reading'
  /** It brings its view up to date and looks again. */
  | 'catching up'
  /** It writes the ledger. */
  | 'writing'
  /** All is reserved, and the answer is on its way. */
  | 'answering'
  /** The API server may store it. */
  | 'allowed'
  | 'over'

/** A request on its way. */
export interface RequestState {
  readonly phase: RequestPhase
  readonly attempt: number
  readonly replica: number
  readonly uid: string
  readonly base: string
  readonly oldCosts: readonly number[]
  /** Which of the ledgers is being asked, and whether all were asked before anything is written. */
  readonly ledger: number
  readonly isConsulting: boolean
  /** The generation of the quotas that it is decided by. */
  readonly generation: number
  /** The write in flight, and its version. */
  readonly next: StoredText | undefined
  /** The API server does not wait for it any more. */
  readonly isLate: boolean
}

export interface ReplicaState {
  /** The ledgers as it has them. */
  readonly ledgers: readonly StoredText[]
  /** Events that were in its list, and those that it has seen. */
  readonly listed: number
  readonly seen: number
  /** The generation of the quotas that it knows, and the last one that widened them. */
  readonly generation: number
  readonly widenedAt: number
  /** How often it started: another process each time. */
  readonly starts: number
  /** The requests that it allowed ahead, in each ledger. */
  readonly ahead: readonly AheadState[]
  /** Claims and closed ledgers whose time is over. */
  readonly due: readonly string[]
  /** Claims that it has to take out. */
  readonly released: readonly string[]
}

export interface ModelState {
  readonly objects: Readonly<Record<string, StoredObject>>
  readonly revision: number
  /** Of the quotas, as they are stored. */
  readonly generation: number
  readonly events: readonly WatchEvent[]
  readonly ledgers: readonly StoredText[]
  readonly requests: readonly RequestState[]
  readonly replicas: readonly ReplicaState[]
  readonly failures: number
  readonly lostAnswers: number
  readonly crashes: number
  readonly ticks: number
  /** By how much usage rose without that anybody could refuse it, in each budget. */
  readonly debts: readonly number[]
}
