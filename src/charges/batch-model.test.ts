import { expect, test } from 'vitest'
import { type Batching, explore, type World } from '../../test/charges/batch-model.ts'
import { type BatchAttempt, decideBatch, overcharged, pending, retryBatch } from './decide-batch.ts'

const PRODUCTION: Batching = { decideBatch, retryBatch, pending, overcharged }

const SIZES = [0, 1, 2]

/** Two quotas that count different things of the same pods, in every small size, and up to three pods. */
const WORLDS: readonly World[] = SIZES.flatMap((pods) =>
  SIZES.flatMap((cpu) =>
    [
      [{ cpu: 1 }],
      [{ cpu: 1 }, { cpu: 1 }],
      [{ cpu: 2 }, { cpu: 1 }],
      [{ cpu: 1 }, { cpu: 1, dryRun: true }, { cpu: 1 }],
    ].map((requests) => ({
      quotas: [
        { name: 'counted', hard: { pods } },
        { name: 'measured', hard: { pods: 3, 'requests.cpu': cpu } },
      ],
      requests,
    })),
  ),
)

const violations = (batching: Batching): string =>
  WORLDS.flatMap((world) => explore(world, batching).violation ?? []).join('\n')

test('no order of conflicts, retries and other writers breaks a batch', () => {
  const explored = WORLDS.map((world) => explore(world, PRODUCTION))
  expect(explored.flatMap(({ violation }) => violation ?? [])).toEqual([])
  expect(explored.reduce((sum, { runs }) => sum + runs, 0)).toBeGreaterThan(10_000)
})

/** What upstream does: everyone left is judged anew, by those quotas only whose write failed. */
const clearsRefusals: Batching['retryBatch'] = (previous, { written, quotas, now }) => {
  const failed = quotas.filter(
    ({ name }) => previous.changed.some(({ quota }) => quota.name === name) && !written.has(name),
  )
  const fresh = decideBatch({ quotas: failed, requests: previous.requests, now })
  return { ...fresh, held: previous.held }
}

const forgetsCharges: Batching['retryBatch'] = (previous, next) =>
  retryBatch({ ...previous, held: previous.held.map(() => new Map()) }, { ...next, written: new Set() })

const readsNothingAgain: Batching['retryBatch'] = (previous, next) => {
  const old = new Map(previous.changed.map(({ quota }) => [quota.name, quota]))
  return retryBatch(previous, { ...next, quotas: next.quotas.map((quota) => old.get(quota.name) ?? quota) })
}

const chargesDryRuns: Batching['decideBatch'] = (input) => {
  const real = decideBatch({ ...input, requests: input.requests.map((one) => ({ ...one, dryRun: false })) })
  return { ...real, requests: input.requests }
}

const decidesAlone: Batching['decideBatch'] = (input) => {
  const alone = input.requests.map((one) => decideBatch({ ...input, requests: [one] }))
  const together = decideBatch(input)
  return { ...together, decisions: alone.map((attempt) => attempt.decisions[0]).filter((one) => one !== undefined) }
}

const settlesTooSoon: Batching['pending'] = (attempt: BatchAttempt, written) =>
  written.size > 0 ? [] : pending(attempt, written)

const forgetsLeftovers: Batching['overcharged'] = () => []

test.each<readonly [string, Partial<Batching>, RegExp]>([
  [
    'a retry that clears refusals, as upstream’s does',
    { retryBatch: clearsRefusals },
    /the refusal of request \d is cleared/,
  ],
  ['a retry that forgets what has been charged', { retryBatch: forgetsCharges }, /is written with/],
  ['a retry on quotas as they were', { retryBatch: readsNothingAgain }, /is written with/],
  ['a dry run that is charged', { decideBatch: chargesDryRuns }, /is written with/],
  ['requests that do not see each other', { decideBatch: decidesAlone }, /is written with/],
  ['an answer before all charges are written', { pending: settlesTooSoon }, /is admitted, but \w+ is not charged/],
  ['charges of refused requests that nobody is told of', { overcharged: forgetsLeftovers }, /which is not admitted/],
])('the exploration finds %s', (_what, mutant, violation) => {
  expect(violations({ ...PRODUCTION, ...mutant })).toMatch(violation)
})
