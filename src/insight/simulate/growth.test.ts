// Covers simulate.ts and all that it calls: how the time that it takes grows.
import { expect, test } from 'vitest'
import { simulateOn, simulatePools } from '../../../test/cli/simulate/large-cluster.ts'
import { growth } from '../../../test/growth.ts'

test('many pools with their claims take time in proportion to them', () => {
  const run = (size: number): unknown => simulatePools(size)
  expect(growth(run, 100, 4)).toBeLessThan(8)
})

test('a simulation takes time in proportion to the cluster and its changes', () => {
  const run = (size: number): unknown =>
    simulateOn({ objects: size * 20, manifests: size, namespaces: Math.ceil(size / 5) })
  expect(growth(run, 40, 4)).toBeLessThan(8)
})
