import * as advance from '../../../src/systems/counted/protocol/advance.ts'
import * as aheadState from '../../../src/systems/counted/protocol/ahead-state.ts'
import * as fold from '../../../src/systems/counted/protocol/fold.ts'
import * as ledgerBudget from '../../../src/systems/counted/protocol/ledger-budget.ts'
import * as ledgerState from '../../../src/systems/counted/protocol/ledger-state.ts'
import * as ledgerText from '../../../src/systems/counted/protocol/ledger-text.ts'
import * as lowering from '../../../src/systems/counted/protocol/lowering.ts'
import * as reserve from '../../../src/systems/counted/protocol/reserve.ts'
import * as reconciled from '../../../src/systems/counted/protocol/reconciled.ts'
import * as widening from '../../../src/systems/counted/protocol/widening.ts'

/** The reducer of production, or a mutant of it: all that decides and no I/O. */
export type LedgerRoom = typeof ledgerState &
  typeof fold &
  typeof reserve &
  typeof ledgerBudget &
  typeof lowering &
  typeof ledgerText &
  typeof widening &
  typeof reconciled &
  typeof advance &
  typeof aheadState

export const PRODUCTION: LedgerRoom = {
  ...ledgerState,
  ...fold,
  ...reserve,
  ...ledgerBudget,
  ...lowering,
  ...ledgerText,
  ...widening,
  ...reconciled,
  ...advance,
  ...aheadState,
}
