import { expect, test } from 'vitest'
import { defaulted, objectOf } from '../../../test/apiserver/object-life.ts'
import type { JsonObject } from '../../machinery/object.ts'

test('a network policy is about ingress, and egress if it says so', () => {
  const types = (spec: JsonObject): unknown =>
    (defaulted('networkpolicies.networking.k8s.io', objectOf({ spec })).spec as JsonObject).policyTypes
  expect(types({})).toEqual(['Ingress'])
  expect(types({ egress: [{}] })).toEqual(['Ingress', 'Egress'])
})
