import { describe, expect, test } from 'vitest'
import { servedCustomResource } from '../../../test/apiserver/served-custom-resource.ts'
import { sentence } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { ServedResource } from './served-resource.ts'
import { validateScale } from './custom-scale.ts'
import { customStrategy } from './custom-strategy.ts'

const CONTEXT = { now: '2026-11-21T00:00:00Z' }
const served = (subresources: readonly string[], more: Partial<ServedResource> = {}): ServedResource =>
  servedCustomResource({
    subresources: subresources.map((name) => ({ name, kind: 'Widget', group: 'a.test', version: 'v1', verbs: [] })),
    ...more,
  })
const widget = (fields: object, generation = 1): KubeObject => ({
  kind: 'Widget',
  apiVersion: 'a.test/v1',
  metadata: { name: 'g', generation },
  ...fields,
})

describe('with a status of its own', () => {
  const strategy = customStrategy(served(['status']))

  test('a create drops the status and begins with generation 1', () => {
    expect(strategy.prepareForCreate?.(widget({ spec: 1, status: 2 }, 9), CONTEXT)).toEqual(widget({ spec: 1 }))
  })

  test('an update keeps the stored status and counts changes beside it', () => {
    const old = widget({ spec: { a: 1, b: 2 }, status: 'old' }, 4)
    expect(strategy.prepareForUpdate?.(widget({ spec: { b: 2, a: 1 }, status: 'new' }), old, CONTEXT)).toEqual({
      ...old,
      metadata: { name: 'g', generation: 4 },
    })
    expect(strategy.prepareForUpdate?.(widget({ spec: { a: 2 } }), old, CONTEXT).metadata.generation).toBe(5)
  })

  test('an update of the status changes nothing else', () => {
    const old = widget({ spec: 1, status: 'old' }, 4)
    const sent = { ...widget({ spec: 2, status: 'new' }), metadata: { name: 'g', generation: 4, labels: { a: 'b' } } }
    expect(strategy.prepareForStatusUpdate?.(sent, old, CONTEXT)).toEqual({ ...old, status: 'new' })
    const owned = { ...sent, metadata: { ...sent.metadata, managedFields: [{ manager: 'm' }] } }
    expect(strategy.prepareForStatusUpdate?.(owned, old, CONTEXT).metadata).toEqual({
      ...old.metadata,
      managedFields: [{ manager: 'm' }],
    })
  })
})

test('without one the status counts like any field', () => {
  const strategy = customStrategy(served([]))
  expect(strategy.prepareForCreate?.(widget({ status: 2 }), CONTEXT)['status']).toBe(2)
  expect(strategy.prepareForUpdate?.(widget({ status: 3 }), widget({ status: 2 }), CONTEXT).metadata.generation).toBe(2)
})

test('a scale is read and written where the definition says', () => {
  const { scale } = customStrategy(
    served(['scale'], {
      scalePaths: {
        specReplicasPath: '.spec.deep.count',
        statusReplicasPath: '.status.count',
        labelSelectorPath: '.status.selector',
      },
    }),
  )
  const object = widget({ spec: { deep: { count: 2, other: 1 } }, status: { count: 1, selector: 'a=b' } })
  expect([scale?.specReplicas(object), scale?.statusReplicas(object), scale?.selector(object)]).toEqual([2, 1, 'a=b'])
  expect(scale?.withReplicas(object, 7)['spec']).toEqual({ deep: { count: 7, other: 1 } })
  expect(scale?.withReplicas(widget({}), 7)['spec']).toEqual({ deep: { count: 7 } })
  expect(scale?.specReplicas(widget({}))).toBe(0)
  expect(scale?.unreadable?.(object)).toBeUndefined()
  expect(scale?.unreadable?.(widget({}))).toBe('the spec replicas field ".spec.deep.count" does not exist')
})

describe('values that a scale would show', () => {
  const paths = { specReplicasPath: '.spec.a', statusReplicasPath: '.status.a', labelSelectorPath: '.spec.b' }
  const problems = (fields: object): readonly string[] => validateScale(paths, widget(fields)).map(sentence)

  test.each([
    [{}, []],
    [{ spec: { a: 3, b: 'x=y' }, status: { a: 0 } }, []],
    [
      { spec: null, status: { a: null } },
      ['.status.a: Invalid value: 0: .status.a accessor error: <nil> is of the type <nil>, expected int64'],
    ],
    [{ spec: { a: -1 } }, ['.spec.a: Invalid value: -1: should be a non-negative integer']],
    [{ spec: { a: 2 ** 31 } }, ['.spec.a: Invalid value: 2147483648: should be less than or equal to 2147483647']],
    [
      { spec: { a: 1.5 } },
      ['.spec.a: Invalid value: 0: .spec.a accessor error: 1.5 is of the type float64, expected int64'],
    ],
    [
      { spec: { b: 2 } },
      ['.spec.b: Invalid value: "": .spec.b accessor error: 2 is of the type int64, expected string'],
    ],
    [
      { status: ['x'] },
      [
        '.status.a: Invalid value: 0: .status.a accessor error: [x] is of the type []interface {}, expected map[string]interface{}',
      ],
    ],
  ])('%j', (fields, expected) => {
    expect(problems(fields)).toEqual(expected)
  })
})
