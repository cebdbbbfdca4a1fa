import type { LedgerStore } from '../protocol/ledger-store.ts'
import { readLedger } from '../protocol/ledger-status.ts'

/** Has the ledger something that time alone may end: reservations, that it settles, a limit that is being lowered, or a namespace that waits? */
export function isOutstanding({ store }: { readonly store: Pick<LedgerStore, 'read'> }): boolean {
  const read = readLedger(store.read()?.status)
  if (read.type !== 'ledger') return false
  const { names, settling, lowering, waits } = read.state
  const isWaiting = waits.values().some(({ rounds }) => rounds > 0)
  return names.size > 0 || settling !== '' || lowering !== undefined || isWaiting
}
