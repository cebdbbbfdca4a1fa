import { expect, test } from 'vitest'
import { applied, claimOf, inPool, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import type { ResourcePool } from '../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../api/claim.ts'
import { decidePool, type DecidePoolInput, fullNamespaces } from './decide-pool.ts'
import { isInPlace } from './quota/place.ts'
import { poolQuota } from './quota/pool-quota.ts'
import type { PoolOutcome } from './queue/pool-outcome.ts'

const CPU = 'requests.cpu'
const REQUEST_BYTES = 1.5 * 1024 * 1024
const pool = poolOf('p', { quota: { hard: { [CPU]: '1000', 'requests.memory': '100Ti' } } })
const NAMESPACES = inPool('p', 'greedy', 'modest', 'other')

/** Many claims of nothing, with names as long as they may be. */
const greedy = (count: number, namespace = 'greedy'): readonly ResourcePoolClaim[] =>
  Array.from({ length: count }, (_, at) =>
    claimOf(
      `${at}-`.padEnd(253, 'x'),
      { [CPU]: '0' },
      { namespace, age: at, uid: `${namespace}${at}`.padEnd(36, '-') },
    ),
  )

interface World {
  readonly pool: ResourcePool
  readonly claims: readonly ResourcePoolClaim[]
}

function decide(
  { pool: of, claims }: World,
  namespaces = NAMESPACES,
  more: Partial<DecidePoolInput> = {},
): World & { readonly outcome: PoolOutcome } {
  const quotas = new Map(
    namespaces.map(({ name }) => [name, poolQuota({ pool: of, namespace: name, hard: {}, release: undefined })]),
  )
  expect([...quotas.values()].every((quota) => isInPlace(quota, of))).toBe(true)
  const outcome = decidePool({ pool: of, claims, namespaces, quotas, ...more })
  return { ...applied(of, claims, outcome), outcome }
}

const countsOf = ({ pool: { status } }: World): unknown =>
  Object.entries(status?.claims ?? {}).map(([namespace, entries]) => [namespace, entries.length])
const bytes = (value: object): number => JSON.stringify(value).length
const allocated = ({ status }: ResourcePoolClaim): string | undefined =>
  status?.conditions.find(({ type }) => type === 'Allocated')?.status
const ready = ({ status }: PoolOutcome): unknown => status.conditions.find(({ type }) => type === 'Ready')

test('claims of nothing fill no ledger: what is left for all is never less than what one namespace has', () => {
  const many = greedy(6000)
  const modest = claimOf('modest', { [CPU]: '1' }, { namespace: 'modest', age: 10_000 })
  const first = decide({ pool, claims: [...many, modest] })
  expect(bytes(first.pool)).toBeLessThan(REQUEST_BYTES * 0.6)
  expect(allocated(first.claims[6000] ?? modest)).toBe('True')
  expect(first.claims[5999]?.status?.waiting).toMatchObject({ reason: 'LedgerFull' })
  expect(fullNamespaces(first.outcome)).toEqual(['greedy'])
  expect(ready(first.outcome)).toMatchObject({ status: 'False', message: expect.stringContaining('greedy') })
  // Applied to its own outcome it changes nothing.
  const again = decide(first)
  expect(countsOf(again)).toEqual(countsOf(first))
  // Another greedy one comes to half of what was left, and still there is something for others.
  const others = decide({ pool: again.pool, claims: [...again.claims, ...greedy(6000, 'other')] })
  expect(bytes(others.pool)).toBeLessThan(REQUEST_BYTES * 0.75)
  const late = claimOf('late', { [CPU]: '1' }, { namespace: 'modest', age: 20_000 })
  const served = decide({ pool: others.pool, claims: [...others.claims, late] })
  expect(served.claims.at(-1)?.status?.waiting).toBeUndefined()
  // A claim that goes makes room, and the claims that waited for it get it.
  const fewer = decide({ pool: served.pool, claims: served.claims.slice(2000) })
  expect(fewer.claims.filter((one) => allocated(one) === 'True').length).toBeGreaterThan(1500)
})

test('a claim that grows takes part in the share, and one that shrinks always may', () => {
  const small = greedy(6000)
  const { pool: full, claims } = decide({ pool, claims: small })
  const [one] = claims
  if (one === undefined) throw new Error('there is none')
  const ask = (amounts: Readonly<Record<string, string>>): ResourcePoolClaim => ({
    ...one,
    spec: { ...one.spec, claim: amounts },
  })
  const grown = claims.map((claim) =>
    allocated(claim) === 'True'
      ? { ...claim, spec: { ...claim.spec, claim: { [CPU]: '0', 'requests.memory': '0' } } }
      : claim,
  )
  expect(bytes(decide({ pool: full, claims: grown }).pool)).toBeLessThan(REQUEST_BYTES * 0.6)
  expect(allocated(decide({ pool: full, claims: [ask({}), ...claims.slice(1)] }).claims[0] ?? one)).toBe('True')
})

test('ten thousand claims of a thousand namespaces all have their entries, in less than a server takes', () => {
  const namespaces = inPool('p', ...Array.from({ length: 1000 }, (_, at) => `ns-${at}`))
  const claims = Array.from({ length: 10_000 }, (_, at) =>
    claimOf(`claim-${at}`, { [CPU]: '100m' }, { namespace: `ns-${at % 1000}`, uid: `${at}`.padEnd(36, '-'), age: at }),
  )
  const { pool: after, outcome } = decide({ pool, claims }, namespaces)
  expect(outcome.status.claimCount).toBe(10_000)
  expect(ready(outcome)).toMatchObject({ status: 'True' })
  expect(bytes(after)).toBeLessThan(REQUEST_BYTES)
})

test('a ledger that a server did not take lets go of what goes, and of nothing else', () => {
  const claims = greedy(10)
  const { pool: before, claims: served } = decide({ pool, claims })
  const next = [...served.slice(3), claimOf('new', { [CPU]: '1' }, { namespace: 'modest', age: 99 })]
  const { outcome } = decide({ pool: before, claims: next }, NAMESPACES, { isFrozen: true })
  expect(outcome.status.claims?.['greedy']).toHaveLength(7)
  expect(outcome.status.claims?.['modest']).toBeUndefined()
  expect(outcome.claims.at(-1)?.waiting).toMatchObject({ reason: 'LedgerFull' })
})
