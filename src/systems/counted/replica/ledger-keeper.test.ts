import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { LATER, outcome, PATIENCE, setUp } from '../../../../test/systems/counted/admission-set-up.ts'
import { creating, type ScriptedServer } from '../../../../test/systems/counted/scripted-ledger.ts'
import { LEDGER_AMOUNT } from '../protocol/ledger-budget.ts'
import { LedgerUnavailable } from '../protocol/ledger-errors.ts'
import { readLedger } from '../protocol/ledger-status.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import { LedgerKeeper } from './ledger-keeper.ts'

const KEY = 'CustomQuota/n/q'
const STEP_MS = 1_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A replica that keeps the ledger of a quota up; `hasAllowed`: an earlier ledger of the quota may have allowed requests. */
function kept({ hasAllowed = false, limit = 3, isCounted = true, namespace = '' } = {}) {
  const all = setUp(limit, { namespace })
  const { ledger: admission, store, time, server } = all
  const quota = { isCounted }
  const handlers = new Set<(key: string) => void>()
  const tracker = {
    get: (key: string) => (key === KEY ? quota : undefined),
    onChange: (handler: (key: string) => void) => {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
  }
  const losses: number[] = []
  const keeper = new LedgerKeeper<{ isCounted: boolean }>({
    logger: silentLogger,
    tracker,
    admissions: { of: () => ({ admission, store }) },
    hasAllowed: () => hasAllowed,
    onLost: (_, leftMs) => void losses.push(leftMs),
  })
  const changed = (): void => handlers.forEach((handler) => handler(KEY))
  let seen = server.writes
  const pass = async (ms: number): Promise<void> => {
    for (const end = time.now + ms; time.now < end;) {
      time.now += STEP_MS
      await vi.advanceTimersByTimeAsync(STEP_MS)
      // The watch shows each ledger that was written.
      if (server.writes > seen) changed()
      seen = server.writes
    }
  }
  return { ...all, keeper, quota, changed, pass, losses, state: () => stateOf(server) }
}

function stateOf({ ledger }: ScriptedServer) {
  const read = readLedger(ledger?.status)
  if (read.type !== 'ledger') throw new Error(`the ledger is ${read.type}`)
  return read.state
}

describe('a replica that does not lead', () => {
  test('ends a reservation whose object never comes, and lets its namespace hold as much as others again some rounds later', async () => {
    const { ledger, changed, pass, keeper } = kept()
    await ledger.open('')
    await ledger.reserve([creating('a', 'u1', 3)], LATER)
    changed()
    expect(await outcome(ledger.reserve([creating('b', 'u2', 3)], LATER))).toBe('refused 3+3>3')
    await pass(PATIENCE + STEP_MS)
    // The room is free again, but first others may have it.
    expect(await outcome(ledger.reserve([creating('b', 'u2', 3)], LATER))).toBe('429')
    await pass(2 * (PATIENCE + 2 * STEP_MS))
    expect(await outcome(ledger.reserve([creating('b', 'u2', 3)], LATER))).toBe('allowed')
    await keeper.stop()
  })

  test('ends a lowering of limits that was never stored', async () => {
    const { ledger, changed, pass, keeper } = kept()
    await ledger.open('')
    await ledger.lower({ generation: 2, limits: { [LEDGER_AMOUNT]: Quantity.of(1) } }, LATER)
    changed()
    expect(await outcome(ledger.reserve([creating('a', 'u1', 2)], LATER))).toBe('429')
    await pass(PATIENCE + STEP_MS)
    expect(await outcome(ledger.reserve([creating('a', 'u1', 2)], LATER))).toBe('allowed')
    await keeper.stop()
  })

  test('opens a ledger that was closed when the time of what was allowed before is over', async () => {
    const { ledger, changed, pass, keeper } = kept()
    await ledger.open('s')
    changed()
    await pass(PATIENCE - STEP_MS)
    expect(keeper.closure({ isCounted: true })).toMatchObject({ isForWidening: false, leftMs: STEP_MS })
    await pass(2 * STEP_MS)
    expect(keeper.closure({ isCounted: true })).toBeUndefined()
    await keeper.stop()
  })

  test('makes again, closed, a ledger that somebody else wrote', async () => {
    const { ledger, store, server, changed, pass, keeper, quota } = kept()
    await ledger.open('')
    store.foreign.add(server.ledger?.version ?? '')
    changed()
    await pass(3 * STEP_MS)
    expect(store.read()?.isForeign).toBeUndefined()
    // Whatever was allowed on the former ledger may still be stored.
    expect(keeper.closure(quota)).toBeDefined()
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('settling')
    await keeper.stop()
  })

  test('leaves alone a ledger of which nothing is outstanding, and a quota whose objects are not counted yet', async () => {
    const quiet = kept()
    await quiet.ledger.open('')
    const { writes } = quiet.server
    quiet.server.put('a', 'u1', 1)
    quiet.views.see()
    quiet.changed()
    await quiet.pass(5 * STEP_MS)
    expect(quiet.server.writes).toBe(writes)
    await quiet.keeper.stop()

    const uncounted = kept({ isCounted: false })
    await uncounted.ledger.open('')
    await uncounted.ledger.reserve([creating('a', 'u1', 1)], LATER)
    uncounted.changed()
    await uncounted.pass(2 * PATIENCE)
    expect(uncounted.state().names.size).toBe(1)
    await uncounted.keeper.stop()
  })

  test('tries again where the ledger cannot be read or written for a while', async () => {
    const { ledger, store, changed, pass, keeper, state } = kept()
    await ledger.open('')
    await ledger.reserve([creating('a', 'u1', 1)], LATER)
    const write = vi.spyOn(store, 'write').mockRejectedValue(new Error('the server does not answer'))
    changed()
    await pass(PATIENCE + 10 * STEP_MS)
    write.mockRestore()
    expect(state().names.size).toBe(1)
    await pass(5 * STEP_MS)
    expect(state().names.size).toBe(0)
    await keeper.stop()
  })

  test('looks again at what changes after a look', async () => {
    const { ledger, server, views, changed, pass, keeper, state } = kept()
    await ledger.open('')
    for (const [name, uid] of [
      ['a', 'u1'],
      ['b', 'u2'],
    ] as const) {
      await ledger.reserve([creating(name, uid, 1)], LATER)
      server.put(name, uid, 1)
      views.see()
      changed()
      await pass(3 * STEP_MS)
      expect(state().names.size).toBe(0)
    }
    await keeper.stop()
  })

  test('does nothing any more once it was stopped', async () => {
    const { ledger, changed, pass, keeper, state } = kept()
    await ledger.open('')
    await ledger.reserve([creating('a', 'u1', 1)], LATER)
    await keeper.stop()
    changed()
    await pass(2 * PATIENCE)
    expect(state().names.size).toBe(1)
  })
})

describe('the replica that leads', () => {
  test.for([
    ['opens the first ledger of a quota at once', false, 'allowed'],
    ['closes one that takes the place of another for a while', true, 'settling'],
  ] as const)('%s', async ([, hasAllowed, decision]) => {
    const { ledger, keeper, quota, losses } = kept({ hasAllowed })
    await keeper.bringUp(quota)
    await keeper.bringUp(quota)
    expect(keeper.closure(quota) !== undefined).toBe(hasAllowed)
    // Reported once, with the time for which the quota is closed.
    expect(losses).toEqual(hasAllowed ? [PATIENCE] : [])
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe(decision)
    await keeper.stop()
  })

  test('closes a ledger that it makes in place of what somebody else wrote', async () => {
    const { ledger, store, server, keeper, quota } = kept()
    await keeper.bringUp(quota)
    store.foreign.add(server.ledger?.version ?? '')
    expect(await keeper.bringUp(quota)).toBeGreaterThan(0)
    expect(await outcome(ledger.reserve([creating('a', 'u1', 1)], LATER))).toBe('settling')
    await keeper.stop()
  })

  test('closes a ledger for a spec that counts more, and a replica that does not lead leaves that to it', async () => {
    const { ledger, views, changed, pass, keeper, quota } = kept()
    await keeper.bringUp(quota)
    await ledger.reserve([creating('a', 'u1', 1)], LATER)
    views.generation = 2
    views.widenedAt = 2
    changed()
    await pass(5 * STEP_MS)
    expect(keeper.closure(quota)).toBeUndefined()
    await keeper.bringUp(quota)
    expect(keeper.closure(quota)).toMatchObject({ isForWidening: true })
    await keeper.stop()
  })

  test('makes no ledger in place of one that it cannot read', async () => {
    const { server, store, keeper, quota } = kept()
    server.ledger = { version: '11', status: { outstanding: '9%?' } }
    await store.readLive()
    const problem = keeper.bringUp(quota).catch((error: unknown) => error instanceof LedgerUnavailable && error.problem)
    expect(await problem).toBe('unreadable')
    expect(server.writes).toBe(0)
    await keeper.stop()
  })
})
