import { describe, expect, test } from 'vitest'
import { LATER, outcome, PATIENCE, setUp, twoReplicas } from '../../../../test/systems/counted/admission-set-up.ts'
import { creating, updating } from '../../../../test/systems/counted/scripted-ledger.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { LEDGER_AMOUNT } from './ledger-budget.ts'
import { readLedger } from './ledger-status.ts'

const lowered = (generation: number, limit: number) => ({
  generation,
  limits: { [LEDGER_AMOUNT]: Quantity.of(limit) },
})

describe('a limit that is lowered', () => {
  test('holds for replicas that do not know of it, from the moment that the update of the quota is allowed', async () => {
    const { first, second } = await twoReplicas([5, 1])
    expect(await outcome(second.ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('allowed')
    await first.ledger.lower(lowered(2, 1), LATER)
    for (const replica of [first, second])
      expect(await outcome(replica.ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe('429')
    // Once a replica sees it stored, refusals are final.
    first.views.generation = second.views.generation = 2
    expect(await outcome(second.ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe('refused 1+1>1')
    expect(await outcome(first.ledger.reserve([creating('b', 'u2', 1)], LATER))).toBe('refused 1+1>1')
  })

  test('ends with the generation that it was for, also where that one has another limit', async () => {
    const { first, second, server } = await twoReplicas([5, 4])
    await first.ledger.lower(lowered(2, 1), LATER)
    second.views.generation = 2
    expect(await outcome(second.ledger.reserve([creating('a', 'u1', 3)], LATER))).toBe('allowed')
    // A replica of the earlier generation does not decide by its limit any more.
    expect(await outcome(first.ledger.reserve([creating('b', 'u2', 2)], LATER))).toBe('not counted')
    expect(readLedger(server.ledger?.status)).toMatchObject({ state: { lowering: undefined } })
  })

  test('stays while the ledger holds a count by the earlier generation', async () => {
    const { first, second, server } = await twoReplicas([5, 1])
    server.put('a', 'u0', 1)
    second.views.see()
    await second.ledger.reconcile()
    await first.ledger.lower(lowered(2, 1), LATER)
    first.views.generation = 2
    await first.ledger.reconcile()
    expect(await outcome(second.ledger.reserve([creating('b', 'u2', 1)], LATER))).not.toBe('allowed')
  })

  test('ends when the update cannot be stored any more, and not before', async () => {
    const { first, server } = await twoReplicas([5])
    await first.ledger.lower(lowered(2, 1), LATER)
    first.time.now = PATIENCE - 1
    expect(await first.ledger.reconcile()).toBe(1)
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 3)], LATER))).toBe('429')
    first.time.now = PATIENCE
    expect(await first.ledger.reconcile()).toBe(undefined)
    expect(readLedger(server.ledger?.status)).toMatchObject({ state: { lowering: undefined } })
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 3)], LATER))).toBe('allowed')
  })

  test('is replaced by other limits, higher ones too, where the API server does not number the specs of a quota', async () => {
    const { first, second } = await twoReplicas([5])
    await first.ledger.holdTo(lowered(2, 1), LATER)
    expect(await outcome(second.ledger.reserve([creating('a', 'u1', 2)], LATER))).not.toBe('allowed')
    await first.ledger.holdTo(lowered(2, 4), LATER)
    expect(await outcome(second.ledger.reserve([creating('a', 'u1', 4)], LATER))).toBe('allowed')
    expect(await outcome(second.ledger.reserve([creating('b', 'u2', 1)], LATER))).not.toBe('allowed')
  })

  test('is the lowest of several, until the last of them is over', async () => {
    const { first, second } = await twoReplicas([5])
    await Promise.all([first.ledger.lower(lowered(2, 1), LATER), second.ledger.lower(lowered(3, 3), LATER)])
    first.views.generation = 2
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 2)], LATER))).not.toBe('allowed')
  })

  test('holds also for a request whose name an earlier request has reserved, which the API server did not store', async () => {
    const { first, second, server } = await twoReplicas([6, 3])
    await first.ledger.reserve([creating('b', 'u1', 4)], LATER)
    await first.ledger.reserve([creating('c', 'u2', 2)], LATER)
    await first.ledger.lower(lowered(2, 3), LATER)
    server.put('b', 'u1', 4)
    for (const replica of [first, second])
      expect(await outcome(replica.ledger.reserve([creating('c', 'u3', 2)], LATER))).toBe('429')
    first.views.generation = second.views.generation = 2
    for (const replica of [first, second])
      expect(await outcome(replica.ledger.reserve([creating('c', 'u4', 2)], LATER))).toBe('refused 6+2>3')
  })

  test('holds for an update from a state that no replica has seen yet, although the ledger contains more', async () => {
    const { first, server } = await twoReplicas([6, 3])
    server.put('a', 'u0', 4)
    server.put('b', 'u1', 2)
    first.views.see()
    await first.ledger.reconcile()
    await first.ledger.lower(lowered(2, 3), LATER)
    first.views.generation = 2
    server.put('a', 'u0', 1)
    expect(await outcome(first.ledger.reserve([updating(server, 'a', 2)], LATER))).toBe('refused 3+2>3')
  })

  test('lets a request replace a larger one that may still be stored, where it fits beside all others', async () => {
    const { first, server } = await twoReplicas([6, 3])
    server.put('a', 'u0', 2)
    first.views.see()
    await first.ledger.reserve([creating('b', 'u1', 4)], LATER)
    await first.ledger.lower(lowered(2, 3), LATER)
    expect(await outcome(first.ledger.reserve([creating('b', 'u2', 2)], LATER))).toBe('429')
    expect(await outcome(first.ledger.reserve([creating('b', 'u3', 1)], LATER))).toBe('allowed')
  })

  test('has its time from the last update: an earlier one that was not stored does not end it', async () => {
    const { first, second } = await twoReplicas([5])
    await first.ledger.lower(lowered(2, 1), LATER)
    first.time.now = PATIENCE - 1
    await first.ledger.lower(lowered(2, 1), LATER)
    first.time.now = 2 * PATIENCE - 2
    await first.ledger.reconcile()
    await second.store.readLive()
    for (const replica of [first, second])
      expect(await outcome(replica.ledger.reserve([creating('a', 'u1', 3)], LATER))).toBe('429')
    first.time.now = 2 * PATIENCE - 1
    await first.ledger.reconcile()
    expect(await outcome(first.ledger.reserve([creating('a', 'u1', 3)], LATER))).toBe('allowed')
  })

  test('is not over by the time of an earlier one, which another replica let end', async () => {
    const { first, second } = await twoReplicas([5])
    await first.ledger.lower(lowered(2, 1), LATER)
    await second.store.readLive()
    await second.ledger.reconcile()
    first.time.now = second.time.now = PATIENCE
    await first.ledger.reconcile()
    await first.ledger.lower(lowered(2, 1), LATER)
    await second.store.readLive()
    await second.ledger.reconcile()
    expect(await outcome(second.ledger.reserve([creating('a', 'u1', 3)], LATER))).toBe('429')
  })

  test('needs no ledger: a quota without one allows nothing', async () => {
    const { ledger, server } = setUp()
    await ledger.lower(lowered(2, 1), LATER)
    expect(server.writes).toBe(0)
  })

  test('is answered with 429 where the ledger is written too often to note it in time', async () => {
    const { ledger, time, server } = setUp()
    await ledger.open('')
    time.now = LATER
    expect(await outcome(ledger.lower(lowered(2, 1), LATER))).toBe('429')
    expect(server.writes).toBe(1)
  })
})
