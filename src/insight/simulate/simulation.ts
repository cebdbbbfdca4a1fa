import type { ObjectId } from '../explain/explanation.ts'

/** What became of one manifest. */
export interface ChangeResult {
  readonly object: ObjectId
  /** The step that it belongs to, from 1. */
  readonly step: number
  readonly result: 'created' | 'changed' | 'unchanged' | 'deleted' | 'refused' | 'ignored' | 'skipped'
  /** Of a refusal: the very words of the API server. Why it is ignored or skipped, or that its name is invented. */
  readonly message?: string
  /** What the API server would say to its writer beside that; left out: nothing. */
  readonly warnings?: readonly string[]
}

/** A value before all changes and after them; one of them is absent where there was or is none. */
export interface Shift {
  readonly before?: string
  readonly after?: string
}

/** A limit of a quota that has changed, or its usage. */
export interface LimitShift {
  readonly resource: string
  readonly hard: Shift
  readonly used: Shift
}

export interface QuotaShift {
  readonly namespace: string
  readonly name: string
  readonly change: 'created' | 'changed' | 'deleted'
  readonly limits: readonly LimitShift[]
}

/** A quota that counts objects of any kinds. */
export interface CountedQuotaShift extends QuotaShift {
  readonly kind: string
  /** Why it refuses whatever it counts. */
  readonly problem?: string
}

export interface PoolShift {
  readonly name: string
  readonly change: 'created' | 'changed' | 'deleted'
  /** `hard`: its size. `used`: what claims have of it. */
  readonly limits: readonly LimitShift[]
}

/** Where a claim on a pool stands. */
export interface ClaimStanding {
  readonly state: 'allocated' | 'waiting' | 'ended' | 'undecided'
  /** Empty: none. */
  readonly pool: string
  /** Its place in the queue. */
  readonly position?: number
  readonly message?: string
}

export interface ClaimShift {
  readonly namespace: string
  readonly name: string
  readonly before?: ClaimStanding
  readonly after?: ClaimStanding
}

/** What a quota increase contributes, and why it does not contribute what it should. */
export interface IncreaseStanding {
  readonly contributes: string
  /** What decides about it may not be read. */
  readonly state?: 'undecided'
  readonly problem?: string
}

export interface IncreaseShift {
  readonly namespace: string
  readonly name: string
  readonly before?: IncreaseStanding
  readonly after?: IncreaseStanding
}

export interface WorkloadShift {
  readonly object: ObjectId
  /** How many pods it has, and how many it is to have. */
  readonly pods: { readonly before: number; readonly after: number; readonly wanted: number }
  readonly verdict: 'up' | 'stalls' | 'unknown'
  /** Why it stalls. */
  readonly causes: readonly { readonly type: string; readonly text: string }[]
  /** Rollouts that would stall, autoscalers that would be capped. */
  readonly warnings: readonly { readonly type: string; readonly text: string }[]
}

/** What would come of changes: what `allot simulate -o json` prints. */
export interface Simulation {
  readonly format: 1
  /**
   * `refused`: a manifest is. `stalls`: all manifests are admitted, and something does not get what it wants. `unknown`: something that decides could not
   * be seen, or is not simulated.
   */
  readonly verdict: 'fits' | 'stalls' | 'refused' | 'unknown'
  readonly changes: readonly ChangeResult[]
  readonly quotas: readonly QuotaShift[]
  /** CustomQuotas, GlobalCustomQuotas and KarmadaQuotas. */
  readonly countedQuotas: readonly CountedQuotaShift[]
  readonly pools: readonly PoolShift[]
  readonly claims: readonly ClaimShift[]
  readonly increases: readonly IncreaseShift[]
  readonly workloads: readonly WorkloadShift[]
  /** Why it is not known whether the changes fit, a sentence each. */
  readonly undecided: readonly string[]
  /** What could not be read, so that nothing is said of it. */
  readonly notSeen: readonly string[]
}
