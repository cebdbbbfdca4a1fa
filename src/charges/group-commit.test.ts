import { expect, test } from 'vitest'
import { type Committing, explore, type World } from '../../test/charges/group-commit-model.ts'
import { mutant, type Mutation } from '../../test/charges/mutant.ts'
import * as budget from './budget.ts'
import * as decide from './decide.ts'
import * as decideBatch from './decide-batch.ts'
import { GroupCommit } from './group-commit.ts'
import * as usageShift from './usage-shift.ts'

/** The additional faults of the long form, which takes some hundred thousand runs. */
const MORE = process.env['ALLOT_SOAK'] === '1' ? 1 : 0

/** One or two budgets that count what the same requests cost them, in small sizes, and up to three requests. */
const WORLDS: readonly World[] = (['transaction', 'compare-and-swap'] as const).flatMap((writes) =>
  [
    { limits: [1], requests: [{ costs: [1] }, { costs: [1] }], disturbances: 2 },
    { limits: [2], requests: [{ costs: [1] }, { costs: [2] }, { costs: [1] }], disturbances: 1 },
    { limits: [1, 1], requests: [{ costs: [1, 0] }, { costs: [1, 1] }, { costs: [0, 1] }], disturbances: 1 },
    { limits: [2], requests: [{ costs: [1] }, { costs: [1], dryRun: true }, { costs: [1] }], disturbances: 1 },
    {
      limits: [2],
      requests: [{ costs: [1], target: 'same' }, { costs: [1], target: 'same' }, { costs: [1] }],
      disturbances: 1,
    },
    // The second goes, or takes less, and leaves room for the third.
    {
      limits: [2],
      requests: [{ costs: [2], target: 'same' }, { costs: [0], target: 'same' }, { costs: [1] }],
      disturbances: 1,
    },
    { limits: [0, 2], requests: [{ costs: [1, 1] }, { costs: [0, 1] }, { costs: [0, 2] }], disturbances: 1 },
    ...objectWorlds(),
  ].map((world) => ({ ...world, writes, disturbances: world.disturbances + MORE })),
)

/** Three requests for three objects, of which two have their key and two their bucket in common, in every way. */
function objectWorlds(): readonly Omit<World, 'writes'>[] {
  const objects = [
    { bucket: 'a', target: 'x' },
    { bucket: 'a', target: 'y' },
    { bucket: 'b', target: 'x' },
  ].map((object) => ({ ...object, costs: [1] }))
  return objects.flatMap((one) =>
    objects.flatMap((two) => objects.map((three) => ({ limits: [3], requests: [one, two, three], disturbances: 0 }))),
  )
}

test('no order of arrivals, conflicts, failures, deadlines and other writers breaks the group commit', async () => {
  let runs = 0
  for (const world of WORLDS) {
    const explored = await explore(world, GroupCommit)
    expect(explored.violation).toBeUndefined()
    runs += explored.runs
  }
  expect(runs).toBeGreaterThan(5000)
})

/** Stryker's sandbox holds sources that it has changed itself. */
const isSandbox = process.env['MUTATED_ROOM'] !== undefined

const commitMutant = (mutation: Mutation, imports: object = decideBatch): Committing =>
  mutant(new URL('group-commit.ts', import.meta.url), mutation, { './decide-batch.ts': imports })[
    'GroupCommit'
  ] as Committing

const decisionMutant = (mutation: Mutation): Committing => {
  const imports = { './budget.ts': budget, './decide.ts': decide, './usage-shift.ts': usageShift }
  const changed = mutant(new URL('decide-batch.ts', import.meta.url), mutation, imports)
  return commitMutant({ find: 'readonly #busy', replace: 'readonly #busy' }, changed)
}

const AGAIN = 'this.#decideAgain(group, admitted)'
const CONCLUDE = 'this.#conclude(group, admitted, await writing)'

