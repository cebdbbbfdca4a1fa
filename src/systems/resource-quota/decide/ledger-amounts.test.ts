import { expect, test } from 'vitest'
import { isOfSameResource, limitOf, partOf } from './ledger-amounts.ts'

const PODS = { group: '', resource: 'pods' }
const DEPLOYMENTS = { group: 'apps', resource: 'deployments' }

test.each([
  [PODS, 'requests.cpu', '//pods/requests.cpu'],
  [DEPLOYMENTS, 'count/deployments.apps', 'apps//deployments/count/deployments.apps'],
  [
    PODS,
    'gold.storageclass.storage.k8s.io/requests.storage',
    '//pods/gold.storageclass.storage.k8s.io/requests.storage',
  ],
])('a part names the resource and the limit that it counts towards: %o, %s', (resource, limit, part) => {
  expect(partOf(resource, limit)).toBe(part)
  expect(limitOf(part)).toBe(limit)
})

test('parts of one resource are told from those of another resource, and of another group', () => {
  const part = partOf(DEPLOYMENTS, 'count/deployments.apps')
  expect(isOfSameResource(part, partOf(DEPLOYMENTS, 'requests.cpu'))).toBe(true)
  expect(isOfSameResource(part, partOf(PODS, 'count/deployments.apps'))).toBe(false)
  expect(isOfSameResource(part, partOf({ group: 'other', resource: 'deployments' }, 'count/deployments.apps'))).toBe(
    false,
  )
})
