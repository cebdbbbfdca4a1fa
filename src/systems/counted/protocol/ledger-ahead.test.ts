import { describe, expect, test } from 'vitest'
import { LATER, PATIENCE, setUp } from '../../../../test/systems/counted/admission-set-up.ts'
import { creating, ScriptedServer, updating } from '../../../../test/systems/counted/scripted-ledger.ts'
import { ApiError } from '../../../machinery/status.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { admitAll } from './admit-all.ts'
import { advancedIn } from './advance.ts'
import { ADVANCE_MS, type AheadMeasure } from './ledger-ahead.ts'
import { LEDGER_AMOUNT } from './ledger-budget.ts'
import { LedgerRefused } from './ledger-errors.ts'
import type { LedgerState } from './ledger-state.ts'
import { readLedger } from './ledger-status.ts'

const EAGER: AheadMeasure = { leastRequests: 1, partOfRoom: 1n }

/** Two replicas of one server whose clock goes on only where one waits. */
async function replicas(limit: number, measure?: AheadMeasure) {
  const server = new ScriptedServer()
  const time = { now: 0, slept: 0 }
  const sleep = async (ms: number): Promise<void> => {
    await Promise.resolve()
    time.now += ms
    time.slept += ms
  }
  const replica = (owner: string) =>
    setUp(limit, { server, time, ahead: { owner, sleep, ...(measure && { measure }) } })
  const [first, second] = [replica('p0'), replica('p1')]
  await first.ledger.open('')
  await second.store.readLive()
  return { server, clock: time, first, second }
}

type Replica = Awaited<ReturnType<typeof replicas>>['first']

let uids = 0

/** The API server's part of creates, one after another: each is stored when it is allowed, and the replica sees it at once. */
async function create(server: ScriptedServer, { ledger, views }: Replica, names: readonly string[], cost = 1) {
  for (const name of names) {
    const charge = creating(name, `u${++uids}`, cost)
    await admitAll([{ ledger, charges: [charge] }], LATER, false)
    server.put(name, charge.uid, cost)
    views.see()
  }
}

