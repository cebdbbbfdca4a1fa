import { randomBytes } from 'node:crypto'
import { admitAll, type LedgerCharge } from '../../../charges/ledger/admit-all.ts'
import { LedgerRefused, LedgerUnavailable } from '../../../charges/ledger/ledger-errors.ts'
import { kindKey } from '../../../charges/ledger/ledger-state.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { ApiError } from '../../../machinery/status.ts'
import type { Clock } from '../../../kube/time/clock.ts'
import type { ChargedRequest, ChargeOutcome } from './calculation-handler.ts'
import type { QuotaLedger, QuotaLedgers } from './quota-ledgers.ts'

const TOO_MANY_REQUESTS = 429

/** Charges requests to the ledgers of all quotas that count their objects, or to none. */
export class QuotaCharges {
  readonly #ledgers: QuotaLedgers
  readonly #clock: Pick<Clock, 'monotonic'>
  /** Names this process among all replicas, and its claims with a number. */
  readonly #process = randomBytes(6).toString('base64url')
  #claims = 0

  constructor(ledgers: QuotaLedgers, clock: Pick<Clock, 'monotonic'>) {
    this.#ledgers = ledgers
    this.#clock = clock
  }

  async charge(request: ChargedRequest): Promise<ChargeOutcome> {
    const { reviewed, kind, quotas, dryRun, withinMs, signal } = request
    const { operation, namespace, name, uid, base } = reviewed
    const claim = `${this.#process}${(this.#claims++).toString(36)}`
    const ledgers = quotas.map(({ tracked }) => this.#ledgers.of(tracked))
    const before = ledgers.map(allocatedIn)
    const charges: readonly LedgerCharge[] = quotas.map(({ tracked, cost, oldCost }) => ({
      ledger: this.#ledgers.of(tracked).admission,
      charges: [{ operation, kind: kindKey(kind), namespace, name, uid, base, cost, oldCost, claim }],
    }))
    try {
      await admitAll(charges, this.#clock.monotonic() + withinMs, dryRun)
    } catch (error) {
      if (error instanceof LedgerRefused) return { type: 'denied', refusals: error.refusals }
      if (error instanceof LedgerUnavailable) return { type: 'later', message: `${nameOf(error)}: ${error.message}` }
      if (error instanceof ApiError && error.status.code === TOO_MANY_REQUESTS)
        return { type: 'later', message: error.message }
      throw error
    }
    if (!signal.aborted || dryRun) {
      const changes = quotas.map(({ tracked, cost, oldCost }, index) => {
        const was = before[index] ?? Quantity.zero
        const after = dryRun ? was.add(cost.sub(oldCost)) : allocatedIn(ledgers[index])
        return { ref: tracked.ref, before: was, after, limit: tracked.compiled?.limit ?? Quantity.zero }
      })
      return { type: 'admitted', changes }
    }
    for (const { ledger } of charges) ledger.release(claim)
    return { type: 'later', message: 'the API server does not wait any more' }
  }
}

/** Returns the usage by the ledger, for people. */
function allocatedIn(ledger: QuotaLedger | undefined): Quantity {
  const allocated = ledger?.store.read()?.status?.allocated
  return allocated === undefined ? Quantity.zero : Quantity.fromJson(allocated)
}

const nameOf = ({ ref: { kind, namespace, name } }: LedgerUnavailable): string =>
  `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`
