import { describe, expect, test } from 'vitest'
import { context, defaulted, objectOf, problems, stored, strategy } from '../../../../test/apiserver/object-life.ts'
import { sentence } from '../../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'

describe('claims', () => {
  const claim = (spec: JsonObject = {}, more: JsonObject = {}): KubeObject =>
    objectOf({
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } }, ...spec },
      ...more,
    })

  test('start pending and are protected while in use', () => {
    expect(stored('persistentvolumeclaims', claim())).toMatchObject({
      metadata: { finalizers: ['kubernetes.io/pvc-protection'] },
      spec: { volumeMode: 'Filesystem' },
      status: { phase: 'Pending' },
    })
  })

  test('ask for something, somehow', () => {
    expect(problems('persistentvolumeclaims', objectOf({ spec: {} }))).toEqual([
      'spec.accessModes: Required value: at least 1 access mode is required',
      'spec.resources[storage]: Required value',
    ])
    expect(problems('persistentvolumeclaims', claim({ resources: { requests: { storage: '0' } } }))).toEqual([
      'spec.resources[storage]: Invalid value: "0": must be greater than zero',
    ])
  })

  const REFUSAL =
    'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims'
  const grown = claim({ resources: { requests: { storage: '4Gi' } } })
  const rules = (before: KubeObject, after: KubeObject, status: JsonObject): string[] => {
    const old = { ...stored('persistentvolumeclaims', before), status }
    const claims = strategy('persistentvolumeclaims')
    const next = claims.prepareForUpdate!(defaulted('persistentvolumeclaims', after), old, context)
    return claims.validateUpdate!(next, old).map(sentence)
  }

  test('grow only once bound, and shrink only to more than they have', () => {
    expect(rules(claim(), grown, { phase: 'Pending' })).toEqual([REFUSAL])
    expect(rules(claim(), grown, { phase: 'Bound' })).toEqual([])
    expect(rules(grown, claim(), { phase: 'Bound', capacity: { storage: '2Gi' } })).toEqual([])
    expect(rules(grown, claim(), { phase: 'Bound', capacity: { storage: '4Gi' } })).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ])
  })

  test('keep their class and modes', () => {
    expect(rules(claim({ storageClassName: 'slow' }), claim({ storageClassName: 'fast' }), {})).toEqual([REFUSAL])
    expect(rules(claim(), claim({ storageClassName: 'fast' }), {})).toEqual([])
    expect(rules(claim(), claim({ accessModes: ['ReadWriteMany'] }), { phase: 'Bound' })).toEqual([REFUSAL])
  })
})
