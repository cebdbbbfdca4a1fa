import { expect, test } from 'vitest'
import { explore } from '../../../../../test/systems/resource-pool/write-order/model.ts'
import { FOUND_IN, MUTANTS, PRODUCTION, WORLDS } from '../../../../../test/systems/resource-pool/write-order/worlds.ts'

// The larger worlds, and all mutants, are explored in test/systems/resource-pool/write-order/model.test.ts.
const QUICK = Object.entries(WORLDS).filter(([, { operators }]) => operators === 1)

test.each(QUICK)('no order of reads, writes and crashes hands out too much: %s', (_name, world) => {
  expect(explore(world, PRODUCTION).violation).toBeUndefined()
})

test.each(['no second look at what is used', 'room that is free at once'])('the exploration finds %s', (name) => {
  const world = WORLDS[FOUND_IN[name] ?? '']!
  expect(explore(world, { ...PRODUCTION, ...MUTANTS[name]! }).violation).toMatch(/quotas allow 2 of 1/)
})
