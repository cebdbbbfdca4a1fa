import type { LedgerCharge } from '../../../counted/protocol/admit-all.ts'
import { kindKey } from '../../../counted/protocol/ledger-state.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import type { Clock } from '../../../../kube/time/clock.ts'
import type { ChargedRequest, ChargeOutcome, RaisedCosts } from './calculation-handler.ts'
import { claimedBy } from '../../../counted/foresight/charged-together.ts'
import { Charging } from '../../../counted/replica/charging.ts'
import type { QuotaLedger, QuotaLedgers } from '../../../counted/quota-ledgers.ts'
import type { TrackedQuota } from '../tracking/tracked-custom-quota.ts'

/** Charges requests to the ledgers of all quotas that count their objects, or to none. */
export class QuotaCharges {
  readonly #ledgers: QuotaLedgers<TrackedQuota>
  readonly #charging: Charging

  constructor(ledgers: QuotaLedgers<TrackedQuota>, clock: Pick<Clock, 'monotonic'>) {
    this.#ledgers = ledgers
    this.#charging = new Charging(clock)
  }

  /** The charges of a request; the claim is left open. */
  chargesOf({ reviewed, kind, quotas }: RaisedCosts): readonly LedgerCharge[] {
    const { operation, namespace, name, uid, base } = reviewed
    return quotas.map(({ tracked, cost, oldCost }) => ({
      ledger: this.#ledgers.of(tracked).admission,
      charges: [{ operation, kind: kindKey(kind), namespace, name, uid, base, cost, oldCost, claim: '' }],
    }))
  }

  async charge(request: ChargedRequest): Promise<ChargeOutcome> {
    const { quotas, others, dryRun, withinMs, signal } = request
    const claim = this.#charging.claim()
    const ledgers = quotas.map(({ tracked }) => this.#ledgers.of(tracked))
    const before = ledgers.map(balanceOf)
    const charges = claimedBy([...this.chargesOf(request), ...others], claim)
    const outcome = await this.#charging.charge(charges, claim, { dryRun, withinMs, signal })
    if (outcome.type !== 'admitted') return outcome
    const changes = quotas.map(({ tracked, cost, oldCost }, index) => {
      const was = before[index] ?? Quantity.zero
      const after = dryRun ? was.add(cost.sub(oldCost)) : balanceOf(ledgers[index])
      return { ref: tracked.ref, before: was, after, limit: tracked.compiled?.limit ?? Quantity.zero }
    })
    return { type: 'admitted', changes }
  }
}

/** Returns the usage by the ledger, for people. */
function balanceOf(ledger: QuotaLedger<TrackedQuota> | undefined): Quantity {
  return ledger?.admission.balance ?? Quantity.zero
}
