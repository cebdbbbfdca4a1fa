import { describe, expect, test } from 'vitest'
import type { AdmissionRequest } from '../../runtime/admission/admission-request.ts'
import { guardLedger, ledgerGuardHooks } from './ledger-guard.ts'

const LEDGER = { group: 'capsule.clastix.io', version: 'v1beta2' }
const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector'

const request = (username: string, operation: 'CREATE' | 'UPDATE' | 'DELETE'): AdmissionRequest => ({
  uid: 'u',
  kind: { ...LEDGER, kind: 'QuantityLedger' },
  resource: { ...LEDGER, resource: 'quantityledgers' },
  subResource: '',
  requestKind: { ...LEDGER, kind: 'QuantityLedger' },
  requestResource: { ...LEDGER, resource: 'quantityledgers' },
  requestSubResource: '',
  name: 'books',
  namespace: 'library',
  operation,
  userInfo: { username, uid: '', groups: [], extra: {} },
  object: undefined,
  oldObject: undefined,
  dryRun: false,
  options: undefined,
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
})
