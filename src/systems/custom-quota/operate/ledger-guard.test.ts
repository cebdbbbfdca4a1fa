import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../machinery/object.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { reviewedRequest } from '../../../../test/operator/reviewed-request.ts'
import { guardLedger, ledgerGuardHooks } from './ledger-guard.ts'

const LEDGER = {
  group: 'capsule.clastix.io',
  version: 'v1beta2',
  kind: 'QuantityLedger',
  resource: 'quantityledgers',
}
const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector'

const request = (username: string, operation: 'CREATE' | 'UPDATE' | 'DELETE'): AdmissionRequest =>
  reviewedRequest(LEDGER, {
    name: 'books',
    namespace: 'library',
    operation,
    userInfo: { username, uid: '', groups: [], extra: {} },
  })

describe('a ledger', () => {
  test.for(['CREATE', 'UPDATE', 'DELETE'] as const)('is kept from everybody but the operator: %s', (operation) => {
    expect(guardLedger(request('operator', operation), 'operator').verdict).toBe('allowed')
    expect(guardLedger(request('mallory', operation), 'operator')).toMatchObject({ verdict: 'denied', code: 403 })
  })

  test.for(['CREATE', 'UPDATE', 'DELETE'] as const)(
    'is closed to all for a moment where a replica does not know yet which user the operator is: %s',
    (operation) => {
      expect(guardLedger(request('mallory', operation), undefined)).toMatchObject({ verdict: 'retry', code: 429 })
    },
  )

  test('may be deleted by anybody once it belongs to no quota any more', async () => {
    const ledger = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'QuantityLedger', metadata: { name: 'books' } }
    const verdict = async (operation: 'UPDATE' | 'DELETE', isAbandoned: boolean): Promise<string | undefined> => {
      const [hook] = ledgerGuardHooks(
        () => 'operator',
        () => Promise.resolve(isAbandoned),
      )
      const asked = { ...request('mallory', operation), oldObject: ledger }
      return (await hook?.handle(asked, AbortSignal.timeout(60_000), 10_000))?.verdict
    }
    expect([await verdict('DELETE', false), await verdict('DELETE', true), await verdict('UPDATE', true)]).toEqual([
      'denied',
      'allowed',
      'denied',
    ])
  })

  test('may go with its namespace at any time', () => {
    for (const own of ['operator', undefined])
      expect(guardLedger(request(COLLECTOR, 'DELETE'), own).verdict).toBe('allowed')
  })

  test.for([
    ['only finalizers go from one that is being deleted', {}, {}, 'allowed'],
    ['it is not being deleted', { deletionTimestamp: undefined }, {}, 'denied'],
    ['another finalizer comes', {}, { finalizers: ['other'] }, 'denied'],
    ['an owner goes too', {}, { ownerReferences: undefined }, 'denied'],
  ] as const)('may lose its finalizers by anybody once it is being deleted: %s', ([, before, after, verdict]) => {
    const kept = {
      name: 'books',
      finalizers: ['a', 'b'],
      deletionTimestamp: '2026-01-01T00:00:00Z',
      ownerReferences: [{ apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'o' }],
      ...before,
    }
    const ledger = (metadata: object) =>
      ({ apiVersion: 'capsule.clastix.io/v1beta2', kind: 'QuantityLedger', metadata, spec: { a: 1 } }) as KubeObject
    const object = ledger({ ...kept, finalizers: ['b'], ...after })
    const asked = { ...request('mallory', 'UPDATE'), object, oldObject: ledger(kept) }
    expect(guardLedger(asked, 'operator').verdict).toBe(verdict)
    if (verdict === 'allowed') {
      const changed = { ...asked, object: { ...object, status: { reserved: '0' } } }
      expect(guardLedger(changed, 'operator').verdict).toBe('denied')
    }
  })
})
