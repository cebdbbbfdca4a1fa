import { expect, test } from 'vitest'
import { ManualClock, settled } from '../../../test/kube/manual-clock.ts'
import { quantityLedger, type QuantityLedger } from '../../api/quantity-ledger/quantity-ledger.ts'
import { conflict, forbidden } from '../../machinery/status.ts'
import type { LedgerCache } from './ledger-cache.ts'
import { KeptLedger } from './kept-ledger.ts'

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
function setUp({ write, untrack }: Partial<Pick<LedgerCache, 'untrack'>> & { write?: () => Promise<void> } = {}) {
  const clock = new ManualClock()
  const calls: string[] = []
  let known = ledger('1')
  const ledgers: Pick<LedgerCache, 'get' | 'readLive' | 'stored' | 'untrack' | 'writeStatus'> = {
    get: () => known,
    readLive: () => Promise.resolve(known),
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
  return { clock, calls, store: new KeptLedger(ledgers, QUOTA, clock) }
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