const numbered = (count: number, letter = 'a'): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${letter}${index}`)

function stateOf(server: ScriptedServer): LedgerState {
  const read = readLedger(server.ledger?.status)
  if (read.type !== 'ledger') throw new Error(read.type)
  return read.state
}

const heldIn = (server: ScriptedServer): string => advancedIn(stateOf(server)).toString()

describe('room that a replica reserves ahead of requests', () => {
  test('spares most writes of the ledger where requests come one after another', async () => {
    const { server, first } = await replicas(100_000)
    await create(server, first, numbered(1000))
    expect(server.writes).toBeLessThan(60)
    await first.ledger.reconcile()
    expect(server.ledger?.status?.allocated).toBe(String(1000 + Number(heldIn(server))))
  })

  test('is not reserved for few requests', async () => {
    const { server, first } = await replicas(100_000)
    await create(server, first, numbered(5))
    expect(heldIn(server)).toBe('0')
    expect(server.writes).toBe(6)
  })

  test('is a small part of the room that is left, and nothing where little is left', async () => {
    const { server, first } = await replicas(300)
    await create(server, first, numbered(100))
    expect(Number(heldIn(server))).toBeLessThanOrEqual((300 - 100) / 16)
    await create(server, first, numbered(190, 'b'))
    expect(heldIn(server)).toBe('0')
    await create(server, first, numbered(10, 'c'))
    await expect(create(server, first, ['d'])).rejects.toThrow(LedgerRefused)
  })

  test('is given back when no more requests come', async () => {
    const { server, clock, first } = await replicas(100_000)
    await create(server, first, numbered(100))
    expect(Number(heldIn(server))).toBeGreaterThan(0)
    clock.now += 2 * ADVANCE_MS
    await first.ledger.reconcile()
    expect(server.ledger?.status).toMatchObject({ allocated: '100', reserved: '0', reservations: [] })
  })

  test('is given back when the replica ends', async () => {
    const { server, first } = await replicas(100_000)
    await create(server, first, numbered(100))
    await first.ledger.end()
    expect(server.ledger?.status).toMatchObject({ allocated: '100', reserved: '0' })
    expect(first.ledger.reserveAhead([creating('z', 'uz', 1)])).toBe(false)
  })

  test('is used for a second only, also where nobody writes the ledger', async () => {
    const { server, clock, first } = await replicas(100_000)
    await create(server, first, numbered(100))
    expect(first.ledger.reserveAhead([creating('b', 'ub', 1)])).toBe(true)
    clock.now += ADVANCE_MS
    expect(first.ledger.reserveAhead([creating('c', 'uc', 1)])).toBe(false)
  })

  test('names the requests that were allowed on it and not stored yet with the next write', async () => {
    const { server, clock, first } = await replicas(100_000)
    await create(server, first, numbered(100))
    expect(first.ledger.reserveAhead([creating('slow', 'us', 1)])).toBe(true)
    clock.now += 2 * ADVANCE_MS
    await first.ledger.reconcile()
    expect([...stateOf(server).names.values()].map(({ name }) => name)).toEqual(['slow'])
    expect(server.ledger?.status).toMatchObject({ allocated: '101', reserved: '1' })
  })

  test('is not listed among the reservations of objects', async () => {
    const { server, first } = await replicas(100_000)
    await create(server, first, numbered(100))
    expect(Number(server.ledger?.status?.reserved)).toBeGreaterThan(0)
    expect(server.ledger?.status?.reservations?.map(({ objectRef }) => objectRef.namespace) ?? []).not.toContain('+')
  })

  test('counts for people as what was used of it', async () => {
    const { server, first } = await replicas(100_000)
    await create(server, first, numbered(100))
    expect(first.ledger.balance?.toString()).toBe('100')
    expect(first.ledger.reserveAhead([creating('b', 'ub', 1)])).toBe(true)
    expect(first.ledger.balance?.toString()).toBe('101')
  })

  test('does not add up for requests that are repeated, and counts the least and the most of one name', async () => {
    const { server, first } = await replicas(64, EAGER)
    await create(server, first, ['a', 'b'], 8)
    await first.ledger.reconcile()
    const held = Number(heldIn(server))
    expect(held).toBeGreaterThanOrEqual(8)
    const most = 8 + held / 2
    for (let attempt = 0; attempt < 20; attempt++)
      expect(first.ledger.reserveAhead([updating(server, 'a', most)])).toBe(true)
    server.put('a', server.objects.get('a')?.uid ?? '', most)
    first.views.see()
    expect(first.ledger.reserveAhead([updating(server, 'a', 8 + held)])).toBe(true)
    expect(first.ledger.reserveAhead([updating(server, 'b', 9)])).toBe(false)
  })

  test('is free again for a request that is not allowed in the end', async () => {
    const { server, first } = await replicas(64, EAGER)
    await create(server, first, ['a'], 8)
    const charge = creating('b', 'ub', Number(heldIn(server)))
    expect(first.ledger.reserveAhead([charge])).toBe(true)
    expect(first.ledger.reserveAhead([creating('c', 'uc', 1)])).toBe(false)
    first.ledger.release(charge.id)
    expect(first.ledger.reserveAhead([creating('c', 'uc', 1)])).toBe(true)
  })

  test('keeps to the share of a namespace', async () => {
    const { server, first } = await replicas(1_000_000)
    await create(server, first, numbered(600))
    const outcomes: boolean[] = []
    for (let index = 0; index < 400; index++)
      outcomes.push(first.ledger.reserveAhead([creating(`s${index}`, `us${index}`, 1)]))
    await first.ledger.reconcile()
    const { names } = stateOf(server)
    expect(
      names
        .values()
        .filter(({ namespace }) => namespace === 'n')
        .toArray().length,
    ).toBeLessThanOrEqual(256)
    expect(outcomes).toContain(false)
  })

  test('lapses after the time of requests where its replica is gone, and hinders nobody longer', async () => {
    const { server, clock, first, second } = await replicas(64, EAGER)
    await create(server, first, ['a'], 16)
    const held = Number(heldIn(server))
    expect(held).toBeGreaterThan(0)
    await second.store.readLive()
    second.views.see()
    const rest = 64 - 16
    const waiting = create(server, second, ['b'], rest)
    await expect(waiting).rejects.toThrow(ApiError)
    await expect(waiting).rejects.toThrow('other replicas hold the last room')
    expect(clock.slept).toBeGreaterThanOrEqual(3_000)
    clock.now += PATIENCE
    await second.ledger.reconcile()
    expect(heldIn(server)).toBe('0')
    await create(server, second, ['b'], rest)
  })

  test('is given back for the requests of others, which wait for it', async () => {
    const { server, first, second } = await replicas(64, EAGER)
    await create(server, first, ['a'], 16)
    await second.store.readLive()
    second.views.see()
    const waiting = create(server, second, ['b'], 64 - 16)
    await first.ledger.end()
    await waiting
    expect(server.total).toBe(64)
  })

  test('is over before a lower limit is allowed', async () => {
    const { server, clock, first, second } = await replicas(64, EAGER)
    await create(server, first, ['a'], 16)
    await second.store.readLive()
    await second.ledger.lower({ generation: 2, limits: { [LEDGER_AMOUNT]: Quantity.of(17) } }, LATER)
    expect(clock.slept).toBe(ADVANCE_MS)
    expect(first.ledger.reserveAhead([creating('b', 'ub', 1)])).toBe(false)
  })
})
