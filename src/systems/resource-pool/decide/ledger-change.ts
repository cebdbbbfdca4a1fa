import type { AllocatedClaim, ResourcePool } from '../api/resource-pool.ts'
import { setOwn } from '../../../machinery/json-value.ts'
import { formatResourceList, quantityOf, type ResourceList } from '../../../quantity/resource-list.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { amountsOf } from '../../../api/definition/parsed-amounts.ts'
import type { ClaimState } from './claim/state.ts'
import { changedEntries, type EntriesChange, newEntry } from './ledger/pool-ledger.ts'
import { entriesOf, type Ledger, releaseOf, type Releases } from './ledger/entries.ts'
import type { Served } from './queue/queue.ts'
import { ResourceSum } from './amount/resource-sum.ts'

/** The amounts that a pool has given out, and those in release. */
export interface PoolLedgerState {
  readonly claims: Ledger
  readonly releasing: Releases
}

/** Has the claim room when all is decided? */
export function hasRoom(one: ClaimState, served: Served<ClaimState>): boolean {
  const { phase } = one
  switch (phase.kind) {
    case 'holds':
      return true
    case 'decided':
      return phase.decision.verdict === 'held-by-use'
    case 'asks':
    case 'resizes':
      return served.verdicts.get(one)?.verdict === 'allocated'
    default:
      return phase satisfies never
  }
}

export interface LedgerInput {
  readonly pool: ResourcePool
  readonly states: readonly ClaimState[]
  readonly served: Served<ClaimState>
  /** The namespaces that were decided about; undefined: all. */
  readonly within: ReadonlySet<string> | undefined
}

/**
 * Returns the ledger after the decisions, with the same entries if nothing changes. Amounts that an entry loses go to
 * the release of its namespace. The token of the release is the version that this write is based on, which no other
 * write of the pool can have.
 */
export function ledgerAfter({ pool, states, served, within }: LedgerInput): PoolLedgerState {
  const before = pool.status?.claims ?? {}
  const drafts = new Map<string, Draft>()
  const draftOf = (namespace: string): Draft => {
    const draft = drafts.get(namespace) ?? new Draft()
    drafts.set(namespace, draft)
    return draft
  }
  const known = new Set<AllocatedClaim>()
  for (const one of states) {
    const { namespace, entry, claim, request, phase } = one
    const gets = hasRoom(one, served)
    const isNew = phase.kind === 'asks' || served.dropped.has(one)
    if (entry !== undefined) {
      known.add(entry)
      if (!gets || isNew) draftOf(namespace).giveBack(entry, amountsOf(entry.claims))
      else if (phase.kind === 'resizes') draftOf(namespace).replace(newEntry(claim, request), phase.held, request)
    }
    if (gets && isNew) draftOf(namespace).added.push(newEntry(claim, request))
  }
  for (const namespace of within ?? Object.keys(before)) {
    for (const entry of entriesOf(before, namespace) ?? []) {
      if (!known.has(entry)) draftOf(namespace).giveBack(entry, amountsOf(entry.claims))
    }
  }
  return { claims: claimsAfter(before, drafts), releasing: releasesAfter(pool, drafts) }
}

function claimsAfter(before: Ledger, drafts: ReadonlyMap<string, Draft>): Ledger {
  if (drafts.size === 0 && Object.values(before).every((entries) => entries.length > 0)) return before
  const after = new Map<string, readonly AllocatedClaim[]>(Object.entries(before))
  for (const [namespace, draft] of drafts) after.set(namespace, changedEntries(after.get(namespace) ?? [], draft))
  return sorted(after)
}

/** The changes of one namespace while they are gathered. */
class Draft implements EntriesChange {
  readonly gone = new Set<string>()
  readonly replaced = new Map<string, AllocatedClaim>()
  readonly added: AllocatedClaim[] = []
  readonly lost = new ResourceSum()

  giveBack(entry: AllocatedClaim, amounts: ResourceList): void {
    this.gone.add(entry.uid)
    this.lost.add(amounts)
  }

  replace(entry: AllocatedClaim, from: ResourceList, to: ResourceList): void {
    this.replaced.set(entry.uid, entry)
    this.lost.add(decrease(from, to))
  }
}

/** Of a pool that is being deleted nothing is given on, so nothing needs to be kept. */
function releasesAfter(pool: ResourcePool, drafts: ReadonlyMap<string, Draft>): Releases {
  if (pool.metadata.deletionTimestamp !== undefined) return {}
  const before = pool.status?.releasing ?? {}
  const token = pool.metadata.resourceVersion ?? ''
  const after: Record<string, Releases[string]> = {}
  for (const namespace of [...new Set([...Object.keys(before), ...drafts.keys()])].toSorted()) {
    const old = releaseOf(before, namespace)
    const more = positive(drafts.get(namespace)?.lost.list() ?? {})
    if (Object.keys(more).length === 0) {
      if (old !== undefined) setOwn(after, namespace, old)
      continue
    }
    const room = new ResourceSum(amountsOf(old?.room))
    room.add(more)
    setOwn(after, namespace, { room: formatResourceList(room.list()), token })
  }
  return after
}

/** By how much each amount of `to` is below that of `from`. */
function decrease(from: ResourceList, to: ResourceList): ResourceList {
  const names = Object.keys(from)
  return Object.fromEntries(
    names.map((name) => {
      const less = (quantityOf(from, name) ?? Quantity.zero).sub(quantityOf(to, name) ?? Quantity.zero)
      return [name, less.sign() > 0 ? less : Quantity.zero]
    }),
  )
}

function positive(list: ResourceList): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([, quantity]) => quantity.sign() > 0))
}

function sorted(after: ReadonlyMap<string, readonly AllocatedClaim[]>): Ledger {
  const ledger: Record<string, readonly AllocatedClaim[]> = {}
  for (const namespace of [...after.keys()].toSorted()) {
    const entries = after.get(namespace) ?? []
    if (entries.length > 0) setOwn(ledger, namespace, entries)
  }
  return ledger
}
