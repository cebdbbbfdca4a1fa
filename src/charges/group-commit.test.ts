import { expect, test } from 'vitest'
import {
  explore,
  type Explored,
  type ModelPort,
  type ModelRequest,
  type ModelSnapshot,
  PRODUCTION,
  type World,
} from '../../test/charges/group-commit-model.ts'
import { type Batch, decideBatch } from './decide-batch.ts'
import { GroupCommit, type SplitBatch, type Waiting, type WriteOutcome } from './group-commit.ts'

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
    const explored = await explore(world)
    expect(explored.violation).toBeUndefined()
    runs += explored.runs
  }
  expect(runs).toBeGreaterThan(5000)
})

/** Mutants judge the exploration and not the room that Stryker changes. */
const isSandbox = process.env['MUTATED_ROOM'] !== undefined

type Entries = readonly Waiting<ModelRequest, string>[]
type Split = SplitBatch<Waiting<ModelRequest, string>>
type Outcome = WriteOutcome<string>

/** The group commit at a port that some of these take the place of. */
const over = (change: (port: ModelPort) => Partial<ModelPort>): Explored => ({
  ...PRODUCTION,
  Committing: class extends Commit {
    constructor(port: ModelPort) {
      super({
        read: (group, requests) => port.read(group, requests),
        check: (request) => port.check(request),
        decide: (snapshot, requests) => port.decide(snapshot, requests),
        report: (request, verdict) => port.report(request, verdict),
        refusal: (request, decision) => port.refusal(request, decision),
        write: (group, snapshot, admitted, batch) => port.write(group, snapshot, admitted, batch),
        ...change(port),
      })
    }
  },
})

class Commit extends GroupCommit<ModelRequest, ModelSnapshot, Batch, string> {}
type Decided = Batch

const mutated = (Committing: Explored['Committing']): Explored => ({ ...PRODUCTION, Committing })
const deciding = (decide: Explored['decide']): Explored => ({ ...PRODUCTION, decide })

