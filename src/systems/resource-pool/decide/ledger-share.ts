import type { AllocatedClaim, ResourcePool } from '../api/resource-pool.ts'
import { bytesOf, sumOf } from './ledger/sums.ts'
import type { ClaimState } from './claim/state.ts'
import { newEntry } from './ledger/pool-ledger.ts'
import type { QueueVerdict } from './queue/queue.ts'

/** The default of etcd's `--max-request-bytes`. */
const REQUEST_BYTES = 1536 * 1024

/** The bytes kept for the lists of waiting and blocked claims, for conditions, and for the growth of amounts. */
const RESERVED_BYTES = 96 * 1024

/** How many bytes a pool may have together with its ledger. */
const POOL_BYTES = REQUEST_BYTES - RESERVED_BYTES

/** How often a status spells out amounts of the pool: quota, totals, exhaustions, and their managed fields. */
const SPELLED = 8

/** More than an entry takes up. */
const AMPLE_BYTES = 4096

const NOBODY: ReadonlySet<ClaimState> = new Set()

export interface LedgerShareInput {
  readonly pool: ResourcePool
  /** The namespaces that the pool serves. */
  readonly selected: readonly string[]
  /** Of all claims that are decided about. */
  readonly states: readonly ClaimState[]
  /** Those of them that ask, in their order. */
  readonly asking: readonly ClaimState[]
  readonly verdicts: ReadonlyMap<ClaimState, QueueVerdict>
  /** The namespaces that are decided about; undefined: all. */
  readonly within: ReadonlySet<string> | undefined
  /** May nobody's entries grow? Then a server did not take the ledger. */
  readonly isFrozen: boolean
}

/**
 * Returns the asking claims that cannot have an entry in the ledger. A pool is one object of at most `REQUEST_BYTES`. A
 * namespace with very many claims would otherwise keep all others from getting anything.
 *
 * The entries of one namespace may take at most as many bytes as are left for all. So something is always left, and a
 * namespace with few entries can still get more. Entries that do not grow are never refused.
 */
export function beyondShare(input: LedgerShareInput): ReadonlySet<ClaimState> {
  const { pool, states, asking, verdicts, within, isFrozen } = input
  if (asking.length === 0) return NOBODY
  const before = pool.status?.claims ?? {}
  const kept = new Set<AllocatedClaim>()
  for (const { entry, phase } of states)
    if (entry !== undefined && (phase.kind !== 'decided' || phase.decision.verdict === 'held-by-use')) kept.add(entry)
  const bytes = new Map<string, number>()
  let left = POOL_BYTES - bytesBesides(input)
  for (const [namespace, entries] of Object.entries(before)) {
    const isWhole = within?.has(namespace) === false || entries.every((entry) => kept.has(entry))
    const size = bytesOf(isWhole ? entries : entries.filter((entry) => kept.has(entry)))
    bytes.set(namespace, size)
    left -= size + bytesOfNamespace(namespace, entries)
  }
  const beyond = new Set<ClaimState>()
  const full = new Set<string>()
  for (const one of asking) {
    const { namespace, claim, entry, request } = one
    const isAllocated = verdicts.get(one)?.verdict === 'allocated'
    const has = bytes.get(namespace) ?? 0
    // Thousands may wait; they are measured only where it is getting scarce.
    if (!isAllocated && !isFrozen && !full.has(namespace) && has + 2 * AMPLE_BYTES <= left) continue
    const growth = jsonBytes(newEntry(claim, request)) - (entry === undefined ? 0 : jsonBytes(entry))
    if (growth <= 0) continue
    if (isFrozen || full.has(namespace) || has + growth > left - growth) {
      full.add(namespace)
      beyond.add(one)
    } else if (isAllocated) {
      bytes.set(namespace, has + growth)
      left -= growth
    }
  }
  return beyond
}

/** Returns the bytes of a pool besides its entries. */
function bytesBesides({ pool, selected }: LedgerShareInput): number {
  const { metadata, spec, status } = pool
  const { managedFields: _, ...others } = metadata
  const amounts = SPELLED * jsonBytes({ ...spec.quota, ...spec.defaults })
  return jsonBytes(others) + jsonBytes(spec) + amounts + jsonBytes(selected) + jsonBytes(status?.releasing ?? {})
}

/** Returns the bytes of a namespace besides its entries: its name, also in managed fields, and a release of what it has. */
function bytesOfNamespace(namespace: string, entries: readonly AllocatedClaim[]): number {
  const names = Object.keys(sumOf(entries))
  return 4 * (namespace.length + 8) + 32 + names.reduce((sum, name) => sum + name.length + 12, 0)
}

const jsonBytes = (value: object): number => JSON.stringify(value).length
