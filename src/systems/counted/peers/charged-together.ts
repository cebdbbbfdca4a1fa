import type { LedgerCharge } from '../protocol/admit-all.ts'
import type { AdmissionDecision } from '../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'

/** The charges of a request to the ledgers of a system, or the answer where they are not known or nothing. */
export type ChargesOfSystem =
  | { readonly decided: AdmissionDecision }
  | { readonly decided?: undefined; readonly charges: readonly LedgerCharge[] }

/** Finds what a request costs a system. The ids of the charges are left open. */
export type FindCharges = (request: AdmissionRequest, signal: AbortSignal) => Promise<ChargesOfSystem>

const NOTHING: ChargesOfSystem = { charges: [] }

/**
 * Connects two systems whose quotas count the same objects. The API server asks a webhook of each about one request at
 * the same time. Each webhook charges the ledgers of both systems, or none. So no room is held for a request that
 * either system refuses. Both webhooks charge the same name, and only the larger charge counts.
 */
export class ChargedTogether {
  readonly #finders = new Map<string, FindCharges>()

  /** Passes the costs of requests in this system to the others, which charge them. */
  provide(system: string, find: FindCharges): void {
    this.#finders.set(system, find)
  }

  /** The charges of a request to the other system. */
  async others(system: string, request: AdmissionRequest, signal: AbortSignal): Promise<ChargesOfSystem> {
    for (const [name, find] of this.#finders)
      if (name !== system) {
        const found = await find(request, signal)
        return found.decided?.verdict === 'allowed' ? NOTHING : found
      }
    return NOTHING
  }
}

/** The same charges with this id. */
export const withReservationId = (charges: readonly LedgerCharge[], id: string): readonly LedgerCharge[] =>
  charges.map((one) => ({ ...one, charges: one.charges.map((amount) => ({ ...amount, id })) }))
