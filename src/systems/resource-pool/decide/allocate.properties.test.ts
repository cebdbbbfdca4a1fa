import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { growth } from '../../../../test/growth.ts'
import { claimOf, inPool, poolOf, settle, withoutReleases } from '../../../../test/systems/resource-pool/pool-arena.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import { RELEASE_ANNOTATION } from '../api/pool-names.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import {
  add,
  equals,
  formatResourceList,
  max,
  quantityOf,
  type ResourceList,
  subtract,
} from '../../../quantity/resource-list.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { allocate } from './allocate.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { claimChange, poolStatusChange } from './apply-outcome.ts'
import { coverageScore, selectUsedClaims } from './claim/used.ts'
import { byAge } from './claim/order.ts'
import { roomInRelease } from './ledger/pool-ledger.ts'

const RUNS = { numRuns: process.env['ALLOT_SOAK'] === undefined ? 60 : 3000 }
const RESOURCES = ['requests.cpu', 'requests.memory', 'pods'] as const
const NAMESPACES = ['a', 'b', 'c'] as const

const amounts = (most: number) =>
  fc.dictionary(fc.constantFrom(...RESOURCES), fc.integer({ min: 0, max: most }).map(String), { noNullPrototype: true })

const claim = fc
  .record({ of: amounts(5), namespace: fc.constantFrom(...NAMESPACES), age: fc.integer({ min: 0, max: 3 }) })
  .map(({ of, namespace, age }) => ({ of, namespace, age }))

type Shape = { readonly of: Record<string, string>; readonly namespace: string; readonly age: number }

const named = (shapes: readonly Shape[]): readonly ResourcePoolClaim[] =>
  shapes.map(({ of, namespace, age }, index) => claimOf(`c${index}`, of, { namespace, age }))

/** The changes that may happen to the claims between two decisions. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('resize' as const), at: fc.nat(20), of: amounts(8) }),
  fc.record({ kind: fc.constant('drop' as const), at: fc.nat(20) }),
  fc.record({ kind: fc.constant('free' as const) }),
)

const history = fc.record({
  hard: amounts(12),
  ordered: fc.boolean(),
  shapes: fc.array(claim, { maxLength: 10 }),
  changes: fc.array(change, { maxLength: 6 }),
})

type History = typeof history extends fc.Arbitrary<infer T> ? T : never
interface Now {
  readonly pool: ResourcePool
  readonly claims: readonly ResourcePoolClaim[]
}

const SERVED = inPool('p', 'a', 'b')

/** Lives through a history and shows each state, with the one before it. */
function live({ hard, ordered, shapes, changes }: History, look: (now: Now, before: Now) => void): Now {
  let before: Now = { pool: poolOf('p', { quota: { hard }, config: { orderedQueue: ordered } }), claims: named(shapes) }
  let now: Now = settle(before.pool, before.claims, SERVED)
  look(now, before)
  changes.forEach((one, step) => {
    const pool = { ...now.pool, metadata: { ...now.pool.metadata, resourceVersion: String(step + 2) } }
    before = { pool: one.kind === 'free' ? withoutReleases(pool) : pool, claims: changed(now.claims, one) }
    now = settle(before.pool, before.claims, SERVED)
    look(now, before)
  })
  return now
}

function changed(claims: readonly ResourcePoolClaim[], one: History['changes'][number]): readonly ResourcePoolClaim[] {
  if (one.kind === 'free' || claims.length === 0) return claims
  const at = one.at % claims.length
  if (one.kind === 'drop') return claims.toSpliced(at, 1)
  return claims.map((claim, index) => (index === at ? { ...claim, spec: { ...claim.spec, claim: one.of } } : claim))
}
const spent = ({ pool }: Now): ResourceList =>
  add(amountsOf(pool.status?.allocation?.used), roomInRelease(pool.status?.releasing))
const holders = ({ pool }: Now): ReadonlySet<string> =>
  new Set(Object.values(pool.status?.claims ?? {}).flatMap((entries) => entries.map(({ uid }) => uid)))

test('granted, releasing and available amounts add up to the pool, whatever happens', () => {
  fc.assert(
    fc.property(history, (of) => {
      live(of, (now) => {
        const { hard, available } = now.pool.status?.allocation ?? {}
        const total = add(spent(now), amountsOf(available))
        expect(equals(subtract(total, amountsOf(hard)), subtract(amountsOf(hard), amountsOf(hard)))).toBe(true)
        expect(now.pool.status?.claimCount).toBe(holders(now).size)
      })
    }),
    RUNS,
  )
})

