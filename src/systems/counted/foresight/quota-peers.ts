import type { ChargedTogether } from './charged-together.ts'
import type { QuotaReservations } from './quota-reservations.ts'

/** Connects a system that reserves room in ledgers to the others whose quotas count the same objects. */
export interface QuotaPeers {
  readonly reservations: QuotaReservations
  readonly together: ChargedTogether
}
