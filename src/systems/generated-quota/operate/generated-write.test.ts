import { expect, test } from 'vitest'
import type { KubeObject } from '../../../machinery/object.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { isGeneratedWrite } from './generated-write.ts'

const OWN = 'system:serviceaccount:quota:operator'
const POOL = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'ResourcePool', name: 'p', uid: 'u', controller: true }
const OF_POOL = { labels: { 'projectcapsule.dev/managed-by': 'controller' }, ownerReferences: [POOL] }
const OF_DEFINITION = {
  labels: { 'quota.openmcp.cloud/managed-by': 'm', 'quota.openmcp.cloud/quota-definition': 'd' },
}
const quota = (metadata: object, hard: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', ...metadata },
  spec: { hard },
})
const written = (
  object: KubeObject,
  oldObject?: KubeObject,
  { user = OWN, resource = 'resourcequotas', group = '' } = {},
): boolean => {
  const request = { userInfo: { username: user }, resource: { group, version: 'v1', resource }, object, oldObject }
  return isGeneratedWrite(request as unknown as AdmissionRequest, OWN)
}

test('allot writes the quotas and LimitRanges of pools and definitions, and makes room for them', () => {
  expect(written(quota(OF_POOL))).toBe(true)
  expect(written(quota(OF_DEFINITION))).toBe(true)
  expect(written(quota({}), quota(OF_POOL))).toBe(true)
  expect(written(quota(OF_POOL), undefined, { resource: 'limitranges' })).toBe(true)
  const tenants = quota({}, { resourcequotas: '1', pods: '3' })
  expect(written(quota({}, { resourcequotas: '2', pods: '3' }), tenants)).toBe(true)
  expect(written(quota({}, { resourcequotas: '1', 'count/resourcequotas': '2', pods: '3' }), tenants)).toBe(true)
})

test('other writes are not taken for those of allot, not even by the same user', () => {
  expect(written(quota(OF_POOL), undefined, { user: 'tenant' })).toBe(false)
  expect(written(quota(OF_POOL), undefined, { resource: 'configmaps' })).toBe(false)
  expect(written(quota(OF_POOL), undefined, { group: 'example.test' })).toBe(false)
  expect(written(quota({ labels: OF_POOL.labels }))).toBe(false)
  expect(written(quota({ ownerReferences: [POOL] }))).toBe(false)
  expect(written(quota({ labels: { 'quota.openmcp.cloud/managed-by': 'm' } }))).toBe(false)
  const tenants = quota({}, { resourcequotas: '1', pods: '3' })
  expect(written(tenants)).toBe(false)
  expect(written(quota({}, { resourcequotas: '2', pods: '4' }), tenants)).toBe(false)
  expect(written(quota({ labels: { a: 'b' } }, { resourcequotas: '2', pods: '3' }), tenants)).toBe(false)
})

test('nothing is taken for a write of allot while its user is not known', () => {
  const request = { userInfo: { username: '' }, resource: { group: '', resource: 'resourcequotas' } }
  expect(isGeneratedWrite({ ...request, object: quota(OF_POOL) } as unknown as AdmissionRequest, undefined)).toBe(false)
})