const MUTANTS: readonly (readonly [string, Explored, RegExp])[] = [
  [
    'requests that do not see each other',
    deciding((input) => {
      const alone = input.requests.map((request, index) =>
        decideBatch({ ...input, requests: [request], replacements: input.replacements?.slice(index, index + 1) }),
      )
      return {
        decisions: alone.flatMap(({ decisions }) => decisions),
        changed: [...new Map(alone.flatMap(({ changed }) => changed).map((one) => [one.budget.ref, one])).values()],
        uncertain: false,
      }
    }),
    /is written with|is filled over its limit/,
  ],
  [
    'a dry run that is charged',
    deciding((input) => decideBatch({ ...input, requests: input.requests.map((one) => ({ ...one, dryRun: false })) })),
    /is written with|is refused, but fits/,
  ],
  [
    'a dry run that is written',
    mutated(
      class extends Commit {
        override commit(group: string, request: ModelRequest) {
          return super.commit(group, { ...request, dryRun: false })
        }
      },
    ),
    /dry run \d is written/,
  ],
  [
    'an answer ahead of the write',
    mutated(
      class extends Commit {
        protected override write(group: string, snapshot: ModelSnapshot, admitted: Entries, decided: Decided) {
          for (const { resolve } of admitted) resolve(undefined)
          return super.write(group, snapshot, admitted, decided)
        }
      },
    ),
    /is admitted, but not charged/,
  ],
  [
    'a conflict taken for a write',
    mutated(
      class extends Commit {
        protected override conclude(group: string, admitted: Entries, outcome: Outcome) {
          if (outcome.type === 'conflict') for (const { resolve } of admitted) resolve(undefined)
          else super.conclude(group, admitted, outcome)
        }
      },
    ),
    /is admitted, but not charged/,
  ],
  [
    'a conflict that clears refusals, as upstream’s retry does',
    mutated(
      class extends Commit {
        #batch: Entries = []
        protected override commitBatch(group: string, batch: Entries, snapshot: ModelSnapshot) {
          this.#batch = batch
          return super.commitBatch(group, batch, snapshot)
        }
        protected override conclude(group: string, admitted: Entries, outcome: Outcome) {
          super.conclude(group, outcome.type === 'conflict' ? this.#batch : admitted, outcome)
        }
      },
    ),
    /request \d, which is denied, is decided/,
  ],
  [
    'requests that are forgotten when others are decided again',
    mutated(
      class extends Commit {
        protected override decideAgain(group: string, entries: Entries) {
          for (let rest = this.take(group); rest.length > 0;) rest = this.take(group)
          super.decideAgain(group, entries)
        }
      },
    ),
    /waits and is not decided/,
  ],
  [
    'a second batch of a group while one is under way',
    mutated(
      class extends Commit {
        protected override isBusy() {
          return false
        }
      },
    ),
    /two (?:batches are under way|writes are in flight)/,
  ],
  [
    'a group that is left busy',
    mutated(
      class extends Commit {
        protected override rest() {
          // It stays busy.
        }
      },
    ),
    /waits and is not decided/,
  ],
  ['deadlines that nobody looks at', over(() => ({ check: () => undefined })), /after its deadline/],
  [
    'two requests for one object in a batch',
    mutated(
      class extends Commit {
        protected override split(waiting: Entries): Split {
          return { ready: waiting, later: [] }
        }
      },
    ),
    /two requests for one object/,
  ],
  [
    'two requests for one object behind one for another of its bucket',
    mutated(
      class extends Commit {
        protected override split(waiting: Entries): Split {
          const first = new Map<string, string>()
          for (const { request } of waiting)
            if (!first.has(request.target.bucket)) first.set(request.target.bucket, request.target.key)
          const { later } = super.split(waiting)
          const isLater = (one: Entries[number]): boolean =>
            later.includes(one) && first.get(one.request.target.bucket) === one.request.target.key
          return { ready: waiting.filter((one) => !isLater(one)), later: waiting.filter(isLater) }
        }
      },
    ),
    /two requests for one object/,
  ],
  [
    'a request that waits for one for an object of the same key in another bucket',
    mutated(
      class extends Commit {
        protected override split(waiting: Entries): Split {
          const isLater = (one: Entries[number], at: number): boolean =>
            waiting.slice(0, at).some(({ request }) => request.target.key === one.request.target.key)
          return { ready: waiting.filter((one, at) => !isLater(one, at)), later: waiting.filter(isLater) }
        }
      },
    ),
    /waits and is not decided/,
  ],
  [
    'a request that gets ahead of an earlier one for its object',
    mutated(
      class extends Commit {
        protected override split(waiting: Entries): Split {
          return super.split(waiting.toReversed())
        }
      },
    ),
    /gets ahead of/,
  ],
  [
    'usage that does not follow what is replaced',
    deciding((input) => decideBatch({ ...input, replacements: undefined })),
    /is written with/,
  ],
  [
    'a refusal that is not reported',
    over((port) => ({
      report: (request, verdict) => (verdict === 'denied' ? undefined : port.report(request, verdict)),
    })),
    /is denied, and reported as nothing/,
  ],
  [
    'a write that is not reported',
    over((port) => ({
      report: (request, verdict) =>
        verdict === 'admitted' && !request.dryRun ? undefined : port.report(request, verdict),
    })),
    /is admitted, and reported as nothing/,
  ],
  [
    'a dry run that is not reported',
    over((port) => ({
      report: (request, verdict) => (request.dryRun ? undefined : port.report(request, verdict)),
    })),
    /is admitted, and reported as nothing/,
  ],
  [
    'a report ahead of the write, which fails',
    over((port) => ({
      write: (group, snapshot, admitted, batch) => {
        for (const request of admitted) port.report(request, 'admitted')
        return port.write(group, snapshot, admitted, batch)
      },
    })),
    /is reported twice|is failed, and reported as admitted/,
  ],
  [
    'requests that wait for another for their object, and are forgotten',
    mutated(
      class extends Commit {
        protected override split(waiting: Entries): Split {
          return { ...super.split(waiting), later: [] }
        }
      },
    ),
    /waits and is not decided/,
  ],
  [
    'budgets that are read only once',
    over((port) => {
      let once: ReturnType<ModelPort['read']> | undefined
      return { read: (group, requests) => (once ??= port.read(group, requests)) }
    }),
    /is written with|is refused, but fits|it never ends/,
  ],
  [
    'a request that cannot be written and is decided again',
    mutated(
      class extends Commit {
        protected override conclude(group: string, admitted: Entries, outcome: Outcome) {
          super.conclude(group, admitted, outcome)
          const culprit =
            outcome.type === 'rejected' && outcome.index !== undefined ? admitted[outcome.index] : undefined
          if (culprit !== undefined) this.decideAgain(group, [culprit])
        }
      },
    ),
    /request \d, which is failed, is decided/,
  ],
  [
    'the result of another request',
    over((port) => ({
      write: async (group, snapshot, admitted, batch) => {
        const outcome = await port.write(group, snapshot, admitted, batch)
        if (outcome.type !== 'written') return outcome
        return { ...outcome, results: outcome.results.flatMap(() => outcome.results.slice(0, 1)) }
      },
    })),
    /request \d gets result \d/,
  ],
  [
    'an error of the port that nobody is answered with',
    mutated(
      class extends Commit {
        protected override fail() {
          // Nobody learns of it.
        }
      },
    ),
    /waits and is not decided/,
  ],
]

test.skipIf(isSandbox).each(MUTANTS)('the exploration finds %s', async (_what, mutant, violation) => {
  const found: string[] = []
  for (const world of WORLDS) {
    const explored = await explore(world, mutant)
    if (explored.violation !== undefined) found.push(explored.violation)
    if (violation.test(explored.violation ?? '')) break
  }
  expect(found.join('\n')).toMatch(violation)
})
