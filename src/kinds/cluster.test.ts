import { expect, test } from 'vitest'
import { defaulted, objectOf } from '../../test/apiserver/object-life.ts'

test('a request for devices is for one of them', () => {
  const object = defaulted(
    'resourceclaims.resource.k8s.io',
    objectOf({ spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd' } }] } } }),
  )
  expect(object.spec).toEqual({
    devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'd', allocationMode: 'ExactCount', count: 1 } }] },
  })
})
