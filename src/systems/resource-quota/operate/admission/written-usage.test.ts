import { expect, test } from 'vitest'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { RESOURCE_QUOTAS } from '../../../generated-quota/operate/resource-quotas.ts'
import { writtenUsage } from './written-usage.ts'

const entry = (manager: string, subresource: string, fieldsV1: object) => ({
  manager,
  operation: 'Update',
  apiVersion: RESOURCE_QUOTAS.version,
  subresource,
  fieldsType: 'FieldsV1',
  fieldsV1,
})

test('the usage that a manager wrote is what it still owns of the status, and nothing of others', () => {
  const quota: ResourceQuota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: {
      name: 'q',
      managedFields: [
        entry('allot', 'status', { 'f:status': { 'f:used': { '.': {}, 'f:pods': {}, 'f:gone': {} } } }),
        entry('allot', '', { 'f:spec': { 'f:hard': { 'f:requests.cpu': {} } } }),
        entry('kube-controller-manager', 'status', { 'f:status': { 'f:used': { 'f:requests.cpu': {} } } }),
      ],
    },
    spec: { hard: { pods: '5', 'requests.cpu': '4' } },
    status: { hard: { pods: '5', 'requests.cpu': '4' }, used: { pods: '3', 'requests.cpu': '2' } },
  }
  const read = (manager: string): unknown =>
    Object.fromEntries([...writtenUsage(quota, manager)].map(([limit, amount]) => [limit, amount.toString()]))
  expect(read('allot')).toEqual({ pods: '3' })
  expect(read('kube-controller-manager')).toEqual({ 'requests.cpu': '2' })
  expect(read('nobody')).toEqual({})
  expect(writtenUsage({ ...quota, metadata: { name: 'q' } }, 'allot').size).toBe(0)
})
