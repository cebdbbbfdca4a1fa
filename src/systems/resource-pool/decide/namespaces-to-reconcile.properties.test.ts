import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { claimOf, inPool, NOW, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { withClaimChange } from '../../../../test/systems/resource-pool/with-claim-change.ts'
import { claimChange, poolStatusChange } from './apply-outcome.ts'
import { decidePool } from './decide-pool.ts'
import { nextMoment } from './end/claim.ts'
import { nextSteps, type QuotaWrite, type Steps } from './quota/write-order.ts'
import type { ClaimOutcome, PoolOutcome } from './queue/pool-outcome.ts'
import { namespacesToReconcile } from './namespaces-to-reconcile.ts'

const RUNS = { numRuns: process.env['ALLOT_SOAK'] === undefined ? 200 : 5000 }
const MINUTE = 60_000
const NAMESPACES = ['a', 'b', 'c', 'd'] as const
const RESOURCES = ['cpu', 'memory'] as const

const namespace = fc.constantFrom(...NAMESPACES)
const amounts = (most: number) =>
  fc.dictionary(fc.constantFrom(...RESOURCES), fc.integer({ min: 0, max: most }).map(String), { noNullPrototype: true })

const ends = fc.record({
  at: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  ttlAfterBound: fc.option(fc.constantFrom('1m', '5m'), { nil: undefined }),
})

/** The events of the cluster. `at` picks one of the existing objects. */
const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ what: fc.constant('claim' as const), namespace, of: amounts(4) }) },
  fc.record({ what: fc.constant('resize' as const), at: fc.nat(20), of: amounts(6) }),
  fc.record({ what: fc.constant('drop' as const), at: fc.nat(20) }),
  fc.record({ what: fc.constant('use' as const), namespace, amount: fc.integer({ min: 0, max: 4 }) }),
  fc.record({ what: fc.constant('serve' as const), namespace }),
  fc.record({ what: fc.constant('raise quota' as const), namespace }),
  { weight: 4, arbitrary: fc.record({ what: fc.constant('enforce' as const), namespace }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('ending claim' as const), namespace, of: amounts(4), ends }) },
  { weight: 4, arbitrary: fc.record({ what: fc.constant('time' as const), minutes: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 8, arbitrary: fc.record({ what: fc.constant('write' as const), most: fc.nat(4) }) },
)

type EventContent = typeof event extends fc.Arbitrary<infer T> ? T : never

const history = fc.record({
  hard: fc.record({ cpu: fc.integer({ min: 2, max: 12 }).map(String), memory: fc.constant('9') }),
  defaults: fc.constantFrom({}, { cpu: '1' }),
  ordered: fc.boolean(),
  events: fc.array(event, { maxLength: 40 }),
})

/** A cluster with one pool, and the controller that looks at no more of it than it has to. */
class Cluster {
  pool: ResourcePool
  claims: readonly ResourcePoolClaim[] = []
  served = new Set<string>(['a', 'b', 'c'])
  readonly quotas = new Map<string, ResourceQuota>()
  readonly #used = new Map<string, number>()
  #version = 1
  #now = Date.parse(NOW)
  /** How many claims there ever were: none gets the name, and with it the uid, of one that is gone. */
  #made = 0
  /** Undefined: all. */
  #within: Set<string> | undefined
  /** The latest decisions that are not written to claims yet. */
  readonly #pending = new Map<string | undefined, ClaimOutcome>()
  #writes: readonly QuotaWrite[] = []

  constructor(pool: ResourcePool) {
    this.pool = pool
  }

  /** Looks at the part and at everything, and writes the pool as the part says. Both must have come to the same. */
  look(): readonly [part: unknown, all: unknown] {
    const within = this.#within
    const all = this.#decided(undefined)
    const some = this.#decided(within)
    const isIn = (name = ''): boolean => within?.has(name) !== false
    for (const { claim } of some.outcome.claims) this.#pending.delete(claim.metadata.uid)
    for (const one of some.pending) this.#pending.set(one.claim.metadata.uid, one)
    // To write to a claim that is gone does nothing.
    const pending = [...this.#pending.values()].filter(({ claim }) => this.claims.includes(claim))
    if (some.pool !== this.pool) this.#version++
    this.pool = { ...some.pool, metadata: { ...some.pool.metadata, resourceVersion: String(this.#version) } }
    this.#writes = some.steps.writes
    this.#within = new Set(namespacesToReconcile(some.outcome, some.steps))
    const { claims, quotas } = all.outcome
    return [
      { ...some.outcome, steps: some.steps, pending: new Set(pending) },
      {
        ...all.outcome,
        claims: claims.filter(({ claim }) => isIn(claim.metadata.namespace)),
        quotas: new Map([...quotas].filter(([name]) => isIn(name))),
        steps: all.steps,
        pending: new Set(all.pending),
      },
    ]
  }

  #decided(within: ReadonlySet<string> | undefined): Decided {
    const isIn = (name = ''): boolean => within?.has(name) !== false
    const claims = this.claims.filter(({ metadata }) => isIn(metadata.namespace))
    const namespaces = inPool('p', ...[...this.served].filter(isIn))
    const quotas = new Map([...this.quotas].filter(([name]) => isIn(name)))
    const only = within === undefined ? {} : { within }
    const outcome = decidePool({ pool: this.pool, claims, namespaces, quotas, now: this.#now, ...only })
    const status = poolStatusChange(this.pool, outcome, NOW)
    const pool = status === undefined ? this.pool : { ...this.pool, status }
    const steps = nextSteps({ pool, quotas, isLive: status !== undefined, ...only })
    const pending = outcome.claims.filter((one) => claimChange(one, pool, NOW) !== undefined)
    return { outcome, pool, steps, pending }
  }

  happen(one: EventContent): void {
    switch (one.what) {
      case 'claim': {
        const made = claimOf(`c${this.#made++}`, one.of, { namespace: one.namespace, age: this.#made % 3 })
        this.claims = [...this.claims, made]
        return this.#touch(one.namespace)
      }
      case 'ending claim': {
        const made = claimOf(`c${this.#made++}`, one.of, { namespace: one.namespace, age: this.#made % 3 })
        const { at, ttlAfterBound } = one.ends
        const expiresAt = at === undefined ? {} : { expiresAt: new Date(this.#now + at * MINUTE).toISOString() }
        const ttl = ttlAfterBound === undefined ? {} : { ttlAfterBound }
        this.claims = [...this.claims, { ...made, spec: { ...made.spec, ...expiresAt, ...ttl } }]
        return this.#touch(one.namespace)
      }
      case 'time': {
        const before = this.#now
        this.#now += one.minutes * MINUTE
        const due = this.claims.filter((claim) => (nextMoment(claim, before) ?? Infinity) <= this.#now)
        for (const { metadata } of due) this.#touch(metadata.namespace)
        return
      }
      case 'resize':
        return this.#change(one.at, (claim) => ({ ...claim, spec: { ...claim.spec, claim: one.of } }))
      case 'drop':
        return this.#change(one.at, () => undefined)
      case 'use':
        this.#used.set(one.namespace, one.amount)
        return this.#enforce(one.namespace)
      case 'serve':
        if (!this.served.delete(one.namespace)) this.served.add(one.namespace)
        return this.#touch(one.namespace)
      case 'raise quota': {
        const quota = this.quotas.get(one.namespace)
        if (quota === undefined) return
        this.#keep({ ...quota, spec: { ...quota.spec, hard: { ...quota.spec?.hard, cpu: '40' } } })
        return this.#enforce(one.namespace)
      }
      case 'enforce':
        return this.#enforce(one.namespace)
      case 'write':
        for (const write of this.#writes.slice(0, one.most)) this.#write(write)
        for (const outcome of [...this.#pending.values()].slice(0, one.most)) this.#writeClaim(outcome)
        return
      default:
        return one satisfies never
    }
  }

  #touch(name = ''): void {
    this.#within?.add(name)
  }

  #change(at: number, to: (claim: ResourcePoolClaim) => ResourcePoolClaim | undefined): void {
    const claim = this.claims[at % Math.max(1, this.claims.length)]
    if (claim === undefined) return
    const next = to(claim)
    this.claims = this.claims.flatMap((other) => (other === claim ? (next ?? []) : other))
    this.#touch(claim.metadata.namespace)
  }

  #keep(quota: ResourceQuota): void {
    const { namespace: name = '' } = quota.metadata
    this.quotas.set(name, {
      ...quota,
      metadata: { ...quota.metadata, uid: 'u', resourceVersion: String(++this.#version) },
    })
    this.#touch(name)
  }

  /** The server's quota controller catches up. */
  #enforce(name: string): void {
    const quota = this.quotas.get(name)
    if (quota === undefined) return
    const hard = quota.spec?.hard ?? {}
    const used = Object.fromEntries(Object.keys(hard).map((resource) => [resource, String(this.#used.get(name) ?? 0)]))
    this.#keep({ ...quota, status: { hard, used } })
  }

  #write(write: QuotaWrite): void {
    if (write.kind === 'confirm-gone') return
    if (write.kind !== 'delete') {
      const status = this.quotas.get(write.namespace)?.status
      return this.#keep({ ...write.quota, ...(status === undefined ? {} : { status }) })
    }
    this.quotas.delete(write.namespace)
    this.#touch(write.namespace)
  }

  /** Own writes of claims change nothing, so no namespace is marked. */
  #writeClaim(outcome: ClaimOutcome): void {
    this.#pending.delete(outcome.claim.metadata.uid)
    const change = claimChange(outcome, this.pool, NOW)
    if (change === undefined || !this.claims.includes(outcome.claim)) return
    const written = withClaimChange(outcome.claim, change)
    this.claims = this.claims.map((claim) => (claim === outcome.claim ? written : claim))
    // But for one that has no pool any more.
    if (written.status?.pool === undefined) this.#touch(written.metadata.namespace)
  }
}

interface Decided {
  readonly outcome: PoolOutcome
  readonly pool: ResourcePool
  readonly steps: Steps
  readonly pending: readonly ClaimOutcome[]
}

/** A quota of b allows too much for a while, which keeps that of a from being raised. */
const EXCESS: readonly EventContent[] = [
  { what: 'claim', namespace: 'a', of: { cpu: '1' } },
  { what: 'write', most: 4 },
  { what: 'write', most: 4 },
  { what: 'enforce', namespace: 'a' },
  { what: 'enforce', namespace: 'b' },
  { what: 'raise quota', namespace: 'b' },
  { what: 'write', most: 4 },
  { what: 'use', namespace: 'a', amount: 1 },
  { what: 'claim', namespace: 'a', of: { cpu: '1' } },
]

/** A claim that waited asks for nothing any more, and its event is not sent yet when the pool is reconciled again. */
const UNSENT: readonly EventContent[] = [
  { what: 'claim', namespace: 'a', of: { cpu: '3' } },
  { what: 'write', most: 1 },
  { what: 'resize', at: 0, of: {} },
  { what: 'claim', namespace: 'b', of: {} },
]

test('to look only where something may have changed comes to the same as to look at everything', () => {
  fc.assert(
    fc.property(history, ({ hard, defaults, ordered, events }) => {
      const cluster = new Cluster(poolOf('p', { quota: { hard }, defaults, config: { orderedQueue: ordered } }))
      for (const one of [undefined, ...events]) {
        if (one !== undefined) cluster.happen(one)
        const [part, all] = cluster.look()
        expect(part).toEqual(all)
      }
    }),
    {
      ...RUNS,
      examples: [
        [{ hard: { cpu: '9', memory: '9' }, defaults: {}, ordered: false, events: [...EXCESS] }],
        [{ hard: { cpu: '2', memory: '9' }, defaults: {}, ordered: false, events: [...UNSENT] }],
      ],
    },
  )
}, 300_000)
