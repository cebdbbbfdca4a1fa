import { expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { explainRequest } from './request-for-room.ts'

const increase = (annotations: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'openmcp.cloud/v1alpha1',
  kind: 'QuotaIncrease',
  metadata: { name: 'more', namespace: 'shop', annotations },
})

test.each([
  ['contributes what its annotation says', { 'quota.openmcp.cloud/effect': 'pods: 5' }, 'clear', 'contributes pods: 5'],
  ['may contribute nothing beside larger ones', { 'quota.openmcp.cloud/effect': '' }, 'clear', 'contributes nothing'],
  ['may not have been looked at', {}, 'unknown', 'has not been looked at: does allot run in this cluster?'],
])('an increase %s', (_title, annotations, verdict, said) => {
  const explained = explainRequest(increase(annotations), 'shop')
  expect([explained?.verdict, explained?.summary]).toEqual([verdict, `QuotaIncrease more ${said}`])
})

const UNSELECTED = 'no definition of base quotas selects its namespace'

test.each([
  ['QuotaIncrease', 'openmcp.cloud/v1alpha1', 'Reconciling', 'contributes nothing', ''],
  ['QuotaIncrease', 'openmcp.cloud/v1alpha1', 'Stalled', 'contributes nothing', ''],
  ['ResourcePoolClaim', 'capsule.clastix.io/v1beta2', 'Reconciling', 'has no amounts', 'ResourcePool'],
])('the cause why a %s of %s has nothing is what its condition %s says', (...given) => {
  const [kind, apiVersion, type, said, by] = given
  const conditions = [{ type, status: 'True', reason: 'Some', message: UNSELECTED, lastTransitionTime: '' }]
  const object = { ...increase({}), apiVersion, kind, spec: { pool: 'gold', claim: {} }, status: { conditions } }
  const explained = explainRequest(object, 'shop')
  expect([explained?.verdict, explained?.summary]).toEqual(['blocked', `${kind} more ${said}`])
  expect(explained?.causes).toEqual([
    {
      type: 'waits',
      refused: kind,
      by: { kind: by, name: by === '' ? '' : 'gold' },
      text: UNSELECTED,
      containers: [],
    },
  ])
})

test('objects of other kinds are no requests for room', () => {
  expect(explainRequest({ ...increase({}), apiVersion: 'example.org/v1' }, 'shop')).toBeUndefined()
})
