// Covers end/claim.ts with decide-pool.ts.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type Arena,
  claimOf,
  inPool,
  poolOf,
  settle,
  withoutReleases,
} from '../../../../test/systems/resource-pool/pool-arena.ts'
import { conditionOf, withoutCondition } from '../../../api/condition.ts'
import { RELEASE_ANNOTATION } from '../api/pool-names.ts'
import type { AllocatedClaim } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import type { ResourceQuotaStatus } from '../../../kinds/resource-quota/resource-quota.ts'

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
/** A change of its owner to one claim. */
const edit = fc.oneof(
  fc.record({ what: fc.constant('resize' as const), at: fc.nat(5), cpu: fc.integer({ min: 0, max: 3 }) }),
  fc.record({ what: fc.constant('release' as const), at: fc.nat(5) }),
  fc.record({ what: fc.constant('leave' as const), at: fc.nat(5) }),
  fc.record({ what: fc.constant('delete' as const), at: fc.nat(5) }),
  fc.record({ what: fc.constant('ttl' as const), at: fc.nat(5), ttl: fc.constantFrom('1ms', '1m', '5m') }),
)
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never

/** By how much the use of a namespace changes at each moment, and what owners change. */
const moment = fc.record({
  namespace: fc.constantFrom(...NAMESPACES),
  by: fc.integer({ min: -3, max: 3 }),
  edits: fc.array(edit, { maxLength: 2 }),
})
type Moment = typeof moment extends fc.Arbitrary<infer T> ? T : never
const moments = fc.array(moment, { minLength: MOMENTS, maxLength: MOMENTS })

function edited(claim: ResourcePoolClaim, one: Edit): readonly ResourcePoolClaim[] {
  switch (one.what) {
    case 'resize':
      return [{ ...claim, spec: { ...claim.spec, claim: { [CPU]: String(one.cpu) } } }]
    case 'release':
      return [{ ...claim, metadata: { ...claim.metadata, annotations: { [RELEASE_ANNOTATION]: 'true' } } }]
    case 'leave':
      return [{ ...claim, spec: { ...claim.spec, pool: 'other' } }]
    case 'delete':
      return []
    case 'ttl':
      return isOver(claim) ? [claim] : [{ ...claim, spec: { ...claim.spec, ttlAfterBound: one.ttl } }]
    default:
      return one satisfies never
  }
}

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
function play(all: readonly Made[], changes: readonly Moment[], mutant: Mutant = {}): string | undefined {
  const { time = (now) => now, shown = (used) => used, claims: said = (claim) => claim } = mutant
  const use = new Map(NAMESPACES.map((name) => [name, 0]))
  const ended = new Set<string>()
  let pool = poolOf('p', { quota: { hard: { [CPU]: String(SIZE) } } })
  let claims = claimsOf(all)
  const held = (namespace: string): number =>
    (pool.status?.claims?.[namespace] ?? []).reduce((sum, entry) => sum + Number(entry.claims?.[CPU]), 0)
  const entryOf = ({ metadata: { namespace = '', uid } }: ResourcePoolClaim): AllocatedClaim | undefined =>
    pool.status?.claims?.[namespace]?.find((entry) => entry.uid === uid)
  for (const [at, { namespace, by, edits }] of changes.entries()) {
    const now = BORN + at * MINUTE
    const wanted = Math.max(0, (use.get(namespace) ?? 0) + by)
    if (by < 0 || wanted <= held(namespace)) use.set(namespace, wanted)
    const names = claims.map(({ metadata }) => metadata.name)
    for (const one of edits)
      claims = claims.flatMap((claim) =>
        claim.metadata.name === names[one.at % names.length] ? edited(claim, one) : claim,
      )
    // A waiting claim gets released amounts in a further round.
    for (let round = 0; round < 3; round++) {
      const used: Record<string, ResourceQuotaStatus> = Object.fromEntries(
        NAMESPACES.map((name) => [
          name,
          { hard: { [CPU]: String(held(name)) }, used: { [CPU]: String(shown(use.get(name) ?? 0)) } },
        ]),
      )
      const had = new Map(claims.map((claim) => [claim.metadata.name, Number(entryOf(claim)?.claims?.[CPU] ?? 0)]))
      const next: Arena = settle(pool, claims.map(said), inPool('p', ...NAMESPACES), used, time(now))
      pool = withoutReleases(next.pool)
      claims = next.claims
      for (const claim of claims) {
        const { name = '' } = claim.metadata
        const has = entryOf(claim) !== undefined
        if (ended.has(name) && (has || !isOver(claim))) return 'a claim came back'
        if (!has && isOver(claim)) ended.add(name)
        const { namespace: of = '' } = claim.metadata
        const isLeaving = (had.get(name) ?? 0) > 0 && !has && isOver(claim)
        if (isLeaving && held(of) < (use.get(of) ?? 0)) return 'an end took what workloads use'
      }
    }
    if (NAMESPACES.reduce((sum, name) => sum + held(name), 0) > SIZE) return 'the pool handed out more than it has'
    for (const name of NAMESPACES) {
      if (held(name) >= (use.get(name) ?? 0)) continue
      if (edits.length === 0) return 'workloads use more than their quota'
      // That owners give back what is used is their own doing.
      use.set(name, held(name))
    }
    for (const claim of claims) {
      const { name = '', namespace: of = '' } = claim.metadata
      const { expiresAt, pool: wanted } = claim.spec
      const has = entryOf(claim)
      const isDue = expiresAt !== undefined && Date.parse(expiresAt) <= now
      // Another pool decides about a claim that left.
      if (isDue && wanted === 'p' && !isOver(claim)) return 'a claim did not end'
      if (has === undefined || !isOver(claim)) continue
      if (held(of) - Number(has.claims?.[CPU]) >= (use.get(of) ?? 0)) return 'a claim was frozen that nobody uses'
      if (pool.status?.frozen?.some((one) => one.name === name) !== true) return 'the pool does not name a frozen claim'
    }
  }
  return undefined
}

const world = fc.tuple(fc.array(made, { minLength: 1, maxLength: 6 }), moments)

const still: Moment = { namespace: 'a', by: 0, edits: [] }
/** A claim ends in the moment in which the other, which covers what is used, is given back. */
const together = (other: Edit): [[Made[], Moment[]]] => [
  [
    [
      { namespace: 'a', cpu: 2, expiresIn: 2, ttl: undefined },
      { namespace: 'a', cpu: 2, expiresIn: undefined, ttl: undefined },
    ],
    [still, { ...still, by: 2 }, { ...still, edits: [other] }, ...Array.from({ length: MOMENTS - 3 }, () => still)],
  ],
]

test('whatever ends while workloads come and go, no quota falls below its use, and no pool hands out more than it has', () => {
  fc.assert(
    fc.property(world, ([all, changes]) => {
      expect(play(all, changes)).toBeUndefined()
    }),
    {
      examples: [
        together({ what: 'resize', at: 1, cpu: 1 }),
        together({ what: 'release', at: 1 }),
        together({ what: 'leave', at: 1 }),
        together({ what: 'delete', at: 1 }),
        together({ what: 'resize', at: 1, cpu: 9 }),
      ],
    },
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
  ['no look at what is used', { shown: () => 0 }, /end took what workloads use/],
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
