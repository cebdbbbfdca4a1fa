import type { BudgetRef } from '../../../charges/budget.ts'
import type { Quantity } from '../../../quantity/quantity.ts'
import { LedgerRefused, type LedgerRefusal } from './ledger-errors.ts'
import { type ChargeRequest, isFree } from './reserve.ts'
import { compareText } from '../../../machinery/text/compare.ts'

/** How much a ledger counted and had reserved for requests before a request was decided, and with it. A dry run adds nothing. */
export interface UsageStep {
  readonly before: Quantity
  readonly after: Quantity
}

/** A ledger that a request is charged to; `LedgerAdmission` is one. `onCharged`: called once the request is charged, or may be. */
export interface ChargedLedger {
  readonly ref: BudgetRef
  reserve(charges: readonly ChargeRequest[], deadline: number, onCharged?: OnCharged): Promise<void>
  consult(charges: readonly ChargeRequest[], deadline: number, onCharged?: OnCharged): Promise<void>
  release(id: string): void
  /** Reserves a request at once, where the ledger has room for it ahead of requests. */
  reserveAhead?(charges: readonly ChargeRequest[], onCharged?: OnCharged): boolean
}

export type OnCharged = (usage: UsageStep) => void

/** The costs of a request for one ledger: one for each of its amounts, all with the same id. */
export interface LedgerCharge {
  readonly ledger: ChargedLedger
  readonly charges: readonly ChargeRequest[]
  readonly onCharged?: OnCharged
}

/**
 * Charges a request to all ledgers or to none. Ledgers whose cost does not rise are left out. If there are several, all
 * decide first, and one refusal ends the request. Then they reserve in the order of their names, so that one of two
 * requests always gets ahead. Rejects as `LedgerAdmission.reserve` does. LedgerRefused holds the refusals of all
 * ledgers.
 */
export async function admitAll(charges: readonly LedgerCharge[], deadline: number, dryRun: boolean): Promise<void> {
  const charged = charges.filter((one) => !one.charges.every(isFree)).toSorted(compareLedgers)
  if (dryRun) {
    await consultAll(charged, deadline)
    return
  }
  const reserved = charged.filter((one) => one.ledger.reserveAhead?.(one.charges, one.onCharged) === true)
  const others = charged.filter((one) => !reserved.includes(one))
  try {
    if (others.length > 1) await consultAll(others, deadline)
    for (const one of others) {
      await one.ledger.reserve(one.charges, deadline, one.onCharged)
      reserved.push(one)
    }
  } catch (error) {
    for (const {
      ledger,
      charges: [first],
    } of reserved)
      if (first !== undefined) ledger.release(first.id)
    throw error
  }
}

async function consultAll(charges: readonly LedgerCharge[], deadline: number): Promise<void> {
  const outcomes = await Promise.allSettled(
    charges.map((one) => one.ledger.consult(one.charges, deadline, one.onCharged)),
  )
  const errors = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []))
  // A request that cannot be decided now may be allowed later, so a final refusal of another ledger comes first.
  const refusals: LedgerRefusal[] = errors.flatMap((error) => (error instanceof LedgerRefused ? error.refusals : []))
  const [first, ...others] = refusals
  if (first !== undefined) throw new LedgerRefused([first, ...others])
  if (errors.length > 0) throw errors[0]
}

function compareLedgers({ ledger: a }: LedgerCharge, { ledger: b }: LedgerCharge): number {
  return (
    compareText(a.ref.group, b.ref.group) ||
    compareText(a.ref.kind, b.ref.kind) ||
    compareText(a.ref.namespace, b.ref.namespace) ||
    compareText(a.ref.name, b.ref.name)
  )
}
