// Covers allocate.ts and the ledger of a pool, by the vectors.
import { expect } from 'vitest'
import { claimOf, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { eachCase, vectors } from '../../../../test/load-vectors.ts'
import type { Condition } from '../../../api/condition.ts'
import { POOL_FINALIZER } from '../api/pool-names.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { formatResourceList, isZero, mask, parseResourceList, subtract } from '../../../quantity/resource-list.ts'
import type { ResourcePoolStatus } from '../api/resource-pool.ts'
import { allocate } from './allocate.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import { sumOf } from './ledger/sums.ts'
import { poolFinalizersChange } from './apply-outcome.ts'
import { coverageScore, selectUsedClaims } from './claim/used.ts'
import { shortagesOf } from './amount/capacity.ts'
import { poolNameOf } from './claim-guards.ts'
import { byAge } from './claim/order.ts'
import { changedEntries, newEntry, sumsByNamespace, totalsOf } from './ledger/pool-ledger.ts'
import { entriesOf, entryOf } from './ledger/entries.ts'
import { quotaHard } from './quota/hard.ts'
import { ResourceSum } from './amount/resource-sum.ts'
import { isBound } from './claim/usage-reader.ts'

const FILE = 'capsule/pool-unit.json'

type Amounts = Readonly<Record<string, string>>
type Status = Pick<ResourcePoolStatus, 'claims' | 'allocation'>
interface Sized {
  readonly uid: string
  readonly ns: string
  readonly name: string
  readonly createdOffsetSeconds?: number
  readonly claim: Amounts
}
type Case = { readonly name: string } & (
  | { fn: 'getClaimFromStatus'; status: Status; claim: { namespace: string; uid: string }; wantFound: boolean }
  | {
      fn: 'addRemoveClaim'
      claim: { namespace: string; name: string; uid: string; claim: Amounts }
      wantAfterAdd: { name: string }
      wantAfterRemove: null
    }
  | { fn: 'calculate'; status: Status; want: { used: Amounts; available: Amounts } }
  | { fn: 'canClaim'; status: Status; request: Amounts; wantErrors: number }
  | { fn: 'quotaHard'; spec: { defaults: Amounts }; status: Status; namespace: string; want: Amounts }
  | { fn: 'namespaceClaims'; status: Status; namespace: string; wantUids: string[]; wantSum: Amounts }
  | { fn: 'claimedByNamespace'; status: Status; want: Readonly<Record<string, Amounts>> }
  | { fn: 'claimIsBound'; conditions: readonly Condition[]; deprecatedCondition?: Condition; want: boolean }
  | { fn: 'claimPool'; specPool: string; statusPool: string | null; want: string }
  | { fn: 'finalizer'; claimCount: number; namespaceCount: number; had: boolean; want: boolean }
  | { fn: 'filterByKeys'; in: Amounts; keys: Amounts; want: Amounts }
  | {
      fn: 'canClaimExcluding'
      hard: Amounts
      claims: readonly Sized[]
      resize: { uid: string; claim: Amounts }
      wantExhaustions: Readonly<Record<string, { available: string; requesting: string }>>
    }
  | { fn: 'allZero'; in: Amounts | null; want: boolean }
  | { fn: 'coverageScore'; remaining: Amounts; request: Amounts; want: number }
  | { fn: 'greedy'; used: Amounts; claims: readonly Sized[]; want: readonly string[] }
  | { fn: 'index'; status: Pick<ResourcePoolStatus, 'namespaces'>; want: readonly string[] }
)

const { cases } = vectors<{ readonly cases: readonly Case[] }>(FILE)
const read = parseResourceList
const sized = ({ uid, ns: namespace, name, createdOffsetSeconds: age = 0, claim }: Sized) => ({
  ...claimOf(name, claim, { namespace, uid, age }),
  request: read(claim),
})

eachCase(
  FILE,
  cases,
  ({ fn, name }) => `${fn}: ${name}`,
  (one) => {
    switch (one.fn) {
      case 'getClaimFromStatus':
        return expect(entryOf(one.status.claims, one.claim) !== undefined).toBe(one.wantFound)
      case 'addRemoveClaim': {
        const { namespace, name, uid, claim } = one.claim
        const entry = newEntry(claimOf(name, claim, { namespace, uid }), read(claim))
        const claims = { [namespace]: changedEntries([], { added: [entry] }) }
        expect(entryOf(claims, one.claim)).toMatchObject(one.wantAfterAdd)
        const removed = { [namespace]: changedEntries(claims[namespace] ?? [], { gone: new Set([uid]) }) }
        return expect(entryOf(removed, one.claim) ?? null).toBe(one.wantAfterRemove)
      }
      case 'calculate': {
        const { used, available } = totalsOf(amountsOf(one.status.allocation?.hard), one.status)
        return expect({ used: formatResourceList(used), available: formatResourceList(available) }).toEqual(one.want)
      }
      case 'canClaim': {
        const { hard, used } = one.status.allocation ?? {}
        const left = new ResourceSum(subtract(amountsOf(hard), amountsOf(used)))
        return expect(shortagesOf(read(one.request), left)).toHaveLength(one.wantErrors)
      }
      case 'quotaHard': {
        const claimed = sumOf(entriesOf(one.status.claims, one.namespace))
        return expect(formatResourceList(quotaHard(claimed, read(one.spec.defaults)))).toEqual(one.want)
      }
      case 'namespaceClaims': {
        const entries = entriesOf(one.status.claims, one.namespace)
        expect(entries?.map(({ uid }) => uid)).toEqual(one.wantUids)
        return expect(formatResourceList(sumOf(entries))).toEqual(one.wantSum)
      }
      case 'claimedByNamespace': {
        const sums = [...sumsByNamespace(one.status.claims)].map(([name, sum]) => [name, formatResourceList(sum)])
        return expect(Object.fromEntries(sums)).toEqual(one.want)
      }
      case 'claimIsBound': {
        const deprecated = one.deprecatedCondition === undefined ? {} : { condition: one.deprecatedCondition }
        return expect(isBound({ status: { ...deprecated, conditions: one.conditions } })).toBe(one.want)
      }
      case 'claimPool': {
        const pool = one.statusPool === null ? {} : { pool: { name: one.statusPool, uid: '' } }
        const of = { spec: { pool: one.specPool, claim: {} }, status: { ...pool, conditions: [] } }
        return expect(poolNameOf(of)).toBe(one.want)
      }
      case 'finalizer': {
        const finalizer = one.claimCount + one.namespaceCount > 0
        const pool = poolOf('p', { quota: {} }, { metadata: { finalizers: one.had ? [POOL_FINALIZER] : [] } })
        const after = poolFinalizersChange(pool, { finalizer }) ?? pool.metadata.finalizers ?? []
        return expect(after.includes(POOL_FINALIZER)).toBe(one.want)
      }
      case 'filterByKeys':
        return expect(formatResourceList(mask(read(one.in), Object.keys(one.keys)))).toEqual(one.want)
      case 'canClaimExcluding': {
        const [held] = one.claims
        const { available } = totalsOf(read(one.hard), {
          claims: { ns: one.claims.map((of) => newEntry(sized(of), sized(of).request)) },
        })
        const short = shortagesOf(read(one.resize.claim), new ResourceSum(available), read(held?.claim ?? {}))
        const exhaustions = short.map(({ resource, requested, available: left }) => [
          resource,
          { available: left.toString(), requesting: requested.toString() },
        ])
        return expect(Object.fromEntries(exhaustions)).toEqual(one.wantExhaustions)
      }
      case 'allZero':
        return expect(isZero(read(one.in ?? {}))).toBe(one.want)
      case 'coverageScore': {
        const score = coverageScore(read(one.remaining), read(one.request))
        return expect(score.cmp(Quantity.parse(String(one.want)))).toBe(0)
      }
      case 'greedy': {
        const picked = selectUsedClaims(one.claims.map(sized).toSorted(byAge), read(one.used))
        return expect([...picked].map(({ metadata }) => metadata.uid)).toEqual(one.want)
      }
      case 'index': {
        const names = one.want.map((name) => ({ name, labels: { pool: 'p' } })).toReversed()
        const outcome = allocate({ pool: poolOf('p', { quota: {} }), claims: [], namespaces: names, used: {} })
        return expect(outcome.status.namespaces).toEqual(one.status.namespaces)
      }
      default:
        return expect(one satisfies never).toBe('known')
    }
  },
)
