import type { ResourceListJson } from '../../../../api/definition/collection.ts'
import type { AllocatedClaim, ResourcePoolStatus } from '../../api/resource-pool.ts'
import type { ResourcePoolClaim } from '../../api/claim.ts'
import { formatResourceList, quantityOf, type ResourceList } from '../../../../quantity/resource-list.ts'
import { Quantity } from '../../../../quantity/quantity.ts'
import { amountsOf } from '../../../../api/definition/parsed-amounts.ts'
import { entriesOf, type Ledger, type Releases } from './entries.ts'
import { sumOf, totalOf } from './sums.ts'
import { ResourceSum } from '../amount/resource-sum.ts'

/** The entry that a claim gets. */
export function newEntry(claim: ResourcePoolClaim, request: ResourceList): AllocatedClaim {
  const { name = '', namespace = '', uid = '' } = claim.metadata
  return { name, namespace, uid, claims: formatResourceList(request) }
}

/** A change of the entries of one namespace. */
export interface EntriesChange {
  /** The uids whose entries go. */
  readonly gone?: ReadonlySet<string>
  /** Entries that take the place of the one with their uid. */
  readonly replaced?: ReadonlyMap<string, AllocatedClaim>
  /** Entries at the end. */
  readonly added?: readonly AllocatedClaim[]
}

/** The entries after a change, in their order. */
export function changedEntries(
  entries: readonly AllocatedClaim[],
  { gone, replaced, added = [] }: EntriesChange,
): readonly AllocatedClaim[] {
  const kept = entries.filter(({ uid }) => gone?.has(uid) !== true)
  return [...kept.map((entry) => replaced?.get(entry.uid) ?? entry), ...added]
}

/** Returns the amounts that each namespace has been given, zeros included, by namespace (sorted). */
export function sumsByNamespace(claims: Ledger | undefined): ReadonlyMap<string, ResourceList> {
  const namespaces = Object.keys(claims ?? {}).toSorted()
  return new Map(namespaces.map((namespace) => [namespace, sumOf(entriesOf(claims, namespace))]))
}

/** Returns the sum of all releases. */
export function roomInRelease(releasing: Releases | undefined): ResourceList {
  const sum = new ResourceSum()
  for (const { room } of Object.values(releasing ?? {})) sum.add(amountsOf(room))
  return sum.list()
}

export interface Totals {
  /** The claimed amounts: 0 for each resource of the pool, and the sum over the entries. */
  readonly used: ResourceList
  /** The amounts that are neither claimed nor still in release; below 0 only where an administrator shrank the pool. */
  readonly available: ResourceList
}

/** Returns the totals of a pool with these amounts: those given out and those left. */
export function totalsOf(
  hard: ResourceList,
  { claims, releasing }: Pick<ResourcePoolStatus, 'claims' | 'releasing'>,
): Totals {
  const used = totalOf(claims)
  const inRelease = roomInRelease(releasing)
  const names = Object.keys(hard)
  const claimed = new ResourceSum(Object.fromEntries(names.map((name) => [name, Quantity.zero])))
  claimed.add(used)
  const left = names.map((name) => {
    const total = quantityOf(hard, name) ?? Quantity.zero
    const spent = (quantityOf(used, name) ?? Quantity.zero).add(quantityOf(inRelease, name) ?? Quantity.zero)
    return [name, total.sub(spent)] as const
  })
  return { used: claimed.list(), available: Object.fromEntries(left) }
}

/** A list as JSON, or undefined for an empty one: Go leaves empty maps out. */
export function jsonOf(list: ResourceList): ResourceListJson | undefined {
  return Object.keys(list).length === 0 ? undefined : formatResourceList(list)
}
