import { describe, expect, test } from 'vitest'
import { LATER, outcome, PATIENCE, twoReplicas } from '../../../../test/systems/counted/admission-set-up.ts'
import { creating, type ScriptedView } from '../../../../test/systems/counted/scripted-ledger.ts'
import { readLedger } from './ledger-status.ts'

describe('a spec that counts more than before', () => {
  const widens = ({ views }: { readonly views: ScriptedView }, generation: number): void => {
    views.generation = views.widenedAt = generation
  }

  test('closes the ledger until no request of before can be stored any more, also for replicas that do not know it yet', async () => {
    const { first, second, server } = await twoReplicas([5, 5])
    widens(first, 2)
    // Only the leader closes it, once the API server asks about all that the spec counts.
    await first.ledger.reconcile()
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('not counted')
    expect(await outcome(second.ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe('allowed')
    expect(await first.store.readLive().then(() => first.ledger.reconcile(true))).toBe(PATIENCE)
    expect(first.ledger.closure).toEqual({ isForWidening: true, leftMs: PATIENCE })
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('settling')
    expect(await outcome(second.ledger.reserve([creating('c', 'u3', 1)], LATER))).not.toBe('allowed')
    first.time.now = PATIENCE - 1
    expect(await first.ledger.reconcile(true)).toBe(1)
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('settling')
    // A request of before that nobody knew of is stored in the last moment.
    server.put('d', 'u4', 4)
    first.time.now = PATIENCE
    await first.ledger.reconcile(true)
    expect(first.ledger.closure).toBeUndefined()
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 2)], LATER))).toBe('refused 4+2>5')
  })

  test('needs time for itself where it comes while the ledger is closed for another', async () => {
    const { first, server } = await twoReplicas([5, 5, 5])
    widens(first, 2)
    await first.ledger.reconcile(true)
    first.time.now = PATIENCE - 1
    widens(first, 3)
    expect(await first.ledger.reconcile(true)).toBe(PATIENCE)
    first.time.now = PATIENCE
    await first.ledger.reconcile(true)
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('settling')
    expect(readLedger(server.ledger?.status)).toMatchObject({ state: { settling: 'widened-3' } })
    first.time.now = 2 * PATIENCE
    await first.ledger.reconcile(true)
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('allowed')
  })

  test('never closes the ledger where only the limit or less than before is counted', async () => {
    const { first, server } = await twoReplicas([5, 5])
    first.views.generation = 2
    await first.ledger.reconcile(true)
    expect(readLedger(server.ledger?.status)).toMatchObject({ state: { settling: '' } })
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('allowed')
  })
})
