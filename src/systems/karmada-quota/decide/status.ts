import type { QuantityTexts } from '../../../kinds/resource-quota/resource-quota.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { formatResourceList, quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import { type LedgerState, totalsOf } from '../../counted/protocol/ledger-state.ts'
import type { LedgerStatus } from '../../counted/protocol/ledger-status.ts'
import { ledgerText } from '../../counted/protocol/ledger-text.ts'

/** Each limit is an amount of the ledger of its own. */
const LIMIT_ITSELF = (name: string): string => name

/** The status of a KarmadaQuota: the limits in force, their usage with all that was allowed, and the ledger itself. */
export function karmadaQuotaStatus(
  state: LedgerState,
  hard: ResourceList,
  old: LedgerStatus | undefined,
): LedgerStatus {
  return { ...old, ...readable(state, hard), outstanding: ledgerText(state) }
}

/** Does a status say of a ledger what people read there? Somebody else may have written it. */
export function showsLedger(status: LedgerStatus | undefined, state: LedgerState, hard: ResourceList): boolean {
  return jsonEqual({ hard: status?.hard, used: status?.used }, readable(state, hard))
}

function readable(
  state: LedgerState,
  hard: ResourceList,
): { readonly hard: QuantityTexts; readonly used: QuantityTexts } {
  return shownUsage(hard, totalsOf(state, LIMIT_ITSELF))
}

/** The limits and what is used of them, as people read them: a total below 0 is shown as 0. */
export function shownUsage(
  hard: ResourceList,
  totals: ResourceList,
): { readonly hard: QuantityTexts; readonly used: QuantityTexts } {
  const used = Object.keys(hard).map((name): [string, Quantity] => {
    const total = quantityOf(totals, name) ?? Quantity.zero
    return [name, total.sign() < 0 ? Quantity.zero : total]
  })
  return { hard: formatResourceList(hard), used: formatResourceList(Object.fromEntries(used)) }
}
