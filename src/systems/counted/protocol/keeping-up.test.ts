// Covers ledger-status.ts, from write to write.
import { expect, test } from 'vitest'
import { LATER, setUp } from '../../../../test/systems/counted/admission-set-up.ts'
import { creating } from '../../../../test/systems/counted/scripted-ledger.ts'
import { ApiError } from '../../../machinery/status.ts'
import { readLedger } from './ledger-status.ts'

/** A ledger that says when it is to be kept up. */
async function opened(most: number, createMs = 0) {
  const time = { now: 0 }
  const released: number[] = []
  const { server, views, store, ledger } = setUp(most, { time, createMs, onRelease: () => released.push(time.now) })
  await ledger.open('')
  const outstanding = (): number => {
    const read = readLedger(store.read()?.status)
    return read.type === 'ledger' ? read.state.names.size : -1
  }
  return { server, views, ledger, time, released, outstanding }
}

test('changes that were seen are written soon after requests that wait, also where all of these are refused and write nothing', async () => {
  const { server, views, ledger, outstanding } = await opened(3)
  await ledger.reserve([creating('a', 'u0', 1)], LATER)
  server.put('a', 'u0', 1)
  views.see()
  const refused = ledger.reserve([creating('b', 'u1', 9)], LATER).catch((error: unknown) => error)
  expect(await ledger.reconcile()).toBe(0)
  expect(outstanding()).toBe(1)
  expect(await refused).toBeInstanceOf(Error)
  expect(await ledger.reconcile()).toBeUndefined()
  expect(outstanding()).toBe(0)
})

test('an id that is given back has the ledger kept up, and does not wait until its time is over', async () => {
  const { ledger, released, outstanding, time } = await opened(3)
  const charge = creating('a', 'u0', 1)
  await ledger.reserve([charge], LATER)
  time.now = 5_000
  ledger.release(charge.id)
  expect(released).toEqual([5_000])
  expect(await ledger.reconcile()).toBeUndefined()
  expect(outstanding()).toBe(0)
})

test('creates of one name wait for each other, since all but one are never stored and hold room for long', async () => {
  const { server, views, ledger, time } = await opened(9, 2_000)
  const create = async (uid: string): Promise<unknown> =>
    await ledger.reserve([creating('a', uid, 1)], LATER).then(
      () => 'allowed',
      (error: unknown) => (error instanceof ApiError ? error.status.code : error),
    )
  expect(await create('u0')).toBe('allowed')
  expect(await create('u1')).toBe(429)
  // An API server asks again about the same create.
  expect(await create('u0')).toBe('allowed')
  await ledger.reserve([creating('b', 'u2', 1)], LATER)
  await ledger.consult([creating('a', 'u3', 1)], LATER)
  time.now = 2_000
  expect(await create('u1')).toBe('allowed')
  time.now = 4_000
  server.put('a', 'u1', 1)
  views.see()
  expect(await create('u4')).toBe(429)
  server.remove('a')
  views.see()
  expect(await create('u4')).toBe('allowed')
})

test('objects that change and cost what they cost have nothing written: a ledger that others count would never come to rest', async () => {
  const { server, views, ledger, outstanding } = await opened(9)
  await ledger.reserve([creating('a', 'u0', 1)], LATER)
  server.put('a', 'u0', 1)
  views.see()
  await ledger.reconcile()
  expect(outstanding()).toBe(0)
  const before = server.writes
  for (let change = 0; change < 3; change++) {
    server.put('a', 'u0', 1)
    views.see()
    expect(await ledger.reconcile()).toBeUndefined()
  }
  expect(server.writes).toBe(before)
  server.put('a', 'u0', 2)
  views.see()
  await ledger.reconcile()
  expect(server.writes).toBe(before + 1)
  // A spec that counts the same by another generation is written, or nobody could decide by it.
  views.generation = 2
  await ledger.reconcile()
  expect(server.writes).toBe(before + 2)
  // A request takes the later versions along.
  server.put('a', 'u0', 2)
  views.see()
  await ledger.reserve([creating('b', 'u1', 1)], LATER)
  const read = readLedger(server.ledger?.status)
  expect(read.type === 'ledger' && [...read.state.parts.values()][0]?.revision).toBe(views.revision)
})
