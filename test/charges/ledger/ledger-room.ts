import * as advance from '../../../src/systems/counted/protocol/advance.ts'
import * as aheadState from '../../../src/systems/counted/protocol/ahead-state.ts'
import * as fold from '../../../src/systems/counted/protocol/fold.ts'
import * as ledgerBudget from '../../../src/systems/counted/protocol/ledger-budget.ts'
import * as ledgerState from '../../../src/systems/counted/protocol/ledger-state.ts'
import * as ledgerText from '../../../src/systems/counted/protocol/ledger-text.ts'
import * as lowering from '../../../src/systems/counted/protocol/lowering.ts'
import * as namespaceShare from '../../../src/systems/counted/protocol/namespace-share.ts'
import * as compactUid from '../../../src/systems/counted/protocol/compact-uid.ts'
import * as reserve from '../../../src/systems/counted/protocol/reserve.ts'
import * as tidied from '../../../src/systems/counted/protocol/tidied.ts'
import * as widening from '../../../src/systems/counted/protocol/widening.ts'
import * as resourceVersion from '../../../src/machinery/resource-version.ts'
import * as quantity from '../../../src/quantity/quantity.ts'
import * as resourceList from '../../../src/quantity/resource-list.ts'
import * as fill from '../../../src/charges/fill.ts'
import { mutant, type Mutation, unchanged } from '../mutant.ts'

/** The reducer of production, or a mutant of it: all that decides and no I/O. */
export type LedgerRoom = typeof ledgerState &
  typeof fold &
  typeof reserve &
  typeof ledgerBudget &
  typeof lowering &
  typeof ledgerText &
  typeof widening &
  typeof tidied &
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
  ...tidied,
  ...advance,
  ...aheadState,
}

const OUTSIDE: Readonly<Record<string, object>> = {
  '../../../quantity/quantity.ts': quantity,
  '../../../quantity/resource-list.ts': resourceList,
  '../../../charges/fill.ts': fill,
  '../../../machinery/resource-version.ts': resourceVersion,
  './compact-uid.ts': compactUid,
}

/** In the order in which they import each other. */
const FILES = [
  'ledger-state.ts',
  'namespace-share.ts',
  'lowering.ts',
  'widening.ts',
  'fold.ts',
  'reserve.ts',
  'ledger-budget.ts',
  'ledger-text.ts',
  'tidied.ts',
  'advance.ts',
  'ahead-state.ts',
] as const

export type LedgerMutation = Mutation & { readonly file: (typeof FILES)[number] }

/** The reducer with one change in one of its files. */
export function mutatedRoom(mutation: LedgerMutation): LedgerRoom {
  const imports: Record<string, object> = { ...OUTSIDE, './namespace-share.ts': namespaceShare }
  const room: Record<string, unknown> = {}
  for (const file of FILES) {
    const url = new URL(`../../../src/systems/counted/protocol/${file}`, import.meta.url)
    const exported = file === mutation.file ? mutant(url, mutation, imports) : unchanged(url, imports)
    imports[`./${file}`] = exported
    Object.assign(room, exported)
  }
  return room as LedgerRoom
}
