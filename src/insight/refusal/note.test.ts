import { expect, test } from 'vitest'
import { refusalNote } from './note.ts'

test.each([
  [
    'Error creating: pods "w-x" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2',
    'quota small: pods 2 of 2 used, 1 more requested',
  ],
  [
    'create Claim data-db-1 for Pod db-1 in StatefulSet db failed error: persistentvolumeclaims "data-db-1" is forbidden: exceeded quota: a, requested: persistentvolumeclaims=1,requests.storage=10Gi, used: persistentvolumeclaims=2,requests.storage=15Gi, limited: persistentvolumeclaims=2,requests.storage=20Gi',
    'quota a: persistentvolumeclaims 2 of 2 used, 1 more requested; requests.storage 15Gi of 20Gi used, 10Gi more requested',
  ],
  [
    'Error creating: pods "w" is forbidden: exceeded quota: a, requested: pods=1, used: pods=2, limited: pods=2; exceeded quota: b, requested: requests.cpu=1, used: requests.cpu=0, limited: requests.cpu=500m',
    'quota a: pods 2 of 2 used, 1 more requested; quota b: requests.cpu 0 of 500m used, 1 more requested',
  ],
  [
    'Error creating: pods "w" is forbidden: failed quota: a: must specify limits.cpu for: app,proxy; requests.cpu for: app',
    'quota a: each container must specify limits.cpu (missing in app, proxy); requests.cpu (missing in app)',
  ],
  [
    'Error creating: pods "w" is forbidden: failed quota: a: must specify limits.cpu,requests.cpu',
    'quota a: each container must specify limits.cpu,requests.cpu',
  ],
  [
    'Error creating: admission webhook "calculation.x" denied the request: creating resource exceeds limit for CustomQuota "few" (requested=1, currentUsed=2, available=0, limit=2, inflightReserved=0); at most 0 would fit',
    'CustomQuota few: 2 of 2 used, 1 more requested',
  ],
  ['Error creating: pods "w" is forbidden: violates PodSecurity "restricted:latest"', undefined],
  ['Error creating: Internal error occurred: failed calling webhook', undefined],
])('%s is noted as %s', (message, note) => {
  expect(refusalNote(message)?.note).toBe(note)
})

test('the same refusal has the same cause, however much is used by now', () => {
  const at = (used: number): string =>
    `Error creating: pods "w" is forbidden: exceeded quota: small, requested: pods=1, used: pods=${used}, limited: pods=2`
  expect(refusalNote(at(2))?.cause).toBe(refusalNote(at(3))?.cause)
})
