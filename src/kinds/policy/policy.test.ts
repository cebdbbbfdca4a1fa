import { expect, test } from 'vitest'
import { objectOf, problems } from '../../../test/apiserver/object-life.ts'

test('a disruption budget has one bound', () => {
  expect(
    problems('poddisruptionbudgets.policy', objectOf({ spec: { minAvailable: 1, maxUnavailable: '10%' } })),
  ).toEqual([
    'spec: Invalid value: {"minAvailable":1,"maxUnavailable":"10%"}: minAvailable and maxUnavailable cannot be both set',
  ])
})