test('applied to its own outcome, a decision changes nothing', () => {
  fc.assert(
    fc.property(history, (of) => {
      live(of, ({ pool, claims }) => {
        const outcome = allocate({ pool, claims, namespaces: SERVED, used: {} })
        expect(poolStatusChange(pool, outcome, 'later')).toBeUndefined()
        expect(outcome.claims.flatMap((one) => claimChange(one, pool, 'later') ?? [])).toEqual([])
        expect(outcome.claims.flatMap(({ events }) => events)).toEqual([])
      })
    }),
    RUNS,
  )
})

test('an event that is about one claim takes no room from another', () => {
  fc.assert(
    fc.property(history, (of) => {
      live(of, (now, before) => {
        const kept = before.claims.filter((one) => {
          const entry = before.pool.status?.claims?.[one.metadata.namespace ?? '']?.find(
            ({ uid }) => uid === one.metadata.uid,
          )
          return entry !== undefined && equals(amountsOf(entry.claims), amountsOf(one.spec.claim))
        })
        for (const { metadata } of kept) expect(holders(now).has(metadata.uid ?? '')).toBe(true)
      })
    }),
    RUNS,
  )
})

test('a waiting claim does not fit, and in an ordered pool no new claim passes an older one on a resource that it waits for', () => {
  fc.assert(
    fc.property(history, (of) => {
      live(of, (now, before) => {
        const had = holders(before)
        const outcome = allocate({ pool: now.pool, claims: now.claims, namespaces: SERVED, used: {} })
        const left = amountsOf(now.pool.status?.allocation?.available)
        const isNew = (one: ResourcePoolClaim): boolean => !had.has(one.metadata.uid ?? '')
        const given = outcome.claims
          .filter(({ claim: one, decision }) => decision.verdict === 'allocated' && isNew(one))
          .map(({ claim: one }) => amountsOf(one.spec.claim))
        // The room that was left before any new claim got some: a claim that did not fit into it never did.
        // Room in release counts as left: a claim that fits with it waits for nothing else.
        const leftBefore = given.reduce(add, add(left, roomInRelease(now.pool.status?.releasing)))
        const short = new Set<string>()
        const queued = new Set<string>()
        for (const { claim: one, decision } of outcome.claims) {
          const request = amountsOf(one.spec.claim)
          const wants = Object.keys(request).filter((name) => !amountOf(request, name).isZero())
          const isShortOf = (room: ResourceList) => (name: string) =>
            amountOf(request, name).cmp(amountOf(room, name)) > 0
          if (decision.verdict === 'allocated' && isNew(one) && of.ordered)
            expect(wants.filter((name) => short.has(name))).toEqual([])
          if (decision.verdict !== 'waiting') continue
          // While room is on its way back some claims wait for those that are about to get it.
          if (now.pool.status?.releasing === undefined) {
            const isQueued = of.ordered && wants.some((name) => queued.has(name))
            expect(isQueued || wants.some(isShortOf(left))).toBe(true)
            expect(decision.reason).toBe(isQueued ? 'QueueExhausted' : 'PoolExhausted')
          }
          if (decision.reason === 'QueueExhausted') continue
          for (const name of wants.filter(isShortOf(left))) queued.add(name)
          for (const name of wants.filter(isShortOf(leftBefore))) short.add(name)
        }
      })
    }),
    RUNS,
  )
})

/** A pool some of whose claims came when others had room already, and which of them then give it back or go. */
const givingBack = fc.record({
  cpu: fc.integer({ min: 3, max: 8 }),
  shapes: fc.array(
    fc.record({
      cpu: fc.integer({ min: 1, max: 4 }),
      memory: fc.integer({ min: 0, max: 2 }),
      namespace: fc.constantFrom('a', 'b'),
      age: fc.nat(3),
      isLate: fc.boolean(),
      fate: fc.constantFrom('stay', 'release', 'go'),
    }),
    { minLength: 3, maxLength: 8 },
  ),
})

test('room that is given back goes to the claims that would have it, were it back at once, however long that takes', () => {
  fc.assert(
    fc.property(givingBack, ({ cpu, shapes }) => {
      const hard = { 'requests.cpu': String(cpu), 'requests.memory': '4' }
      const all = named(
        shapes.map(({ memory, ...of }) => ({
          ...of,
          of: { 'requests.cpu': String(of.cpu), 'requests.memory': String(memory) },
        })),
      )
      const which = (wanted: (shape: (typeof shapes)[number]) => boolean) => (_: unknown, at: number) =>
        shapes[at] !== undefined && wanted(shapes[at])
      const early = settle(poolOf('p', { quota: { hard } }), all.filter(which(({ isLate }) => !isLate)), SERVED)
      const { pool, claims } = settle(early.pool, all, SERVED)
      const left = claims.filter(which(({ fate }) => fate !== 'go'))
      const uids = (of: readonly ResourcePoolClaim[]) => new Set(of.map(({ metadata }) => metadata.uid ?? ''))
      const staying = uids(claims.filter(which(({ fate }) => fate === 'stay')))
      const asking = left.map((one) =>
        staying.has(one.metadata.uid ?? '')
          ? one
          : { ...one, metadata: { ...one.metadata, annotations: { [RELEASE_ANNOTATION]: 'true' } } },
      )
      const atOnce = settle(withOnly(pool, staying), left, SERVED)
      const first = settle(pool, asking, SERVED)
      const then = settle(withoutReleases(first.pool), first.claims, SERVED)
      expect([...holders(then)].toSorted()).toEqual([...holders(atOnce)].toSorted())
    }),
    { numRuns: Math.max(RUNS.numRuns, 300) },
  )
})

