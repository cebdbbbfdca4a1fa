import { expect, test } from 'vitest'
import { quotaIncrease } from '../../../src/systems/quota-increase/api/quota-increase.ts'
import { resourcePoolClaim } from '../../../src/systems/resource-pool/api/claim.ts'
import { requestOfManifest, roomRequest, type WantedRoom } from './room-request.ts'

// Covers room-request.ts with the kinds that the server takes.
const WANTED: WantedRoom = { kind: 'claim', namespace: 'shop', name: 'more', pool: '', resource: 'pods', amount: '2' }

test('asks for a claim and for an increase as the server takes them', () => {
  const claim = roomRequest(WANTED)
  expect(claim).toEqual({
    path: '/api/v1/claims',
    manifest: {
      apiVersion: resourcePoolClaim.apiVersion,
      kind: resourcePoolClaim.kind,
      metadata: { namespace: 'shop', name: 'more' },
      spec: { claim: { pods: '2' } },
    },
  })
  expect(roomRequest({ ...WANTED, pool: 'tide' }).manifest).toMatchObject({ spec: { pool: 'tide' } })
  expect(roomRequest({ ...WANTED, kind: 'increase' })).toMatchObject({
    path: '/api/v1/increases',
    manifest: { apiVersion: quotaIncrease.apiVersion, kind: quotaIncrease.kind, spec: { hard: { pods: '2' } } },
  })
})

test('creates the manifests of remedies of these two kinds only', () => {
  expect(requestOfManifest({ kind: 'QuotaIncrease' })?.path).toBe('/api/v1/increases')
  for (const kind of ['LimitRange', 'constructor', 7, undefined]) expect(requestOfManifest({ kind })).toBeUndefined()
})
