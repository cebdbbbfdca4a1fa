import { expect, test } from 'vitest'
import { ManualClock, settled } from '../../../../test/kube/manual-clock.ts'
import { quantityLedger, type QuantityLedger } from '../api/quantity-ledger.ts'
import { conflict, forbidden, notFound } from '../../../machinery/status.ts'
import type { LedgerCache } from './ledger-cache.ts'
import { QuantityLedgerStore } from './quantity-ledger-store.ts'

const QUOTA = { apiVersion: '', kind: 'CustomQuota', metadata: { namespace: 'n', name: 'q', uid: 'u' } }
const MANAGED = [{ manager: 'allot', operation: 'Update' }]

const ledger = (resourceVersion: string, more: object = {}): QuantityLedger =>
  quantityLedger.read({
    apiVersion: quantityLedger.apiVersion,
    kind: quantityLedger.kind,
    metadata: { namespace: 'n', name: 'q', uid: 'l', resourceVersion, ...more },
    spec: { targetRef: { kind: 'CustomQuota', name: 'q', namespace: 'n', uid: 'u' } },
  })

/** A ledger that an API server stores, whose writes end as the test says. */
function setUp({
  write,
  untrack,
  live = () => true,
}: Partial<Pick<LedgerCache, 'untrack'>> & { write?: () => Promise<void>; live?: () => boolean } = {}) {
  const clock = new ManualClock()
  const calls: string[] = []
  let known = ledger('1')
  const makeAgain = (): void => void (known = ledger('9', { uid: 'again' }))
  const ledgers: Pick<LedgerCache, 'get' | 'readLive' | 'stored' | 'untrack' | 'writeStatus'> = {
    get: () => known,
    readLive: () => Promise.resolve(live() ? known : undefined),
    stored: ({ metadata: { uid, resourceVersion }, status }) => ({ version: `${uid}/${resourceVersion}`, status }),
    writeStatus: async ({ metadata }) => {
      calls.push(`write ${metadata.resourceVersion}`)
      await write?.()
      known = ledger(String(Number(metadata.resourceVersion) + 1), { managedFields: MANAGED })
      return known
    },
    untrack: async (written) => {
      calls.push(`untrack ${written.metadata.resourceVersion}`)
      if (untrack !== undefined) return await untrack(written)
      known = ledger(String(Number(written.metadata.resourceVersion) + 1))
      return known
    },
  }
  return { clock, calls, makeAgain, store: new QuantityLedgerStore(ledgers, QUOTA, clock) }
}

test('a ledger is written without tracking the managers of its fields, which is asked for once', async () => {
  const { store, calls } = setUp()
  expect(await store.write('l/1', {})).toMatchObject({ version: 'l/3' })
  expect(await store.write('l/3', {})).toMatchObject({ version: 'l/4' })
  expect(calls).toEqual(['write 1', 'untrack 2', 'write 3'])
})

test('a write stands where the API server goes on tracking managers', async () => {
  const { store } = setUp({ untrack: () => Promise.reject(forbidden(quantityLedger, 'q', 'no')) })
  expect(await store.write('l/1', {})).toMatchObject({ version: 'l/2' })
})

test('a replica that lost a race waits for a part of its own of the time that writes take, before it tries again', async () => {
  const { store, clock } = setUp({
    write: async () => {
      await clock.advance(40)
      throw conflict(quantityLedger, 'q')
    },
  })
  clock.chance = 0.25
  let outcome: unknown
  void store.write('l/1', {}).then((written) => (outcome = written))
  await settled()
  await clock.advance(19)
  expect(outcome).toBeUndefined()
  await clock.advance(1)
  expect(outcome).toBe('conflict')
})

test('a ledger that is made again while a write finds the former one gone is known', async () => {
  const answer = Promise.withResolvers<void>()
  const { store, makeAgain } = setUp({ write: () => answer.promise })
  const writing = store.write('l/1', {})
  makeAgain()
  answer.reject(notFound(quantityLedger, 'q'))
  expect(await writing).toBe('conflict')
  expect(store.read()).toMatchObject({ version: 'again/9' })
})

test('a ledger that is not found is not known, until it is found again', async () => {
  let isThere = false
  const { store } = setUp({ live: () => isThere })
  expect(await store.readLive()).toBeUndefined()
  expect(store.read()).toBeUndefined()
  isThere = true
  expect(await store.readLive()).toMatchObject({ version: 'l/1' })
  expect(store.read()).toMatchObject({ version: 'l/1' })
})
