import type { OperatorContext } from '../../../operator/system.ts'
import type { ChargedTogether } from './charged-together.ts'
import type { Foresight } from './foreseen-request.ts'

/** Connects a system that reserves room in ledgers to the others whose quotas count the same objects. */
export interface QuotaPeers {
  readonly together: ChargedTogether
  /** Begins to watch the ResourceQuotas. */
  readonly foresight: (context: Pick<OperatorContext, 'client' | 'clock' | 'logger' | 'caches'>) => Foresight
}
