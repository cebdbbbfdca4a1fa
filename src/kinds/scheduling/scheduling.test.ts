import { expect, test } from 'vitest'
import { objectOf, problems, updateProblems } from '../../../test/apiserver/object-life.ts'

test('priorities of users stay below those of the system', () => {
  const priority = (name: string, value: number): string[] =>
    problems('priorityclasses.scheduling.k8s.io', objectOf({ value }, { name }))
  expect(priority('high', 1_000_000_000)).toEqual([])
  expect(priority('high', 1_000_000_001)).toEqual([
    'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
  ])
  expect(priority('system-node-critical', 2_000_001_000)).toEqual([])
  expect(priority('system-mine', 1)).toEqual([
    "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
  ])
  expect(updateProblems('priorityclasses.scheduling.k8s.io', objectOf({ value: 1 }), objectOf({ value: 2 }))).toEqual([
    'Value: Forbidden: may not be changed in an update.',
  ])
})
