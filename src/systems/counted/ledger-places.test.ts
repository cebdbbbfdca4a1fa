import { expect, test } from 'vitest'
import { silentLogger } from '../../runtime/process/logger.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { RESOURCE_QUOTAS } from '../generated-quota/operate/resource-quotas.ts'
import { TrackedResourceQuota } from '../resource-quota/operate/admission/tracked-quota.ts'
import { LedgerPlaces } from './ledger-places.ts'

const NEVER = new AbortController().signal

/** What is done for a quota of uid `u` whose place looks like this. `live`: the uid of the quota of its name that the API server has. */
async function kept(place: {
  readonly holds?: 'its ledger' | 'another'
  readonly isSealed?: boolean
  readonly isMarked?: boolean
  readonly isEnding?: boolean
  readonly live?: string
  readonly reclaims?: boolean
}) {
  const { holds, isSealed = false, isMarked = true, isEnding = false, live = 'u', reclaims } = place
  const done: string[] = []
  let now = holds
  const metadata = isEnding ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}
  const object = { metadata, status: { outstanding: 'text' } }
  const ledgers = {
    at: () => (now === undefined ? undefined : object),
    get: () => (now === 'its ledger' ? object : undefined),
    isTaken: () => now === 'another',
    isSealedFor: () => isSealed,
    isMarked: () => isMarked,
    mark: async () => {
      done.push('mark')
      now = 'its ledger'
    },
    delete: async () => void done.push('delete'),
    create: async () => void done.push('create'),
  }
  const quota = {
    apiVersion: 'v1' as const,
    kind: 'ResourceQuota' as const,
    metadata: { namespace: 'n', name: 'q', uid: 'u' },
    status: {},
  }
  const tracked = new TrackedResourceQuota(quota)
  const places = new LedgerPlaces<TrackedResourceQuota>({
    client: { get: async <T extends KubeObject>() => ({ metadata: { uid: live } }) as unknown as T },
    logger: silentLogger,
    ledgers: ledgers as never,
    kindOf: () => RESOURCE_QUOTAS,
    ...(reclaims === undefined ? {} : { reclaims: () => reclaims }),
  })
  return { place: await places.keep(tracked, NEVER), done, hadLedger: tracked.hasHadLedger }
}

test.each([
  ['its ledger', { holds: 'its ledger' }, { place: 'there', done: [], hadLedger: true }],
  ['nothing', {}, { place: 'there', done: ['create'], hadLedger: false }],
  ['nothing, and the quota is gone', { live: 'another' }, { place: 'none', done: [], hadLedger: false }],
  [
    'its ledger, whose owner somebody took away',
    { holds: 'its ledger', isMarked: false },
    { place: 'there', done: ['mark'], hadLedger: true },
  ],
  [
    'its ledger, which says that it is of another',
    { holds: 'another', isSealed: true },
    { place: 'there', done: ['mark'], hadLedger: true },
  ],
  ['the ledger of another', { holds: 'another' }, { place: 'taken', done: ['delete'], hadLedger: false }],
  // The watch of ledgers may be ahead of that of quotas.
  [
    'the ledger of a newer quota of the name',
    { holds: 'another', live: 'another' },
    { place: 'taken', done: [], hadLedger: false },
  ],
  [
    'its ledger, which says that it is of another, and the quota is gone',
    { holds: 'another', isSealed: true, live: 'another' },
    { place: 'taken', done: [], hadLedger: false },
  ],
  [
    'the ledger of another, while none may go',
    { holds: 'another', reclaims: false },
    { place: 'taken', done: [], hadLedger: false },
  ],
  [
    'the ledger of another, which does not go',
    { holds: 'another', isEnding: true },
    { place: 'stuck', done: [], hadLedger: false },
  ],
] as const)('in the place of the ledger stands %s', async (_, place, expected) => {
  expect(await kept(place)).toEqual(expected)
})