test.skipIf(isSandbox).each<readonly [string, () => Committing, RegExp]>([
  [
    'requests that do not see each other',
    () => decisionMutant({ find: 'decide({ budgets: running,', replace: 'decide({ budgets,' }),
    /is written with|is filled over its limit/,
  ],
  [
    'a dry run that is charged',
    () => decisionMutant({ find: ' || attributes.dryRun', replace: '' }),
    /is written with|is refused, but fits/,
  ],
  [
    'a dry run that is written',
    () => commitMutant({ find: 'entry.request.attributes.dryRun', replace: 'false' }),
    /dry run \d is written/,
  ],
  [
    'an answer ahead of the write',
    () => commitMutant({ find: CONCLUDE, replace: `for (const one of admitted) one.resolve()\n${CONCLUDE}` }),
    /is admitted, but not charged/,
  ],
  [
    'a conflict taken for a write',
    () => commitMutant({ find: AGAIN, replace: 'for (const one of admitted) one.resolve()' }),
    /is admitted, but not charged/,
  ],
  [
    'a conflict that clears refusals, as upstream’s retry does',
    () =>
      commitMutant({
        find: CONCLUDE,
        replace:
          'const outcome = await writing; this.#conclude(group, outcome.type === "conflict" ? open : admitted, outcome)',
      }),
    /request \d, which is denied, is decided/,
  ],
  [
    'requests that are forgotten when others are decided again',
    () => commitMutant({ find: '[...entries, ...(this.#waiting.get(group) ?? [])]', replace: '[...entries]' }),
    /waits and is not decided/,
  ],
  [
    'a second batch of a group while one is under way',
    () => commitMutant({ find: 'if (this.#busy.has(group)) return', replace: '' }),
    /two (?:batches are under way|writes are in flight)/,
  ],
  [
    'a group that is left busy',
    () => commitMutant({ find: 'this.#busy.delete(group)', replace: '' }),
    /waits and is not decided/,
  ],
  [
    'deadlines that nobody looks at',
    () => commitMutant({ find: 'this.#port.check(request)', replace: '' }),
    /after its deadline/,
  ],
  [
    'two requests for one object in a batch',
    () => commitMutant({ find: '(keys?.has(key) === true ? later : ready)', replace: '(ready)' }),
    /two requests for one object/,
  ],
  [
    'two requests for one object behind one for another of its bucket',
    () => commitMutant({ find: 'else keys.add(key)', replace: '' }),
    /two requests for one object/,
  ],
  [
    'a request that waits for one for an object of the same key in another bucket',
    () =>
      commitMutant({
        find: 'const { bucket, key } = entry.request.target',
        replace: 'const { key } = entry.request.target, bucket = ""',
      }),
    /waits and is not decided/,
  ],
  [
    'a request that gets ahead of an earlier one for its object',
    () =>
      commitMutant({ find: 'for (const entry of waiting) {', replace: 'for (const entry of waiting.toReversed()) {' }),
    /gets ahead of/,
  ],
  [
    'usage that does not follow what is replaced',
    () => commitMutant({ find: 'lookup, requests, replacements }', replace: 'lookup, requests }' }),
    /is written with/,
  ],
  [
    'a refusal that is not reported',
    () => commitMutant({ find: "port.settled(entry.request, 'denied')", replace: '' }),
    /is denied, and reported as nothing/,
  ],
  [
    'a write that is not reported',
    () => commitMutant({ find: "this.#port.settled(request, 'admitted')", replace: '' }),
    /is admitted, and reported as nothing/,
  ],
  [
    'a dry run that is not reported',
    () => commitMutant({ find: "port.settled(entry.request, 'admitted')\n        entry", replace: 'entry' }),
    /is admitted, and reported as nothing/,
  ],
  [
    'a report ahead of the write, which fails',
    () =>
      commitMutant({
        find: CONCLUDE,
        replace: `for (const one of admitted) port.settled(one.request, "admitted")\n${CONCLUDE}`,
      }),
    /is reported twice|is failed, and reported as admitted/,
  ],
  [
    'requests that wait for another for their object, and are forgotten',
    () => commitMutant({ find: 'if (later.length > 0) this.#waiting.set(group, later)', replace: '' }),
    /waits and is not decided/,
  ],
  [
    'budgets that are read only once',
    () =>
      commitMutant({ find: 'const read = this.#port.read(', replace: 'const read = this.once ??= this.#port.read(' }),
    /is written with|is refused, but fits|it never ends/,
  ],
  [
    'a request that cannot be written and is decided again',
    () => commitMutant({ find: 'admitted.filter((entry) => entry !== culprit)', replace: 'admitted' }),
    /request \d, which is failed, is decided/,
  ],
  [
    'the result of another request',
    () => commitMutant({ find: 'outcome.results[index]', replace: 'outcome.results[0]' }),
    /request \d gets result \d/,
  ],
  [
    'an error of the port that nobody is answered with',
    () => commitMutant({ find: 'for (const { reject } of batch) reject(error)', replace: '' }),
    /waits and is not decided/,
  ],
])('the exploration finds %s', async (_what, committing, violation) => {
  const mutated = committing()
  const found: string[] = []
  for (const world of WORLDS) {
    const explored = await explore(world, mutated)
    if (explored.violation !== undefined) found.push(explored.violation)
    if (violation.test(explored.violation ?? '')) break
  }
  expect(found.join('\n')).toMatch(violation)
})
