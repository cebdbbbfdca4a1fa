import { ApiError, tooManyRequests } from '../../../machinery/status.ts'
import type { Quantity } from '../../../quantity/quantity.ts'
import type { BudgetRef } from '../../../charges/budget.ts'
import type { Exceeded } from '../../../charges/refusal.ts'

/** After how many seconds a client may try again what could not be decided. */
export const RETRY_SECONDS = 1

/** Why a ledger refuses a request, with its amounts before the request: those of the first amount that would exceed its limit. */
export interface LedgerRefusal extends Exceeded {
  /** The whole cost of the object, also where it replaces one that was counted. */
  readonly requested: Quantity
  /** The counted and reserved amount; possibly negative. */
  readonly used: Quantity
  /** The amount that is counted and reserved for other names. */
  readonly usedByOthers: Quantity
  /** The reserved part of it that is not counted yet. */
  readonly reserved: Quantity
  /** The reserved part of `usedByOthers`. */
  readonly reservedByOthers: Quantity
  readonly limit: Quantity
}

/** A request does not fit. Final: decided on what the API server held when it was decided. */
export class LedgerRefused extends Error {
  override readonly name = 'LedgerRefused'
  /** One for each ledger that refuses. */
  readonly refusals: readonly [LedgerRefusal, ...LedgerRefusal[]]

  constructor(refusals: readonly [LedgerRefusal, ...LedgerRefusal[]]) {
    super(`refused by ${refusals.map(({ budget }) => `${budget.kind} ${budget.namespace}/${budget.name}`).join(', ')}`)
    this.refusals = refusals
  }
}

/** Why a ledger that is made again decides nothing at first. */
export const SETTLING_TEXT =
  'the ledger was lost, and requests that it allowed may still be stored: the quota opens when their time is over'

/** Why a ledger decides nothing for a while after a change of the spec. */
export const WIDENED_TEXT =
  'the spec counts more than before, and requests that were allowed by the earlier one may still be stored: the quota opens when their time is over'

/** Why a ledger cannot be decided on now. */
export type LedgerProblem =
  /** There is none, it is empty, or somebody else wrote it: it has to be made first. */
  | 'missing'
  /** A later version wrote it, or it was damaged. */
  | 'unreadable'
  /** Requests that a lost ledger or an earlier spec allowed may still be stored, and no reservation says enough about them. */
  | 'settling'
  /** Not every kind has been counted by the generation that the ledger has, here or there. */
  | 'not counted'
  /** The API server did not answer; what was written is not known. */
  | 'unreachable'

/** A request cannot be decided now; trying again later helps, or for `unreadable` what the message says. */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
  readonly ref: BudgetRef
  readonly problem: LedgerProblem

  constructor(ref: BudgetRef, problem: LedgerProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.ref = ref
    this.problem = problem
  }
}

/**
 * A request would fit without the advances of other replicas. They give these back within seconds, unless they crashed.
 */
export class RoomHeldAhead extends ApiError {
  constructor({ kind, name }: BudgetRef, retrySeconds: number) {
    super(
      tooManyRequests(
        `other replicas hold the last room of ${kind} "${name}" for requests that may still come`,
        retrySeconds,
      ).status,
    )
  }
}
