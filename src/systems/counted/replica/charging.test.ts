import { expect, test } from 'vitest'
import { setUp } from '../../../../test/systems/counted/admission-set-up.ts'
import { creating } from '../../../../test/systems/counted/scripted-ledger.ts'
import type { ChargeRequest } from '../protocol/reserve.ts'
import { Charging } from './charging.ts'

/** The ledgers of quotas with these limits, which all count the objects of requests. */
async function charged(...limits: readonly number[]) {
  const time = { now: 0 }
  const ledgers = limits.map((limit, index) => setUp(limit, { name: `q${index}`, time }).ledger)
  for (const ledger of ledgers) await ledger.open('')
  const charging = new Charging({ monotonic: () => time.now })
  const charge = (request: ChargeRequest, { dryRun = false, withinMs = 10_000, signal = AWAITED } = {}) =>
    charging.charge(
      ledgers.map((ledger) => ({ ledger, charges: [request] })),
      request.id,
      { dryRun, withinMs, signal },
    )
  return { ledgers, charge, time }
}

const AWAITED = new AbortController().signal

test('a request that the API server does not wait for any more holds no room in any ledger', async () => {
  const { charge } = await charged(1, 2)
  expect(await charge(creating('a', 'u1', 1), { signal: AbortSignal.abort() })).toMatchObject({ type: 'later' })
  // Nothing is stored for it, so that its room is free for the next.
  expect(await charge(creating('b', 'u2', 1))).toEqual({ type: 'admitted' })
  expect(await charge(creating('c', 'u3', 1))).toMatchObject({ type: 'denied' })
})

test('a dry run is decided like any other request and holds no room', async () => {
  const { charge } = await charged(1)
  const dryRun = { dryRun: true }
  expect(await charge(creating('a', 'u1', 2), dryRun)).toMatchObject({ type: 'denied' })
  expect(await charge(creating('a', 'u1', 1), dryRun)).toEqual({ type: 'admitted' })
  expect(await charge(creating('b', 'u2', 1))).toEqual({ type: 'admitted' })
  expect(await charge(creating('c', 'u3', 1), dryRun)).toMatchObject({ type: 'denied' })
})

test('a refusal names every ledger that refuses, and nothing is charged to the others', async () => {
  const { charge, ledgers } = await charged(1, 1, 5)
  const outcome = await charge(creating('a', 'u1', 2))
  expect(outcome.type === 'denied' && outcome.refusals.map(({ budget }) => budget.name)).toEqual(['q0', 'q1'])
  expect(ledgers.map(({ balance }) => balance?.toString())).toEqual(['0', '0', '0'])
})

test('a request that cannot be decided now is to be tried again, and is charged to no ledger', async () => {
  const { charge, ledgers } = await charged(1)
  expect(await charge(creating('a', 'u1', 1), { withinMs: 0 })).toMatchObject({
    type: 'later',
    message: expect.stringContaining('too many requests'),
  })
  const unopened = setUp(1, { name: 'new' }).ledger
  const [ledger = unopened] = ledgers
  const request = creating('b', 'u2', 1)
  const both = [ledger, unopened].map((one) => ({ ledger: one, charges: [request] }))
  const awaited = { dryRun: false, withinMs: 10_000, signal: AWAITED }
  expect(await new Charging({ monotonic: () => 0 }).charge(both, request.id, awaited)).toMatchObject({
    type: 'later',
    message: expect.stringContaining('CustomQuota n/new: '),
  })
  expect(await charge(creating('c', 'u3', 1))).toEqual({ type: 'admitted' })
})

test('no two requests have the same id, whichever replica handles them', () => {
  const replicas = [new Charging({ monotonic: () => 0 }), new Charging({ monotonic: () => 0 })]
  const ids = replicas.flatMap((replica) => Array.from({ length: 100 }, () => replica.newId()))
  expect(new Set(ids).size).toBe(200)
})
