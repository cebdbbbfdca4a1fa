import { describe, expect, test } from 'vitest'
import { isObject } from '../../machinery/object.ts'
import { negotiateDiscovery } from './negotiate.ts'

const clause = (version: string) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`

describe('negotiation of discovery', () => {
  test.each([
    ['as kubectl 1.26 asks', `${clause('v2beta1')},application/json`, 'v2beta1'],
    ['as kubectl 1.30 asks, the first clause wins', `${clause('v2')},${clause('v2beta1')},application/json`, 'v2'],
    ['with parameters in another order', 'application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io', 'v2'],
    ['with spaces', `application/json; g=apidiscovery.k8s.io; v=v2; as=APIGroupDiscoveryList`, 'v2'],
  ])('gives the aggregated form %s', (_, accept, version) => {
    expect(negotiateDiscovery(accept)).toEqual({ aggregated: version, contentType: clause(version) })
  })

  test.each([
    ['no header', undefined],
    ['anything', '*/*'],
    ['plain JSON', 'application/json, */*'],
    ['an unknown version', `${clause('v3')},application/json`],
    ['another form', 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'],
    ['protobuf or JSON', 'application/vnd.kubernetes.protobuf,application/json'],
  ])('gives the plain form for %s', (_, accept) => {
    expect(negotiateDiscovery(accept)).toEqual({ aggregated: undefined, contentType: 'application/json' })
  })

  test('refuses what it cannot speak with 406', () => {
    const refused = (() => {
      try {
        return negotiateDiscovery('text/html')
      } catch (error) {
        return error
      }
    })()
    expect(isObject(refused) && refused['status']).toMatchObject({ code: 406 })
  })
})
