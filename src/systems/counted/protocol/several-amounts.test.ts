// Covers ledger-admission.ts and ledger-status.ts, with several amounts.
import { describe, expect, test } from 'vitest'
import { LATER, outcome, PATIENCE, READERS } from '../../../../test/systems/counted/admission-set-up.ts'
import { creating, ScriptedServer, ScriptedStore } from '../../../../test/systems/counted/scripted-ledger.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { KindView, LedgerViews } from './kind-view.ts'
import { LedgerAdmission } from './ledger-admission.ts'
import { LedgerRefused } from './ledger-errors.ts'
import { ledgerStatus } from './ledger-status.ts'
import type { ChargeRequest } from './reserve.ts'

describe('a ledger of several amounts', () => {
  const CPU = 'core/v1/Pod cpu'
  const PODS = 'core/v1/Pod pods'
  const charge = (name: string, cpu: number, pods: number, oldCpu = 0): readonly ChargeRequest[] => [
    { ...creating(name, `u-${name}`, cpu), kind: CPU, oldCost: Quantity.of(oldCpu), id: `id-${name}` },
    { ...creating(name, `u-${name}`, pods), kind: PODS, id: `id-${name}` },
  ]
  const nothing: KindView = {
    revision: '1',
    newest: '1',
    total: Quantity.zero,
    get: () => undefined,
    lastSight: () => undefined,
  }

  function open(cpu: number, pods: number) {
    const server = new ScriptedServer()
    const store = new ScriptedStore(server)
    const views: LedgerViews = {
      generation: 1,
      selection: '',
      kinds: new Map([CPU, PODS].map((kind) => [kind, nothing])),
    }
    const ledger = new LedgerAdmission({
      ref: { group: 'capsule.clastix.io', kind: 'CustomQuota', namespace: 'n', name: 'q' },
      store,
      views: { current: () => views, catchUp: () => Promise.resolve() },
      limits: () => ({ cpu: Quantity.of(cpu), pods: Quantity.of(pods) }),
      amountOf: (kind) => kind.split(' ')[1] ?? '',
      clock: () => 0,
      statusOf: (state, old) => ledgerStatus(state, old, READERS),
      patience: PATIENCE,
    })
    return { server, ledger }
  }

  test('reserves all amounts of a request in one write, or none', async () => {
    const { ledger, server } = open(4, 2)
    await ledger.open('')
    const { writes } = server
    expect(await outcome(ledger.reserve(charge('a', 2, 1), LATER))).toBe('allowed')
    expect(server.writes).toBe(writes + 1)
    expect(await outcome(ledger.reserve(charge('b', 3, 1), LATER))).toBe('refused 2+3>4')
    expect(await outcome(ledger.reserve(charge('b', 2, 1), LATER))).toBe('allowed')
    expect(await outcome(ledger.reserve(charge('c', 1, 1), LATER))).toBe('refused 4+1>4')
  })

  test('names every amount that would exceed its limit, and compares only those that rise', async () => {
    const { ledger } = open(1, 1)
    await ledger.open('')
    for (const charges of [charge('a', 2, 2), charge('a', 2, 2).toReversed()]) {
      const refused = await ledger.reserve(charges, LATER).catch((error: unknown) => error)
      expect(refused).toBeInstanceOf(LedgerRefused)
      const [refusal] = (refused as LedgerRefused).refusals
      expect(refusal.excesses.map(({ resource }) => resource)).toEqual(['cpu', 'pods'])
    }
    expect(await outcome(ledger.reserve(charge('a', 5, 1, 5), LATER))).toBe('allowed')
  })

  test('releases all amounts of an id', async () => {
    const { ledger } = open(4, 2)
    await ledger.open('')
    await ledger.reserve(charge('a', 4, 2), LATER)
    ledger.release('id-a')
    expect(await outcome(ledger.reserve(charge('b', 4, 2), LATER))).toBe('allowed')
  })
})
