import { LedgerAdmission } from '../../../src/systems/counted/protocol/ledger-admission.ts'
import { LEDGER_AMOUNT } from '../../../src/systems/counted/protocol/ledger-budget.ts'
import { LedgerRefused, LedgerUnavailable } from '../../../src/systems/counted/protocol/ledger-errors.ts'
import type { LedgerOptions } from '../../../src/systems/counted/protocol/ledger-options.ts'
import { ledgerStatus } from '../../../src/systems/counted/protocol/ledger-status.ts'
import { ApiError } from '../../../src/machinery/status.ts'
import { Quantity } from '../../../src/quantity/quantity.ts'
import { ScriptedServer, ScriptedStore, ScriptedView } from './scripted-ledger.ts'

/** A deadline that no request misses. */
export const LATER = 1_000_000
export const PATIENCE = 70_000
export const READERS = { quotaKey: 'n/q', now: '2026-01-01T00:00:00Z', expiresAt: '2026-01-01T00:01:10Z' }

interface SetUp extends Partial<Pick<LedgerOptions, 'ahead' | 'createMs' | 'onRelease' | 'share'>> {
  readonly server?: ScriptedServer
  readonly store?: ScriptedStore
  readonly views?: ScriptedView
  readonly time?: { now: number }
  readonly name?: string
  readonly namespace?: string
  readonly limit?: () => number
}

/** A ledger of one amount with this limit, as a replica admits requests on it. */
export function setUp(most = 3, options: SetUp = {}) {
  const {
    server = new ScriptedServer(),
    name = 'q',
    namespace = 'n',
    limit = () => most,
    views = new ScriptedView(server),
    time = { now: 0 },
    store = new ScriptedStore(server),
    ...rest
  } = options
  const ledger = new LedgerAdmission({
    ref: { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace, name },
    store,
    views,
    limits: () => ({ [LEDGER_AMOUNT]: Quantity.of(limit()) }),
    clock: () => time.now,
    statusOf: (state, old) => ledgerStatus(state, old, READERS),
    patience: PATIENCE,
    ...rest,
  })
  return { server, views, store, ledger, time }
}

/** The decision on a request, as a word. */
export const outcome = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise
    return 'allowed'
  } catch (error) {
    if (error instanceof LedgerRefused)
      return `refused ${error.refusals.map(({ used, requested, limit }) => `${used.toString()}+${requested.toString()}>${limit.toString()}`).join(' ')}`
    if (error instanceof ApiError) return String(error.status.code)
    if (error instanceof LedgerUnavailable) return error.problem
    throw error
  }
}

/** Two replicas of one server that know the limit as of their generation, of which the first is counted already. */
export async function twoReplicas(limits: readonly number[]) {
  const server = new ScriptedServer()
  const replicas = [0, 1].map(() => {
    const views = new ScriptedView(server)
    const limit = () => limits[views.generation - 1] ?? 0
    return { ...setUp(0, { server, views, limit }), limit }
  })
  const [first, second] = replicas
  if (first === undefined || second === undefined) throw new Error('there are two')
  await first.ledger.open('')
  await second.store.readLive()
  return { server, first, second }
}
