// Covers all files of the protocol, by the explored model.
import { describe, expect, test } from 'vitest'
import { exploreLedger } from '../../../../test/systems/counted/explore-ledger.ts'
import { PRODUCTION } from '../../../../test/systems/counted/ledger-room.ts'
import { FAR_WORLDS, LARGER_WORLDS, WORLDS } from '../../../../test/systems/counted/ledger-worlds.ts'
import { MUTANTS } from '../../../../test/systems/counted/protocol-mutants.ts'

/** Mutants judge the exploration and not the room that Stryker changes. */
const isSandbox = process.env['MUTATED_ROOM'] !== undefined
const isLong = process.env['ALLOT_SOAK'] === '1'
const mutants = isLong ? MUTANTS : MUTANTS.filter(({ world }) => FAR_WORLDS.every(({ title }) => title !== world))

describe('the protocol of the ledger, followed through everything that can happen', () => {
  let states = 0
  let steps = 0

  test.each(isLong ? [...WORLDS, ...LARGER_WORLDS] : WORLDS)('holds in the world of $title', (world) => {
    const explored = exploreLedger(world, PRODUCTION)
    states += explored.states
    steps += explored.steps
    expect(explored.violation).toBeUndefined()
  })

  test('was followed through more than two hundred thousand states', () => {
    process.stdout.write(`the ledger's protocol: ${states} states, ${steps} steps, ${mutants.length} mutants\n`)
    expect(states).toBeGreaterThan(200_000)
  })
})

test.skipIf(isSandbox).each(mutants)('the exploration of the ledger finds $title', ({ change, world, violation }) => {
  const found = [...WORLDS, ...LARGER_WORLDS, ...FAR_WORLDS]
    .filter(({ title }) => title === world)
    .map((one) =>
      'room' in change ? exploreLedger(one, change.room) : exploreLedger(one, PRODUCTION, change.protocol),
    )
  expect(found.map((one) => one.violation)).toEqual([expect.stringMatching(violation)])
})
