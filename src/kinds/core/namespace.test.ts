import { describe, expect, test } from 'vitest'
import { context, objectOf, stored, strategy } from '../../../test/apiserver/object-life.ts'
import { sentence } from '../../machinery/field-error.ts'

describe('namespaces', () => {
  test('start active, labelled with their name, and are kept until their content is gone', () => {
    const object = stored('namespaces', objectOf({ status: { phase: 'Terminating' } }, { name: 'north' }))
    expect(object).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'north' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    })
  })

  test('keep finalizers and status on update', () => {
    const old = stored('namespaces', objectOf({}))
    const next = strategy('namespaces').prepareForUpdate!(
      objectOf({ spec: { finalizers: [] }, status: {} }),
      old,
      context,
    )
    expect(next).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } })
  })

  test('are Terminating when deleted, and only then', () => {
    const check = strategy('namespaces').validateStatusUpdate!
    const old = objectOf({})
    expect(check(objectOf({ status: { phase: 'Terminating' } }), old).map(sentence)).toEqual([
      'status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ])
    expect(check(objectOf({ status: { phase: 'Terminating' } }, { deletionTimestamp: context.now }), old)).toEqual([])
  })
})
