import { expect, test } from 'vitest'
import { creating, ScriptedServer, ScriptedStore, ScriptedView } from '../../../test/charges/ledger/scripted-ledger.ts'
import { Quantity } from '../../quantity/quantity.ts'
import { LedgerAdmission } from './ledger-admission.ts'
import { LEDGER_AMOUNT } from './ledger-budget.ts'
import { ledgerStatus, readLedger } from './ledger-status.ts'

const LATER = 1_000_000
const READERS = { quotaKey: 'n/q', now: '2026-01-01T00:00:00Z', expiresAt: '2026-01-01T00:01:10Z' }

/** A ledger that says when it is to be kept up. */
async function opened(most: number) {
  const server = new ScriptedServer()
  const views = new ScriptedView(server)
  const store = new ScriptedStore(server)
  const released: number[] = []
  const time = { now: 0 }
  const ledger = new LedgerAdmission({
    ref: { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace: 'n', name: 'q' },
    store,
    views,
    limits: () => ({ [LEDGER_AMOUNT]: Quantity.of(most) }),
    clock: () => time.now,
    statusOf: (state, old) => ledgerStatus(state, old, READERS),
    patience: 70_000,
    onRelease: () => released.push(time.now),
  })
  await ledger.open('')
  const outstanding = (): number => {
    const read = readLedger(store.read()?.status)
    return read.type === 'ledger' ? read.state.names.size : -1
  }
  return { server, views, ledger, time, released, outstanding }
}

test('what was seen is written soon after requests that wait, also where all of these are refused and write nothing', async () => {
  const { server, views, ledger, outstanding } = await opened(3)
  await ledger.reserve([creating('a', 'u0', 1)], LATER)
  server.put('a', 'u0', 1)
  views.see()
  const refused = ledger.reserve([creating('b', 'u1', 9)], LATER).catch((error: unknown) => error)
  expect(await ledger.tidy()).toBe(0)
  expect(outstanding()).toBe(1)
  expect(await refused).toBeInstanceOf(Error)
  expect(await ledger.tidy()).toBeUndefined()
  expect(outstanding()).toBe(0)
})

test('a claim that is given back has the ledger kept up, and does not wait until its time is over', async () => {
  const { ledger, released, outstanding, time } = await opened(3)
  const charge = creating('a', 'u0', 1)
  await ledger.reserve([charge], LATER)
  time.now = 5_000
  ledger.release(charge.claim)
  expect(released).toEqual([5_000])
  expect(await ledger.tidy()).toBeUndefined()
  expect(outstanding()).toBe(0)
})
