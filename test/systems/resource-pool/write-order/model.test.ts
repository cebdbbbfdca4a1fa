import { expect, test } from 'vitest'
import { explore } from './model.ts'
import { FOUND_IN, LARGE_WORLDS, MUTANTS, PRODUCTION, WORLDS } from './worlds.ts'

const EVERY = { ...WORLDS, ...LARGE_WORLDS }
const EXPLORED = process.env['ALLOT_SOAK'] === undefined ? WORLDS : EVERY
/** Those that only the larger worlds show are tried in the long form. */
const mutants = Object.entries(FOUND_IN).filter(([, where]) => Object.hasOwn(EXPLORED, where))

test('with two operators, stale reads and crashes between any two writes, no more than the pool is ever allowed', () => {
  const explored = Object.entries(EXPLORED).map(([name, world]) => ({ name, ...explore(world, PRODUCTION) }))
  expect(explored.filter(({ violation }) => violation !== undefined)).toEqual([])
  expect(explored.reduce((sum, { states }) => sum + states, 0)).toBeGreaterThan(30_000)
})

test.each(mutants)('the exploration finds %s', (name, where) => {
  const world = EVERY[where]!
  expect(explore(world, { ...PRODUCTION, ...MUTANTS[name]! }).violation).toMatch(/quotas allow 2 of 1/)
})

test('a world is named for each mutant', () => {
  expect(Object.keys(FOUND_IN)).toEqual(Object.keys(MUTANTS))
})
