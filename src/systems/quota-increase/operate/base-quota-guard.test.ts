import { expect, test } from 'vitest'
import { BASE_LABEL, DEFINITION_LABEL, FILE_PROVIDER, INCREASES_MANAGED_BY_LABEL } from '../api/increase-names.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { guardBaseQuota } from './base-quota-guard.ts'

const quota = (pods: string) => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: {
    namespace: 'n',
    name: 'former',
    labels: { [INCREASES_MANAGED_BY_LABEL]: FILE_PROVIDER, [DEFINITION_LABEL]: 'former' },
  },
  spec: { hard: { pods } },
})

/** The verdict on a tenant's request for the quota `former`, in a namespace with these labels. */
function verdict(operation: 'UPDATE' | 'DELETE', labels: Readonly<Record<string, string>>): string {
  const request = {
    operation,
    subResource: '',
    userInfo: { username: 'tenant', uid: '', groups: [], extra: {} },
    object: operation === 'UPDATE' ? quota('1000') : undefined,
    oldObject: quota('1'),
  } as unknown as AdmissionRequest
  const namespaces = { get: () => ({ name: 'n', uid: 'u', labels, deleting: false }) }
  const caches = { namespaces } as unknown as Parameters<typeof guardBaseQuota>[1]['caches']
  return guardBaseQuota(request, { caches, provider: FILE_PROVIDER, ownName: () => 'operator' }).verdict
}

test.for(['UPDATE', 'DELETE'] as const)(
  'the quota of a former definition is kept until the namespace has moved to another one: %s',
  (operation) => {
    expect(verdict(operation, { [BASE_LABEL]: 'former' })).toBe('denied')
    expect(verdict(operation, { [BASE_LABEL]: 'next' })).toBe('denied')
    expect(verdict(operation, {})).toBe('allowed')
  },
)
