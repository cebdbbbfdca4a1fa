import type { LedgerStore } from '../protocol/ledger-store.ts'
import { readLedger } from '../protocol/ledger-status.ts'

/**
 * Reports whether the ledger holds something that time alone may end. That is a reservation, a closure, a lowering, or
 * a namespace that waits.
 */
export function isOutstanding({ store }: { readonly store: Pick<LedgerStore, 'read'> }): boolean {
  const read = readLedger(store.read()?.status)
  if (read.type !== 'ledger') return false
  const { names, settling, lowering, waits } = read.state
  const isWaiting = waits.values().some(({ rounds }) => rounds > 0)
  return names.size > 0 || settling !== '' || lowering !== undefined || isWaiting
}
