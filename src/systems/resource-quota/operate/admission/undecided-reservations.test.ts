// Covers quota-costs.ts and quota-handler.ts: what other quotas hold for a request that ResourceQuotas cannot decide on.
import { expect, test } from 'vitest'
import { ManualClock } from '../../../../../test/kube/manual-clock.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { denied } from '../../../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../../../runtime/admission/request.ts'
import type { QuotaCharging } from '../../../counted/adapter.ts'
import type { ChargedLedger } from '../../../counted/protocol/admit-all.ts'
import { LedgerRefused, LedgerUnavailable, RoomHeldAhead } from '../../../counted/protocol/ledger-errors.ts'
import type { ChargeRequest } from '../../../counted/protocol/reserve.ts'
import { reviewedAttributes } from '../foresight/reviewed-attributes.ts'
import { quotaHandler } from '../../../counted/quota-handler.ts'
import { ResourceQuotaCosts } from './quota-costs.ts'
import { TrackedResourceQuota } from './tracked-quota.ts'

const MAPS = { group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps' }
const LIMIT = 'count/configmaps'
const SHARED = { group: 'g', kind: 'GlobalCustomQuota', namespace: '', name: 'shared' }

/** A ledger that decides as it is told, and the names that hold room of it. */
class ToldLedger implements ChargedLedger {
  readonly ref
  readonly held = new Map<string, string>()
  /** Why it does not admit anything. */
  problem: Error | undefined

  constructor(ref: ChargedLedger['ref']) {
    this.ref = ref
  }

  async consult(): Promise<void> {
    if (this.problem !== undefined) throw this.problem
  }

  async reserve(charges: readonly ChargeRequest[]): Promise<void> {
    await this.consult()
    for (const { id, name } of charges) this.held.set(id, name)
  }

  release(id: string): void {
    this.held.delete(id)
  }
}

/** The webhook of a quota that several namespaces share, where allot also enforces the ResourceQuota of the namespace. */
function world({ isCounted = true } = {}) {
  const clock = new ManualClock()
  const tracked = new TrackedResourceQuota({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { namespace: 'n', name: 'limit' },
    spec: { hard: { [LIMIT]: '6' } },
  })
  if (isCounted) tracked.resolution = { targets: [{ resource: MAPS }] as never, problems: [] }
  const [own, shared] = [new ToldLedger(tracked.ref), new ToldLedger(SHARED)]
  const costs = new ResourceQuotaCosts({
    clock,
    tracker: { in: () => [tracked], lookAgain: () => undefined } as never,
    tracking: { measuring: () => ({ now: 0 }) },
    ledgers: { of: () => ({ admission: own }) } as never,
  })
  const charging: QuotaCharging = {
    costsOf: ({ operation, namespace, name }) => ({
      reviewed: { operation: operation as 'CREATE', namespace, name, uid: 'u' },
      target: { resource: MAPS, counted: { objects: { get: () => undefined } } } as never,
      charges: [
        {
          ledger: shared,
          charges: [{ operation: 'CREATE', kind: 'k', namespace, name, uid: 'u', base: '', id: '', ...ofOne }],
        },
      ],
      refused: () => denied('the shared quota is full', 403, 'Forbidden'),
    }),
  }
  const handle = quotaHandler({
    client: { list: () => Promise.reject(new Error('nothing has this name')) },
    clock,
    charging,
    foresight: {
      of: (request, review) => {
        const attributes = reviewedAttributes(request)
        return attributes === undefined ? undefined : costs.reserve(attributes, review)
      },
    },
  })
  return { own, shared, asked: () => handle(REQUEST, new AbortController().signal, 1_000) }
}

const ofOne = { cost: Quantity.of(1), oldCost: Quantity.zero }
const REQUEST = {
  operation: 'CREATE',
  resource: MAPS,
  kind: MAPS,
  subResource: '',
  namespace: 'n',
  name: 'a',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'n', name: 'a', uid: 'u' } },
  dryRun: false,
} as unknown as AdmissionRequest

const REF = { group: '', kind: 'ResourceQuota', namespace: 'n', name: 'limit' }
const FULL = new LedgerRefused([{ budget: SHARED } as never])

test.each([
  ['other replicas hold its last room', new RoomHeldAhead(REF, 1)],
  ['its ledger cannot be read', new LedgerUnavailable(REF, 'unreachable', 'no answer')],
  ['its ledger is settling', new LedgerUnavailable(REF, 'settling', 'wait')],
])('a request that the ResourceQuota cannot decide on holds no room of a shared quota: %s', async (_, problem) => {
  const { own, shared, asked } = world()
  own.problem = problem
  expect(await asked()).toMatchObject({ verdict: 'retry', code: 429 })
  expect([...shared.held]).toEqual([])
  // What is final comes before what may be tried again.
  shared.problem = FULL
  expect(await asked()).toMatchObject({ verdict: 'denied', code: 403 })
  own.problem = undefined
  expect(await asked()).toMatchObject({ verdict: 'denied', code: 403 })
  expect([...own.held]).toEqual([])
  shared.problem = undefined
  expect(await asked()).toMatchObject({ verdict: 'allowed' })
  expect([...own.held.values(), ...shared.held.values()]).toEqual(['a', 'a'])
})

test('nor does one whose kind has not been counted for the ResourceQuota', async () => {
  const { own, shared, asked } = world({ isCounted: false })
  expect(await asked()).toMatchObject({ verdict: 'retry', code: 429 })
  expect([...own.held, ...shared.held]).toEqual([])
})
