// Covers quota-reporting.ts: which ledgers it removes.
import { expect, test } from 'vitest'
import { type QuantityLedger, quantityLedger } from '../../../counted/api/quantity-ledger.ts'
import { notFound } from '../../../../machinery/status.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import { ResourceQuotaReporting } from './quota-reporting.ts'
import { TrackedResourceQuota } from './tracked-quota.ts'

const KEY = 'ResourceQuota/n/q'
const NEVER = new AbortController().signal

const ledgerOf = (uid: string): QuantityLedger => ({
  apiVersion: quantityLedger.apiVersion,
  kind: quantityLedger.kind,
  metadata: { namespace: 'n', name: uid },
  spec: { targetRef: { apiGroup: '', kind: RESOURCE_QUOTAS.kind, namespace: 'n', name: 'q', uid } },
})

/** The ledgers that go where those of quotas `a` and `b` of one name are seen. `live`: the quota that has the name. */
async function removed(world: {
  readonly tracked?: string
  readonly live?: string
  readonly isEnforced?: boolean
  readonly removesLedgers?: boolean
}): Promise<readonly (string | undefined)[]> {
  const { tracked: uid, live, isEnforced = true, removesLedgers = true } = world
  const gone: (string | undefined)[] = []
  const ledgers = [ledgerOf('a'), ledgerOf('b')]
  const reporting = new ResourceQuotaReporting({
    context: {
      client: {
        get: async () => {
          if (live === undefined) throw notFound({ group: '', resource: 'resourcequotas' }, 'q')
          return { metadata: { uid: live } }
        },
      } as never,
      recorder: {} as never,
    },
    cache: {
      get: (owner: { readonly metadata: { readonly uid: string } }) =>
        ledgers.find(({ spec }) => spec.targetRef.uid === owner.metadata.uid),
      view: { list: () => ledgers },
      delete: async ({ metadata }: QuantityLedger) => void gone.push(metadata.name),
    } as never,
    ledgers: { ownerOf: ({ quota }: TrackedResourceQuota) => quota } as never,
    removesLedgers: () => removesLedgers,
    isEnforced: () => isEnforced,
    raised: {} as never,
    raisesUsage: () => false,
    onEnd: () => undefined,
  })
  const metadata = { namespace: 'n', name: 'q' }
  const tracked =
    uid === undefined
      ? undefined
      : new TrackedResourceQuota({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { ...metadata, uid }, spec: {} })
  if (tracked === undefined) await reporting.gone(KEY, undefined, NEVER)
  else await reporting.prepare(tracked, NEVER)
  return gone
}

test.each([
  ['the quota is the newest', { tracked: 'b', live: 'b' }, ['a']],
  ['the quota went', {}, ['a', 'b']],
  ['a newer quota has not been seen yet', { tracked: 'a', live: 'b' }, []],
  ['a newer quota has not been seen, but that the former went', { live: 'b' }, ['a']],
  ['allot enforces no quotas', { live: 'b', isEnforced: false }, ['a', 'b']],
  ['it is not known whether allot enforces quotas', { live: 'b', removesLedgers: false }, []],
])('the ledgers of former quotas of a name go, and that of the quota stays: %s', async (_, world, expected) => {
  expect(await removed(world)).toEqual(expected)
})
