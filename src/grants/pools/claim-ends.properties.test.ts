import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Arena, claimOf, inPool, poolOf, settle, withoutReleases } from '../../../test/grants/pool-arena.ts'
import { conditionOf, withoutCondition } from '../../api/condition.ts'
import type { AllocatedClaim } from '../../api/resource-pool/resource-pool.ts'
import type { ResourcePoolClaim } from '../../api/resource-pool-claim/resource-pool-claim.ts'
import type { ResourceQuotaStatus } from '../../api/resource-quota/resource-quota.ts'

const CPU = 'requests.cpu'
const SIZE = 6
const MOMENTS = 12
const BORN = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const NAMESPACES = ['a', 'b']

interface Made {
  readonly namespace: string
  readonly cpu: number
  readonly expiresIn: number | undefined
  readonly ttl: number | undefined
}

const minutes = fc.option(fc.integer({ min: 1, max: MOMENTS }), { nil: undefined })
const made: fc.Arbitrary<Made> = fc.record({
  namespace: fc.constantFrom(...NAMESPACES),
  cpu: fc.integer({ min: 1, max: 3 }),
  expiresIn: minutes,
  ttl: minutes,
})
/** By how much the use of a namespace changes at each moment. */
const moments = fc.array(
  fc.record({ namespace: fc.constantFrom(...NAMESPACES), by: fc.integer({ min: -3, max: 3 }) }),
  {
    minLength: MOMENTS,
    maxLength: MOMENTS,
  },
)

const claimsOf = (all: readonly Made[]): readonly ResourcePoolClaim[] =>
  all.map(({ namespace, cpu, expiresIn, ttl }, age) => {
    const claim = claimOf(`c${age}`, { [CPU]: String(cpu) }, { namespace, age })
    const expiresAt = expiresIn === undefined ? {} : { expiresAt: new Date(BORN + expiresIn * MINUTE).toISOString() }
    return {
      ...claim,
      spec: { ...claim.spec, ...expiresAt, ...(ttl === undefined ? {} : { ttlAfterBound: `${ttl}m` }) },
    }
  })

/** A change of the program that must be found. */
interface Mutant {
  /** The time that the decision is given. */
  readonly time?: (now: number) => number
  /** The usage that it is shown. */
  readonly shown?: (used: number) => number
  /** The claims as they say it of themselves. */
  readonly claims?: (claim: ResourcePoolClaim) => ResourcePoolClaim
}

const isOver = (claim: ResourcePoolClaim): boolean =>
  conditionOf(claim.status?.conditions, 'Expired')?.status === 'True'

/** Lets time pass and workloads come, as far as their quota lets them, and go. Returns what went wrong. */
function play(
  all: readonly Made[],
  changes: readonly { namespace: string; by: number }[],
  mutant: Mutant = {},
): string | undefined {
  const { time = (now) => now, shown = (used) => used, claims: said = (claim) => claim } = mutant
  const use = new Map(NAMESPACES.map((name) => [name, 0]))
  const ended = new Set<string>()
  let pool = poolOf('p', { quota: { hard: { [CPU]: String(SIZE) } } })
  let claims = claimsOf(all)
  const held = (namespace: string): number =>
    (pool.status?.claims?.[namespace] ?? []).reduce((sum, entry) => sum + Number(entry.claims?.[CPU]), 0)
  const entryOf = ({ metadata: { namespace = '', uid } }: ResourcePoolClaim): AllocatedClaim | undefined =>
    pool.status?.claims?.[namespace]?.find((entry) => entry.uid === uid)
  for (const [at, { namespace, by }] of changes.entries()) {
    const now = BORN + at * MINUTE
    const wanted = Math.max(0, (use.get(namespace) ?? 0) + by)
    if (by < 0 || wanted <= held(namespace)) use.set(namespace, wanted)
    // A waiting claim gets released amounts in a further round.
    for (let round = 0; round < 3; round++) {
      const used: Record<string, ResourceQuotaStatus> = Object.fromEntries(
        NAMESPACES.map((name) => [
          name,
          { hard: { [CPU]: String(held(name)) }, used: { [CPU]: String(shown(use.get(name) ?? 0)) } },
        ]),
      )
      const next: Arena = settle(pool, claims.map(said), inPool('p', ...NAMESPACES), used, time(now))
      pool = withoutReleases(next.pool)
      claims = next.claims
      for (const claim of claims) {
        const { name = '' } = claim.metadata
        const has = entryOf(claim) !== undefined
        if (ended.has(name) && (has || !isOver(claim))) return 'a claim came back'
        if (!has && isOver(claim)) ended.add(name)
      }
    }
    if (NAMESPACES.reduce((sum, name) => sum + held(name), 0) > SIZE) return 'the pool handed out more than it has'
    for (const name of NAMESPACES) if (held(name) < (use.get(name) ?? 0)) return 'workloads use more than their quota'
    for (const claim of claims) {
      const { name = '', namespace: of = '' } = claim.metadata
      const { expiresAt } = claim.spec
      const has = entryOf(claim)
      if (expiresAt !== undefined && Date.parse(expiresAt) <= now && !isOver(claim)) return 'a claim did not end'
      if (has === undefined || !isOver(claim)) continue
      if (held(of) - Number(has.claims?.[CPU]) >= (use.get(of) ?? 0)) return 'a claim was frozen that nobody uses'
      if (pool.status?.frozen?.some((one) => one.name === name) !== true) return 'the pool does not name a frozen claim'
    }
  }
  return undefined
}

const world = fc.tuple(fc.array(made, { minLength: 1, maxLength: 6 }), moments)

test('whatever ends while workloads come and go, no quota falls below its use, and no pool hands out more than it has', () => {
  fc.assert(
    fc.property(world, ([all, changes]) => {
      expect(play(all, changes)).toBeUndefined()
    }),
  )
})

const forgetful = (claim: ResourcePoolClaim): ResourcePoolClaim => {
  const { expiresAt: _, ttlAfterBound: __, ...spec } = claim.spec
  if (!isOver(claim) || claim.status === undefined) return claim
  return {
    ...claim,
    spec,
    status: { ...claim.status, conditions: withoutCondition(claim.status.conditions, 'Expired') },
  }
}

test.each<[string, Mutant, RegExp]>([
  ['a clock that stands still', { time: () => BORN }, /did not end/],
  ['no look at what is used', { shown: () => 0 }, /use more than their quota/],
  [
    'claims that keep all while anything is used',
    { shown: (used) => (used > 0 ? SIZE : 0) },
    /frozen that nobody uses/,
  ],
  ['claims that forget that they ended', { claims: forgetful }, /came back/],
])('the exploration finds %s', (_, mutant, problem) => {
  const worlds = fc.sample(world, { numRuns: 300, seed: 1 })
  expect(worlds.some(([all, changes]) => problem.test(play(all, changes, mutant) ?? ''))).toBe(true)
})
