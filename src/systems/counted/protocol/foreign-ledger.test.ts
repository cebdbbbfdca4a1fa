// Covers ledger-admission.ts and ledger-status.ts, with a ledger that others wrote.
import { expect, test } from 'vitest'
import { LATER, PATIENCE, READERS } from '../../../../test/systems/counted/admission-set-up.ts'
import {
  creating,
  ScriptedServer,
  ScriptedStore,
  ScriptedView,
} from '../../../../test/systems/counted/scripted-ledger.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { LedgerAdmission } from './ledger-admission.ts'
import { LEDGER_AMOUNT } from './ledger-budget.ts'
import { LedgerUnavailable } from './ledger-errors.ts'
import { ledgerStatus, showsAmounts } from './ledger-status.ts'

function setUp(limit: number) {
  const server = new ScriptedServer()
  const views = new ScriptedView(server)
  const store = new ScriptedStore(server)
  const time = { now: 0 }
  const ledger = new LedgerAdmission({
    ref: { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace: 'n', name: 'q' },
    store,
    views,
    limits: () => ({ [LEDGER_AMOUNT]: Quantity.of(limit) }),
    clock: () => time.now,
    statusOf: (state, old) => ledgerStatus(state, old, READERS),
    shows: showsAmounts,
    patience: PATIENCE,
  })
  const problem = async (): Promise<string> => {
    try {
      await ledger.reserve([creating('b', 'u2', 1)], LATER)
      return 'allowed'
    } catch (error) {
      return error instanceof LedgerUnavailable ? error.problem : 'refused'
    }
  }
  return { server, store, ledger, time, problem }
}

test('a ledger that somebody else wrote decides nothing, and is only made again closed', async () => {
  const { server, store, ledger, time, problem } = setUp(1)
  await ledger.open('')
  const before = server.ledger
  await ledger.reserve([creating('a', 'u1', 1)], LATER)
  const forged = server.write(server.ledger?.version ?? '', before?.status ?? {})
  if (forged === 'conflict') throw new Error('nobody else writes')
  store.foreign.add(forged.version)
  await store.readLive()
  expect(await problem()).toBe('missing')
  expect(await ledger.open('')).toBe(false)
  expect(await ledger.open('s')).toBe(true)
  expect(await problem()).toBe('settling')
  // The request that was allowed before is stored only now.
  server.put('a', 'u1', 1)
  time.now += PATIENCE
  await ledger.reconcile()
  await ledger.reconcile()
  expect(await problem()).toBe('refused')
})

test('amounts that somebody else shows to people are put right with the next look', async () => {
  const { server, store, ledger } = setUp(3)
  await ledger.open('')
  await ledger.reserve([creating('a', 'u1', 1)], LATER)
  expect(ledger.isShown).toBe(true)
  server.write(server.ledger?.version ?? '', { ...server.ledger?.status, reserved: '0' })
  await store.readLive()
  expect(ledger.isShown).toBe(false)
  await ledger.reconcile()
  expect([ledger.isShown, server.ledger?.status?.reserved]).toEqual([true, '1'])
})
