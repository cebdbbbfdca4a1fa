import type { AwaitedReview, ForeseenRequest } from '../../../counted/peers/foreseen-request.ts'
import type { WriteAttributes } from './reviewed-attributes.ts'

/** The part of allot that admits requests for ResourceQuotas in place of the admission plugin of the API server. */
interface QuotaAdmitter {
  readonly areEnforced: boolean
  /** Reserves what a request costs; undefined where nothing is to be reserved. */
  readonly reserve: (
    attributes: WriteAttributes,
    review: AwaitedReview,
  ) => Promise<ForeseenRequest | undefined> | undefined
}

/**
 * Connects the system that enforces ResourceQuotas, if it runs, to other systems. These reserve room of other quotas for the same requests.
 */
export class QuotaReservations {
  #admitter: QuotaAdmitter | undefined

  provide(admitter: QuotaAdmitter): void {
    this.#admitter = admitter
  }

  /** Does allot refuse what exceeds ResourceQuotas, and not the API server? */
  get areEnforced(): boolean {
    return this.#admitter?.areEnforced === true
  }

  reserve(attributes: WriteAttributes, review: AwaitedReview): Promise<ForeseenRequest | undefined> | undefined {
    return this.#admitter?.reserve(attributes, review)
  }
}