/** The pool as if only these claims had ever been given anything, by uid. */
function withOnly(pool: ResourcePool, uids: ReadonlySet<string>): ResourcePool {
  if (pool.status === undefined) return pool
  const claims = Object.entries(pool.status.claims ?? {}).map(([namespace, entries]) => [
    namespace,
    entries.filter(({ uid }) => uids.has(uid)),
  ])
  return { ...pool, status: { ...pool.status, claims: Object.fromEntries(claims) } }
}

const amountOf = (list: ResourceList, name: string): Quantity => quantityOf(list, name) ?? Quantity.zero

test('the order in which claims are given does not matter', () => {
  fc.assert(
    fc.property(history, fc.integer(), ({ shapes, hard, ordered }, seed) => {
      const pool = poolOf('p', { quota: { hard }, config: { orderedQueue: ordered } })
      const claims = named(shapes)
      const shuffled = claims.toSorted((a, b) => hash(a, seed) - hash(b, seed))
      const status = (given: readonly ResourcePoolClaim[]) => settle(pool, given, SERVED).pool.status
      expect(status(shuffled)).toEqual(status(claims))
    }),
    RUNS,
  )
})

const hash = ({ metadata }: ResourcePoolClaim, seed: number): number =>
  Array.from(metadata.uid ?? '').reduce((sum, letter) => Math.imul(sum ^ letter.charCodeAt(0), 16777619), seed)

test('the claims that count as used are those of the plain rule: again and again the one with the highest score', () => {
  fc.assert(
    fc.property(amounts(9), fc.array(claim, { maxLength: 8 }), (usedTexts, shapes) => {
      const used = amountsOf(usedTexts)
      const claims = named(shapes)
        .toSorted(byAge)
        .map((one) => ({ uid: one.metadata.uid, request: amountsOf(one.spec.claim) }))
      const picked = new Set<unknown>()
      let remaining = used
      for (;;) {
        const open = claims.filter(({ uid }) => !picked.has(uid))
        const best = open.toSorted((a, b) =>
          coverageScore(remaining, b.request).cmp(coverageScore(remaining, a.request)),
        )[0]
        if (best === undefined || coverageScore(remaining, best.request).isZero()) break
        picked.add(best.uid)
        const zero = subtract(remaining, remaining)
        remaining = max(subtract(remaining, best.request), zero)
      }
      expect(new Set([...selectUsedClaims(claims, used)].map(({ uid }) => uid))).toEqual(picked)
    }),
    RUNS,
  )
})

test('the work grows with the number of claims, in one namespace as in many, used or not', () => {
  const run = (namespaces: number, ordered: boolean) => {
    const served = inPool('p', ...Array.from({ length: namespaces }, (_, at) => `n${at}`))
    const used = Object.fromEntries(
      served.map(({ name }) => [name, { hard: { 'requests.cpu': '100000' }, used: { 'requests.cpu': '100000' } }]),
    )
    return (size: number) => {
      const pool = poolOf('p', {
        quota: { hard: { 'requests.cpu': String(size / 2) } },
        config: { orderedQueue: ordered },
      })
      const claims = Array.from({ length: size }, (_, at) =>
        claimOf(`c${at}`, { 'requests.cpu': `${1 + (at % 3)}` }, { age: at, namespace: `n${at % namespaces}` }),
      )
      return () => allocate({ pool, claims, namespaces: served, used })
    }
  }
  for (const [namespaces, ordered] of [
    [1, false],
    [100, true],
  ] as const) {
    const made = new Map([500, 4000].map((size) => [size, run(namespaces, ordered)(size)]))
    expect(growth((size) => made.get(size)?.(), 500, 8)).toBeLessThan(8 * 4)
  }
})

test('lists are written as Kubernetes writes them', () => {
  expect(formatResourceList(amountsOf({ pods: 3, 'requests.cpu': '1000m' }))).toEqual({
    pods: '3',
    'requests.cpu': '1',
  })
})
